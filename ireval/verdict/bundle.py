"""Bundles: zip archives with a question, its evidence under pseudonyms and the verdict, which anybody can compute again."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ireval.io.arguments import require_file, require_type
from ireval.io.cells import shown
from ireval.io.files import MAX_BYTES
from ireval.io.plain import plain
from ireval.io.tables import parquet_of
from ireval.verdict.evidence import Arms, Evidence, Grades, Interleaved, Scored, SideBySide, Summed
from ireval.verdict.verdict import BadVerdict, Verdict, sentence, verdict

FORMAT = 1
SPEC, RESULT = "verdict.json", "result.json"
MOST_LINES = 20


@dataclass(frozen=True)
class Bundle:
    """The question "is `b` better than `a`?" with its evidence. `about` is kept as it is: when it was asked, by which version."""

    a: str
    b: str
    evidence: Sequence[Evidence]
    alpha: float = 0.05
    about: Mapping[str, Any] = field(default_factory=dict)

    def verdict(self) -> Verdict:
        """The verdict over all evidence in the bundle."""
        return verdict([part.line() for part in self.evidence], alpha=self.alpha)


# What each kind of evidence has besides its tables, and its tables with the columns that each needs.
TABLES: dict[str, tuple[type, dict[str, tuple[str, ...]]]] = {
    "grades": (
        Grades,
        {
            "qrels": ("topic", "docno", "grade"),
            "a": ("topic", "docno", "score"),
            "b": ("topic", "docno", "score"),
            "votes": ("topic", "docno", "worker", "grade"),
        },
    ),
    "side by side": (SideBySide, {"frame": ("item", "left", "right", "winner")}),
    "interleaving": (Interleaved, {"impressions": ("user", "query", "a", "b")}),
    "arms": (Arms, {"counts": ("arm", "value", "units")}),
    "score": (Scored, {}),
    "sums": (Summed, {}),
}
OPTIONAL = {"votes"}


def result_of(decided: Verdict, bundle: Bundle) -> dict[str, Any]:
    """The verdict as JSON holds it; numbers that are not finite are null."""
    require_type("bundle", bundle, Bundle, "a Bundle")
    return {"sentence": sentence(decided, bundle.a, bundle.b), **plain(decided)}


def write_bundle(bundle: Bundle, file: str | os.PathLike[str] | io.BytesIO) -> Verdict:
    """Compute the verdict, and write it with its evidence. BadVerdict as verdict, BadInput for what is no Bundle or no file."""
    require_type("bundle", bundle, Bundle, "a Bundle")
    require_file("file", file)
    decided = bundle.verdict()
    spec = {
        "format": FORMAT, "a": bundle.a, "b": bundle.b, "alpha": bundle.alpha, "about": dict(bundle.about),
        "evidence": [fields_of(part) for part in bundle.evidence],
    }  # fmt: skip
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry(SPEC), json.dumps(spec, indent=1, ensure_ascii=False))
        for number, part in enumerate(bundle.evidence):
            for name, frame in tables_of(part):
                archive.writestr(entry(f"{number}/{name}.parquet"), parquet_of(frame))
        archive.writestr(entry(RESULT), json.dumps(result_of(decided, bundle), indent=1, ensure_ascii=False))
    return decided


def entry(name: str) -> zipfile.ZipInfo:
    """An entry without the time of writing, so that the same bundle is the same bytes whenever it is written."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16  # else unzip leaves a file that nobody may read
    return info


def sort_of(part: Evidence) -> str:
    return next(sort for sort, (kind, _) in TABLES.items() if isinstance(part, kind))


def fields_of(part: Evidence) -> dict[str, Any]:
    """What an evidence has besides its tables, as JSON holds it: numbers that are not finite are null."""
    sort = sort_of(part)
    names = [name for name in part.__dataclass_fields__ if name not in TABLES[sort][1]]
    return plain({"sort": sort, **{name: getattr(part, name) for name in names}})


def tables_of(part: Evidence) -> Iterator[tuple[str, pl.DataFrame]]:
    """Its tables by name."""
    for name in TABLES[sort_of(part)][1]:
        if (frame := getattr(part, name)) is not None:
            yield name, frame


