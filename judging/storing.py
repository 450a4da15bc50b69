"""Keeping runs and qrels: an immutable Parquet file in Django's file storage, and its facts in the database."""

import hashlib
import io
from typing import TypeVar

import polars as pl
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max

from judging.models import Collection, Document, Qrels, Run, Study, User
from metrics.engine.qrels import write_qrels
from metrics.engine.runs import order_run, read_run_parquet, run_facts, write_run


Kept = TypeVar("Kept", Run, Qrels)


class Taken(ValueError):
    """The name is in use; the text says what to do."""


def store_run(
    frame: pl.DataFrame, *, collection: Collection, name: str, by: User, source_name: str = "", description: str = ""
) -> Run:
    """Keep a ranking (topic, docno, score) as a run, ordered by the evaluator's rule once and for all."""
    if collection.runs.filter(name=name).exists():
        raise Taken(f"This collection already has a run “{name}”. A run never changes: give the new one another name.")
    frame = order_run(frame)
    content = io.BytesIO()
    write_run(frame, content)
    data = content.getvalue()
    facts = run_facts(frame)
    run = Run(
        collection=collection,
        name=name,
        description=description,
        sha256=hashlib.sha256(data).hexdigest(),
        source_name=source_name[:255],
        rows=facts.rows,
        topic_count=facts.topics,
        depth=facts.deepest,
        unknown_documents=unknown_rows(frame, collection),
        created_by=by,
    )
    run.file.save("run.parquet", ContentFile(data), save=False)
    return saved_with_its_file(run)


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
    """Keep settled grades (topic, docno, grade) as the next version of the qrels of this name."""
    frame = frame.select("topic", "docno", "grade").sort("topic", "docno")
    content = io.BytesIO()
    write_qrels(frame, content, "parquet")
    data = content.getvalue()
    with transaction.atomic():
        Collection.objects.select_for_update().get(pk=collection.pk)  # two at once must not take the same version
        newest = collection.qrels.filter(name=name).aggregate(newest=Max("version"))["newest"] or 0
        qrels = Qrels(
            collection=collection,
            name=name,
            version=newest + 1,
            description=description,
            sha256=hashlib.sha256(data).hexdigest(),
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
        qrels.file.save("qrels.parquet", ContentFile(data), save=False)
        return saved_with_its_file(qrels)


def saved_with_its_file(kept: Kept) -> Kept:
    """Save the row; if that fails the file goes too, so that nothing is half stored."""
    try:
        with transaction.atomic():
            kept.save()
    except BaseException:
        kept.file.delete(save=False)
        raise
    return kept


def unknown_rows(frame: pl.DataFrame, collection: Collection) -> int:
    """How many rows name a document that the collection does not hold; 0 where it holds no documents at all."""
    known = list(Document.objects.filter(collection=collection).values_list("docno", flat=True))
    if not known:
        return 0
    return frame.filter(~pl.col("docno").is_in(pl.Series(known, dtype=pl.String).implode())).height


def run_frame(run: Run) -> pl.DataFrame:
    with run.file.open("rb") as stored:
        return read_run_parquet(stored)


def qrels_frame(qrels: Qrels) -> pl.DataFrame:
    with qrels.file.open("rb") as stored:
        return pl.read_parquet(stored.read())
