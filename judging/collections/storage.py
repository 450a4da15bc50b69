"""The storage of runs and qrels: a run is an immutable Parquet file in Django's file storage, qrels are rows. The facts about
both are in the database."""

import io
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import polars as pl
from django.contrib.auth.models import AnonymousUser
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.db.models import Max
from django.db.models.fields.files import FieldFile
from django.utils.translation import gettext as _

from ireval.io.columns import ids_of
from ireval.io.qrels import SUBTOPIC_SCHEMA
from ireval.io.rank_order import rank_run
from ireval.io.runs import RUN_SCHEMA
from ireval.io.stored_runs import read_run_parquet, run_facts, write_rows
from ireval.translatable import Phrase
from judging.access import may_mend
from judging.collections import grades, local_copies, qrels_cache
from judging.collections.qrels_cache import hash_of
from judging.errors import Impossible
from judging.models import ArchiveFile, Attachment, Collection, Document, Image, Qrels, Run, Study, User
from judging.text.library_words import in_reader_language

# How many ids one query asks for: every database accepts as many parameters.
PORTION = 10_000
# What a site shows of a result, as text; beside the ids that say of which.
SHOWN = ("title", "url", "snippet")
SHOWN_SCHEMA = dict.fromkeys(("topic", "docno", *SHOWN), pl.String)

# What files are kept of, as sentences say it.
KEPT = {"run": Phrase("run"), "qrels": Phrase("qrels"), "image": Phrase("image"), "attachment": Phrase("attachment")}

log = logging.getLogger(__name__)


class NameTaken(Impossible):
    """The name is in use; the text says what to do."""

    field = "name"


class MissingFile(FileNotFoundError):
    """A file of a run that the storage has lost.

    `why` says of which run and what to do, as readers of a failed report are told, too. The text also says which file it is.
    """

    def __init__(self, file: FieldFile):
        kept: Any = file.instance
        self.kept: Run | Qrels | Image | Attachment = kept
        self.why = Phrase(
            "The file of %(what)s “%(name)s” is missing from the storage. Put it back from a backup, or import it again under "
            "another name.",
            what=KEPT[str(kept._meta.model_name)],
            name=str(kept),
        )
        self.tell_file(file)

    def tell_file(self, file: FieldFile) -> None:
        self.file = file.name
        super().__init__(self.with_file(self.why))

    def with_file(self, why: str) -> str:
        return f"{why} ({self.file})" if self.file else why

    def told_to(self, user: User | AnonymousUser) -> str:
        """Whoever may mend it reads what is missing and what to do, others only that it is so."""
        if may_mend(user, self.kept):
            return self.with_file(in_reader_language(self.why))
        return _("A file that this needs is missing. Please tell whoever invited you, or whoever owns the collection.")


