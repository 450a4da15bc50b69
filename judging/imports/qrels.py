"""Importing qrels: grades that somebody settled elsewhere, kept as a version of their own."""

import os
import re
from itertools import islice
from pathlib import Path

import polars as pl

from judging.models import Collection, Qrels, User
from judging.parsers import SCALES, read_smart_qrels
from judging.storing import qrels_content, sha256, store_qrels
from metrics.engine.files import BadFile, Problem, ProblemList, lines
from metrics.engine.qrels import QRELS_SCHEMA, read_qrels

from .fitting import Fitted, fit
from .imported import Imported, Insert, Progress, counted, insert_whole, largest_read_whole, lock, say_nothing
from .naming import name_for

FORMATS = {"auto": "Tell from the file (TREC, BEIR, CSV, JSON Lines, Parquet)", "smart": "SMART, as Cranfield and CISI"}
# Lines of cranqrel and CISI.REL: numbers only, two or three of them, or four of which the last two are zeros.
SMART_LINE = re.compile(r"\s*\d+\s+\d+(\s+-?\d|\s+0\s+0(\.0*)?)?\s*$", re.ASCII)


def import_qrels(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> Imported:
    """Read, check and keep a qrels file; see check_qrels."""
    return insert_whole(check_qrels(collection, path, by=by, **options))


def check_qrels(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    name: str = "",
    format: str = "auto",
    description: str = "",
    scale: str = "cranfield",
    sparse: bool = False,
    skip_unknown_topics: bool = False,
    progress: Progress = say_nothing,
) -> Insert:
    """Read qrels in any format of read_qrels, or SMART's with its `scale`, and check them against the collection.

    Under a name that is taken they become its next version. Raises BadFile on the terms of check_run.
    """
    filename = filename or Path(path).name
    name = name_for(name, filename)
    frame = smart_frame(path, filename, scale) if format == "smart" else engine_frame(path, filename)
    progress(frame.height)
    fitted = fit(frame, collection, Path(path), filename=filename, skip_unknown_topics=skip_unknown_topics)
    refuse_if_here(collection, name, fitted.frame, filename)

    def insert() -> Imported:
        lock(collection)
        refuse_if_here(collection, name, fitted.frame, filename)
        recipe = {"method": "imported", "file": filename, "format": format}
        if format == "smart":
            recipe["scale"] = SCALES[scale].label
        if fitted.skipped_topics:
            recipe["topics left out"] = str(len(fitted.skipped_topics))
        qrels = store_qrels(
            fitted.frame, collection=collection, name=name, by=by, source_name=filename, description=description,
            sparse=sparse, recipe=recipe,
        )  # fmt: skip
        return Imported("qrels", fitted.counts, notes(qrels, fitted), qrels)

    return insert


def engine_frame(path: str | os.PathLike[str], filename: str) -> pl.DataFrame:
    try:
        return read_qrels(path, name=filename, max_bytes=largest_read_whole(Path(path), filename))
    except BadFile as bad:
        if not looks_like_smart(path, filename):
            raise
        hint = (
            "this looks like a SMART relevance file, as Cranfield's and CISI's; choose the format SMART and what its codes mean"
        )
        raise BadFile([Problem(filename, 0, hint), *bad.problems]) from bad


def looks_like_smart(path: str | os.PathLike[str], filename: str) -> bool:
    try:
        first = [line for _, line in islice(lines(path, name=filename, max_bytes=largest_read_whole(Path(path), filename)), 5)]
    except BadFile:
        return False
    return bool(first) and all(map(SMART_LINE.match, first))


def smart_frame(path: str | os.PathLike[str], filename: str, scale: str) -> pl.DataFrame:
    problems = ProblemList(filename)
    rows = [
        row[:3]
        for row in read_smart_qrels(path, scale=scale, max_bytes=largest_read_whole(Path(path), filename), problems=problems)
    ]
    problems.raise_if_any()
    return pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row")


def refuse_if_here(collection: Collection, name: str, frame: pl.DataFrame, filename: str) -> None:
    same = collection.qrels.filter(name=name, sha256=sha256(qrels_content(frame))).first()
    if same:
        raise BadFile.because(filename, f"these very grades are here already as “{same}”; there is nothing to import")


def notes(qrels: Qrels, fitted: Fitted) -> list[str]:
    grades = ", ".join(f"{count:,} of grade {grade}" for grade, count in qrels.grade_counts.items())
    said = [f"{counted(qrels.rows, 'grade')} for {counted(qrels.topic_count, 'topic')}: {grades}."]
    if qrels.version > 1:
        said.append(f"They are version {qrels.version} of “{qrels.name}”; the older versions stay.")
    said += fitted.notes("grades", "they count in reports, but nobody can read them here")
    twins = qrels.collection.qrels.filter(sha256=qrels.sha256).exclude(pk=qrels.pk)
    said += [f"These are exactly the grades that are here already as “{twin}”." for twin in twins]
    return said