def read_bundle(file: str | os.PathLike[str] | io.BytesIO) -> tuple[Bundle, dict[str, Any]]:
    """A bundle and the result that it holds. BadVerdict for a file that is none, naming what is wrong with it."""
    if not isinstance(file, str | os.PathLike) and not hasattr(file, "seek"):
        raise BadVerdict(f"A bundle is {shown(file)}; expected a path, or a binary file.")
    name = os.fspath(file) if isinstance(file, str | os.PathLike) else "bundle"
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
                raise BadVerdict(f"{name}: holds more than {MAX_BYTES:,} bytes.")
            spec, result = (parsed(archive, entry, name) for entry in (SPEC, RESULT))
            return bundle_of(spec, lambda entry: table_in(archive, entry, name), name), result
    except zipfile.BadZipFile:
        raise BadVerdict(f"{name}: is no zip archive.") from None


def parsed(archive: zipfile.ZipFile, entry: str, name: str) -> dict[str, Any]:
    try:
        content = json.loads(archive.read(entry))
    except KeyError:
        raise BadVerdict(f"{name}: has no {entry} in it.") from None
    except (ValueError, RecursionError):
        raise BadVerdict(f"{name}: {entry} cannot be read.") from None
    if not isinstance(content, dict):
        raise BadVerdict(f"{name}: {entry} is no object.")
    return content


def table_in(archive: zipfile.ZipFile, entry: str, name: str) -> pl.DataFrame | None:
    try:
        return pl.read_parquet(io.BytesIO(archive.read(entry)))
    except KeyError:
        return None
    except pl.exceptions.PolarsError:
        raise BadVerdict(f"{name}: {entry} is no Parquet file.") from None


def bundle_of(spec: Mapping[str, Any], table: Callable[[str], pl.DataFrame | None], name: str) -> Bundle:
    """The bundle from its spec; `table` reads an entry of the archive."""
    if spec.get("format") != FORMAT:
        raise BadVerdict(f"{name}: is of the format {spec.get('format')}; this version reads {FORMAT}.")
    parts = spec.get("evidence")
    if not isinstance(parts, list) or len(parts) > MOST_LINES:
        raise BadVerdict(f"{name}: evidence is no list of at most {MOST_LINES} kinds.")
    evidence = [evidence_of(number, fields, table, name) for number, fields in enumerate(parts)]
    try:
        return Bundle(str(spec["a"]), str(spec["b"]), evidence, float(spec["alpha"]), dict(spec.get("about", {})))
    except (KeyError, TypeError, ValueError) as error:
        raise BadVerdict(f"{name}: {SPEC} lacks a, b or alpha, or one is wrong ({error}).") from None


def evidence_of(number: int, fields: Any, table: Callable[[str], pl.DataFrame | None], name: str) -> Evidence:
    try:
        return read_evidence(fields, lambda entry: table(f"{number}/{entry}.parquet"))
    except BadVerdict as why:
        raise BadVerdict(f"{name}: evidence {number} {why}") from None


def read_evidence(fields: Any, table: Callable[[str], pl.DataFrame | None]) -> Evidence:
    """The evidence from its fields (`fields_of`) and its tables, by name. BadVerdict says what is wrong with it."""
    sort = fields.get("sort") if isinstance(fields, dict) else None
    if sort not in TABLES:
        raise BadVerdict(f"is of the sort {sort}; expected one of {', '.join(TABLES)}.")
    kind, columns = TABLES[sort]
    frames = {entry: table(entry) for entry in columns}
    for entry, wanted in columns.items():
        frame = frames[entry]
        if frame is None and entry not in OPTIONAL:
            raise BadVerdict(f"has no table {entry}.")
        if frame is not None and not {*wanted} <= {*frame.columns}:
            raise BadVerdict(f"has a table {entry} with columns {', '.join(frame.columns)}; expected {', '.join(wanted)}.")
    try:
        return kind(**{key: value for key, value in fields.items() if key != "sort"}, **frames)
    except TypeError as error:
        raise BadVerdict(f"cannot be read ({error}).") from None


def differences(kept: Any, again: Any, path: str = "") -> Iterator[str]:
    """Where two results differ, as paths with both values.

    >>> list(differences({"a": [1, 2]}, {"a": [1, 3]}))
    ['a[1]: 2 there, 3 here']
    """
    if isinstance(kept, dict) and isinstance(again, dict):
        for key in sorted(kept.keys() | again.keys()):
            yield from differences(kept.get(key), again.get(key), f"{path}.{key}" if path else key)
    elif isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        for place, (value, other) in enumerate(zip(kept, again, strict=True)):
            yield from differences(value, other, f"{path}[{place}]")
    elif kept != again:
        yield f"{path}: {kept} there, {again} here"