class MissingGrades(MissingFile):
    """Grades that are not in the database: their file was lost before grades were rows, or somebody has deleted rows."""

    def __init__(self, qrels: Qrels):
        self.kept = qrels
        if qrels.file:
            self.why = Phrase(
                "The database lacks grades of qrels “%(qrels)s”: its file is missing from the storage, or damaged. Put it back "
                "from a backup and run manage.py read_qrels, or import them again under another name.",
                qrels=str(qrels),
            )
        else:
            self.why = Phrase(
                "The database lacks grades of qrels “%(qrels)s”: rows were deleted. Restore a backup, or import them again under "
                "another name.",
                qrels=str(qrels),
            )
        self.tell_file(qrels.file)


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
        raise NameTaken(f"This collection already has a run “{name}”. A run never changes: give the new one another name.")
    frame = ordered_run(frame, tag=name)
    contents = {"file": run_content(frame)}
    if shown is not None:
        contents["shown"] = run_content(in_ranking_order(shown, frame))
    facts = run_facts(frame)
    run = Run(
        collection=collection,
        name=name,
        description=description,
        sha256=hash_of(contents["file"]),
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

    The frame has topic, docno and grade; subtopic where there is one. It has confidence, p0, p1 … where it is known how sure the
    grades are, and votes where their number is known.
    """
    frame = grades.ordered_grades(frame)
    content = qrels_cache.content_of(frame)
    digest = hash_of(content)
    with transaction.atomic():
        Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # two at once must not take the same version
        newest = collection.qrels.filter(name=name).aggregate(newest=Max("version"))["newest"] or 0
        qrels = Qrels(
            collection=collection,
            name=name,
            version=newest + 1,
            description=description,
            sha256=digest,
            cache=digest,
            columns=frame.columns,
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
        qrels.save()
        grades.insert(frame, qrels.pk)
        transaction.on_commit(lambda: qrels_cache.keep(qrels, content))
        return qrels


def run_content(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    write_rows(frame, content)
    return content.getvalue()


def in_ranking_order(shown: pl.DataFrame, ranking: pl.DataFrame) -> pl.DataFrame:
    """A row for each result of the ranking, with empty texts where nothing is shown of it."""
    results = ranking.select("topic", "docno")
    of_each = results.join(shown, on=["topic", "docno"], how="left", maintain_order="left", validate="1:1")
    return of_each.select(list(SHOWN_SCHEMA)).with_columns(pl.col(SHOWN).fill_null(""))


def saved_with_its_files(run: Run, **contents: bytes) -> Run:
    """Save the row and a file a field; if anything fails, or the transaction around it, all go: nothing is half stored."""
    with all_or_nothing() as files:
        for field, data in contents.items():
            file = getattr(run, field)
            files.append(file)
            file.save(f"{field}.parquet", ContentFile(data), save=False)
            local_copies.flush_stored(file.name)
        run.save()
    return run


def files_of(kept: Run | Qrels | Image | Attachment | ArchiveFile) -> list[str]:
    """The names of the stored files that belong to it."""
    names = [kept.file.name]
    if isinstance(kept, Run):
        names.append(kept.shown.name)
    elif isinstance(kept, Qrels):
        names.append(qrels_cache.name_of(kept))
    return [name for name in names if name]


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


def ordered_run(frame: pl.DataFrame, *, tag: str) -> pl.DataFrame:
    """The frame with all that a stored run has: topics in string order, each in the evaluator's order, ranks and a tag."""
    if frame.columns == list(RUN_SCHEMA):
        return frame
    ranked = rank_run(frame.with_columns(tag=pl.lit(tag)).sort("topic", maintain_order=True))
    return ranked.select(list(RUN_SCHEMA)).cast({"score": pl.Float64, "tag": pl.Categorical})


def unknown_rows(frame: pl.DataFrame, collection: Collection) -> int:
    """How many rows name a document that the collection does not hold; 0 where it holds no documents at all."""
    if not Document.objects.filter(collection=collection).exists():
        return 0
    docnos = known_docnos(collection, frame["docno"].unique())
    return frame.filter(~pl.col("docno").is_in(docnos.implode())).height


def known_docnos(collection: Collection, docnos: Iterable[str]) -> pl.Series:
    """The ids among these that the collection has documents for."""
    return pl.Series("docno", list(document_ids(collection, docnos)), dtype=pl.String)


def document_ids(collection: Collection, docnos: Iterable[str]) -> dict[str, int]:
    """Primary keys of the documents that the collection has, by docno; asked for in portions."""
    wanted = list(docnos)
    keys: dict[str, int] = {}
    for start in range(0, len(wanted), PORTION):
        portion = Document.objects.filter(collection=collection, docno__in=wanted[start : start + PORTION])
        keys |= portion.values_list("docno", "pk")
    return keys


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
    frame = qrels_table(qrels) if topic is None else read_grades(qrels, topic)
    return frame.select(column for column in frame.columns if column in SUBTOPIC_SCHEMA)


def posteriors(qrels: Qrels) -> pl.DataFrame | None:
    """How sure the grades are: topic, docno, grade, votes, confidence, how likely each grade is (p0 …); None if nobody knows."""
    return qrels_table(qrels) if "confidence" in qrels.columns else None


def qrels_table(qrels: Qrels) -> pl.DataFrame:
    """All columns that are stored. They are read from the rows' Parquet file, which is made anew if it is missing."""
    content = qrels_cache.read(qrels)
    return make_cache_anew(qrels) if content is None else pl.read_parquet(content)


def restore_cache(qrels: Qrels) -> bool:
    """Make the qrels' Parquet file anew from their rows if it is missing or damaged; return whether it was."""
    missing = qrels_cache.read(qrels) is None
    if missing:
        make_cache_anew(qrels)
    return missing


def make_cache_anew(qrels: Qrels) -> pl.DataFrame:
    frame = read_grades(qrels)
    log.info("%s is made anew from its %d rows", qrels_cache.about(qrels), frame.height)
    qrels_cache.keep(qrels, qrels_cache.content_of(frame))
    return frame


def read_grades(qrels: Qrels, topic: str | None = None) -> pl.DataFrame:
    frame = grades.read(qrels, topic) if qrels.columns else None
    if frame is None or (topic is None and frame.height != qrels.rows):
        raise MissingGrades(qrels)
    return frame


def has_grades(qrels: Qrels, frame: pl.DataFrame) -> bool:
    """Whether the qrels are these very grades, however sure."""
    if qrels.rows != frame.height:
        return False
    try:
        here = qrels_frame(qrels)
    except MissingGrades:  # whoever brings these grades again shall not be sent away
        return False
    columns = [column for column in frame.columns if column in SUBTOPIC_SCHEMA]
    return set(here.columns) == set(columns) and here.rows() == frame.sort(ids_of(frame)).select(here.columns).rows()


def source(file: FieldFile) -> Path:
    """The path that polars reads from: it skips what it need not read."""
    try:
        return local_copies.path_of(str(file.name))
    except FileNotFoundError:
        raise MissingFile(file) from None


def open_file(file: FieldFile) -> File:
    try:
        return file.open("rb")
    except FileNotFoundError:
        raise MissingFile(file) from None
