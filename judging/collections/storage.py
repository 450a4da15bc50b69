"""Keeping runs and qrels: an immutable Parquet file in Django's file storage, and its facts in the database."""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import polars as pl
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.db.models import Max
from django.db.models.fields.files import FieldFile

from ireval.io.columns import ids_of
from ireval.io.ordering import rank_run
from ireval.io.qrels import SUBTOPIC_SCHEMA, write_qrels
from ireval.io.runs import RUN_SCHEMA, read_run_parquet, run_facts, write_run
from judging.errors import Impossible
from judging.models import Collection, Document, Qrels, Run, Study, User

# How many ids one query asks for: every database accepts as many parameters.
PORTION = 10_000
# What a site shows of a result, as text; beside the ids that say of which.
SHOWN = ("title", "url", "snippet")
SHOWN_SCHEMA = dict.fromkeys(("topic", "docno", *SHOWN), pl.String)

Kept = TypeVar("Kept", Run, Qrels)


class Taken(Impossible):
    """The name is in use; the text says what to do."""


class MissingFile(FileNotFoundError):
    """A file of a run or of qrels that the storage has lost; the text says which and what to do."""

    def __init__(self, file: FieldFile):
        kept = file.instance
        super().__init__(
            f"The file of {kept._meta.verbose_name} “{kept}” is missing from the storage ({file.name}). Put it back "
            "from a backup, or import it again under another name."
        )


def store_run(
    frame: pl.DataFrame,
    *,
    collection: Collection,
    name: str,
    by: User,
    source_name: str = "",
    description: str = "",
    shown: pl.DataFrame | None = None,
) -> Run:
    """Keep a ranking (topic, docno, score) as a run, ordered by the evaluator's rule once and for all.

    A frame that `read_run` gave is in that order already and is kept as it is. `shown` (SHOWN_SCHEMA) is what the system's
    site shows of each result; it is kept beside the ranking, in its order.
    """
    if collection.runs.filter(name=name).exists():
        raise Taken(f"This collection already has a run “{name}”. A run never changes: give the new one another name.")
    frame = ordered(frame, tag=name)
    contents = {"file": run_content(frame)}
    if shown is not None:
        contents["shown"] = run_content(in_ranking_order(shown, frame))
    facts = run_facts(frame)
    run = Run(
        collection=collection,
        name=name,
        description=description,
        sha256=sha256(contents["file"]),
        source_name=source_name[:255],
        rows=facts.rows,
        topic_count=facts.topics,
        depth=facts.deepest,
        unknown_documents=unknown_rows(frame, collection),
        created_by=by,
    )
    return saved_with_its_files(run, **contents)


def store_qrels(
    frame: pl.DataFrame,
    *,
    collection: Collection,
    name: str,
    by: User,
    source_name: str = "",
    description: str = "",
    sparse: bool = False,
    study: Study | None = None,
    recipe: dict | None = None,
    simulated_judgements: int = 0,
) -> Qrels:
    """Keep settled grades as the next version of the qrels of this name.

    The frame has topic, docno, grade, subtopic where there is one, and confidence, p0, p1 … where it is known how sure they are.
    """
    data = qrels_content(frame)
    with transaction.atomic():
        Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # two at once must not take the same version
        newest = collection.qrels.filter(name=name).aggregate(newest=Max("version"))["newest"] or 0
        qrels = Qrels(
            collection=collection,
            name=name,
            version=newest + 1,
            description=description,
            sha256=sha256(data),
            source_name=source_name[:255],
            study=study,
            recipe=recipe or {},
            rows=frame.height,
            topic_count=frame["topic"].n_unique(),
            grade_counts={str(grade): count for grade, count in frame["grade"].value_counts().sort("grade").iter_rows()},
            sparse=sparse,
            simulated_judgements=simulated_judgements,
            created_by=by,
        )
        return saved_with_its_files(qrels, file=data)


def run_content(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    write_run(frame, content)
    return content.getvalue()


def in_ranking_order(shown: pl.DataFrame, ranking: pl.DataFrame) -> pl.DataFrame:
    """A row for each result of the ranking, with empty texts where nothing is shown of it."""
    results = ranking.select("topic", "docno")
    of_each = results.join(shown, on=["topic", "docno"], how="left", maintain_order="left", validate="1:1")
    return of_each.select(list(SHOWN_SCHEMA)).with_columns(pl.col(SHOWN).fill_null(""))


def qrels_content(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    write_qrels(frame.sort(ids_of(frame)), content, "parquet")
    return content.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def saved_with_its_files(kept: Kept, **contents: bytes) -> Kept:
    """Save the row and a file a field; if anything fails, or the transaction around it, all go: nothing is half stored."""
    with all_or_nothing() as files:
        for field, data in contents.items():
            file = getattr(kept, field)
            files.append(file)
            file.save(f"{field}.parquet", ContentFile(data), save=False)
        kept.save()
    return kept


def files_of(kept: Run | Qrels) -> list[FieldFile]:
    return [kept.file, kept.shown] if isinstance(kept, Run) else [kept.file]


_outer_files: ContextVar[list[FieldFile] | None] = ContextVar("_outer_files", default=None)


@contextmanager
def all_or_nothing() -> Iterator[list[FieldFile]]:
    """A transaction that takes files along: what was stored in it is deleted if it, or one around it, fails."""
    outer = _outer_files.get()
    files: list[FieldFile] = []
    token = _outer_files.set(files)
    try:
        with transaction.atomic():
            yield files
    except BaseException:
        for file in files:
            file.delete(save=False)
        raise
    finally:
        _outer_files.reset(token)
    if outer is not None:
        outer += files


def ordered(frame: pl.DataFrame, *, tag: str) -> pl.DataFrame:
    """The frame with all that a stored run has: topics in string order, each in the evaluator's order, ranks and a tag."""
    if frame.columns == list(RUN_SCHEMA):
        return frame
    ranked = rank_run(frame.with_columns(tag=pl.lit(tag)).sort("topic", maintain_order=True))
    return ranked.select(list(RUN_SCHEMA)).cast({"score": pl.Float64, "tag": pl.Categorical})


def unknown_rows(frame: pl.DataFrame, collection: Collection) -> int:
    """How many rows name a document that the collection does not hold; 0 where it holds no documents at all."""
    if not Document.objects.filter(collection=collection).exists():
        return 0
    known = known_docnos(collection, frame["docno"].unique())
    return frame.filter(~pl.col("docno").is_in(known.implode())).height


def known_docnos(collection: Collection, docnos: Iterable[str]) -> pl.Series:
    """Those of the ids that the collection has documents for, asked for in portions."""
    wanted = list(docnos)
    known: list[str] = []
    for start in range(0, len(wanted), PORTION):
        portion = Document.objects.filter(collection=collection, docno__in=wanted[start : start + PORTION])
        known += portion.values_list("docno", flat=True)
    return pl.Series("docno", known, dtype=pl.String)


def document_ids(study: Study, docnos: list[str]) -> dict[str, int]:
    """Primary keys of the pooled documents, asked for in portions that every database accepts."""
    found: dict[str, int] = {}
    for start in range(0, len(docnos), 10_000):
        portion = docnos[start : start + 10_000]
        found |= Document.objects.filter(collection=study.collection, docno__in=portion).values_list("docno", "id")
    return found


def run_frame(run: Run, *, topic: str | None = None, columns: Iterable[str] | None = None) -> pl.DataFrame:
    """A stored run: all of it, or one topic or some columns without reading the rest."""
    return read_run_parquet(source(run.file), topic=topic, columns=columns)


def shown_frame(run: Run, topics: Iterable[str] | None = None) -> pl.DataFrame | None:
    """What the system's site shows of each result (SHOWN_SCHEMA), in the run's order; None if nobody said when it came.

    All of it, or some topics' without reading the rest.
    """
    if not run.shown:
        return None
    scan = pl.scan_parquet(source(run.shown), glob=False)
    if topics is not None:
        scan = scan.filter(pl.col("topic").is_in(pl.Series(list(topics), dtype=pl.String).implode()))
    return scan.collect()


def qrels_frame(qrels: Qrels, *, topic: str | None = None) -> pl.DataFrame:
    """Stored qrels: topic, docno, grade, and subtopic where they have any; all of them, or one topic's."""
    scan = pl.scan_parquet(source(qrels.file), glob=False)
    wanted = scan.select([column for column in scan.collect_schema() if column in SUBTOPIC_SCHEMA])
    return (wanted if topic is None else wanted.filter(pl.col("topic") == topic)).collect()


def posteriors(qrels: Qrels) -> pl.DataFrame | None:
    """How sure the grades are: topic, docno, grade, confidence, and how likely each grade is (p0, p1 …). None if nobody knows."""
    found = qrels_table(qrels)
    return found if "confidence" in found.columns else None


def qrels_table(qrels: Qrels) -> pl.DataFrame:
    """All that is stored."""
    return pl.read_parquet(source(qrels.file), glob=False)


def has_grades(qrels: Qrels, frame: pl.DataFrame) -> bool:
    """Whether the qrels are these very grades, however sure."""
    if qrels.rows != frame.height:
        return False
    try:
        here = qrels_frame(qrels)
    except MissingFile:  # whoever brings these grades again shall not be sent away
        return False
    return set(here.columns) <= set(frame.columns) and here.rows() == frame.sort(ids_of(frame)).select(here.columns).rows()


def source(file: FieldFile) -> str | io.BytesIO:
    """What polars reads from: the path where the storage has one, so that it skips what it need not read; else the bytes."""
    try:
        path = file.path
    except NotImplementedError:
        with opened(file) as stored:
            return io.BytesIO(stored.read())
    if not os.path.exists(path):
        raise MissingFile(file)
    return path


def opened(file: FieldFile) -> File:
    try:
        return file.open("rb")
    except FileNotFoundError:
        raise MissingFile(file) from None
