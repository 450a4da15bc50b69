"""Importing qrels: grades that somebody settled elsewhere, kept as a version of their own."""

import os
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path

import polars as pl

from ireval.io.files import BadFile, Problem, ProblemList
from ireval.io.qrels import QRELS_SCHEMA, read_qrels
from ireval.io.recognition import recognise_file
from ireval.io.recognition.bare_columns import THREE_NUMBERS
from ireval.io.row_lines import located, located_qrels
from ireval.translatable import Phrase
from judging.collections.grades import refuse_ids
from judging.collections.imports.fit import FittedRows
from judging.collections.imports.kept_files import bounded, check_kept, source_of
from judging.collections.imports.outcome import ImportResult, Insert, Progress, insert_whole, number_with_noun, say_nothing
from judging.collections.parsers import SCALES, read_smart_qrels
from judging.collections.storage import has_grades, store_qrels
from judging.models import Collection, Qrels, User

FORMATS = {
    "auto": "Tell from the file (TREC, BEIR, CSV, JSON Lines, Parquet, Cranfield’s and CISI’s)",
    "subtopics": "TREC with the subtopic in the second column, even if no document has two",
    "smart": "SMART, as Cranfield and CISI",
}


def import_qrels(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
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

    Where they grade by subtopic, the subtopics are kept. Cranfield's and CISI's files are known without being told of. Three
    columns of numbers alone are not: nothing says whether 1 is their best grade or their worst.

    Under a name that is taken they become its next version, whether that was imported or settled. Raises BadFile as the
    readers and fit do, and for the very grades of the newest version.
    """
    if format == "auto" and (recognition := recognise_file(path)).format == "smart":
        format, scale = recognition.format, recognition.options.get("scale", scale)
    source = source_of(path, filename, *readers(format, scale))
    recipe = {"method": "imported", "file": source.filename, "format": format} | scale_read(format, scale)

    def refuse(name: str, frame: pl.DataFrame) -> None:
        refuse_if_here(collection, name, frame, source.filename)

    def keep(name: str, fitted: FittedRows) -> ImportResult:
        by_subtopic = {"subtopics": f"{subtopics:,}"} if (subtopics := count_subtopics(fitted.frame)) else {}
        left_out = {"topics left out": str(len(fitted.skipped_topics))} if fitted.skipped_topics else {}
        qrels = store_qrels(
            fitted.frame, collection=collection, name=name, by=by, source_name=source.filename, description=description,
            sparse=sparse, recipe=recipe | by_subtopic | left_out,
        )  # fmt: skip
        return ImportResult("qrels", fitted.counts, notes(qrels, fitted), qrels)

    return check_kept(
        source, collection, name=name, skip_unknown_topics=skip_unknown_topics, progress=progress, refuse=refuse, keep=keep
    )


def readers(format: str, scale: str) -> tuple[Callable, Callable]:
    """What reads a whole file, and what reads the lines of a broken one."""
    if format == "smart":
        return partial(smart_frame, scale=scale), partial(located_smart, scale=scale)
    return partial(engine_frame, subtopics=format == "subtopics"), bounded(located_qrels)


def scale_read(format: str, scale: str) -> dict[str, str]:
    return {"scale": SCALES[scale].label} if format == "smart" else {}


def engine_frame(path: Path, *, name: str, max_bytes: int, subtopics: bool) -> pl.DataFrame:
    try:
        frame = bounded(read_qrels)(path, name=name, max_bytes=max_bytes, subtopics=subtopics)
    except BadFile as bad:
        if (recognition := recognise_file(path)).because != THREE_NUMBERS:
            raise
        raise BadFile([Problem(name, 0, recognition.because), *bad.problems]) from bad
    refuse_ids(frame, name)
    return frame


def smart_frame(path: Path, *, name: str, max_bytes: int, scale: str) -> pl.DataFrame:
    problems = ProblemList(name)
    rows = [row[:3] for row in read_smart_qrels(path, scale=scale, max_bytes=max_bytes, problems=problems)]
    problems.raise_if_any()
    return pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row")


def located_smart(path: Path, *, name: str, max_bytes: int, scale: str, last: int | None) -> pl.DataFrame:
    judgements = read_smart_qrels(path, scale=scale, max_bytes=max_bytes, problems=ProblemList(name))
    return located(((row.line, row.topic, row.docno, str(row.grade), "") for row in judgements), last)


def count_subtopics(frame: pl.DataFrame) -> int:
    return frame.select("topic", "subtopic").n_unique() if "subtopic" in frame.columns else 0


def refuse_if_here(collection: Collection, name: str, frame: pl.DataFrame, filename: str) -> None:
    newest = collection.qrels.filter(name=name).order_by("version").last()
    if newest and has_grades(newest, frame):
        same = Phrase("these very grades are here already as “%(name)s”; there is nothing to import", name=str(newest))
        raise BadFile.because(filename, same)


def notes(qrels: Qrels, fitted: FittedRows) -> list[Phrase]:
    sentences = [facts(qrels)]
    if subtopics := count_subtopics(fitted.frame):
        by_subtopic = Phrase(
            "They are by %(subtopics)s: intent-aware measures tell these apart, all other measures take a document's highest "
            "grade.",
            subtopics=number_with_noun(subtopics, "subtopic"),
        )
        sentences.append(by_subtopic)
    if qrels.version > 1:
        newer = {"version": qrels.version, "name": qrels.name}
        sentences.append(Phrase("They are version %(version)s of “%(name)s”; the older versions stay.", **newer))
    sentences += fitted.notes(Phrase("grades"), Phrase("they count in reports, but nobody can read them here"))
    same = twins(qrels, fitted.frame)
    return sentences + [
        Phrase("These are exactly the grades that are here already as “%(qrels)s”.", qrels=str(other)) for other in same
    ]


def facts(qrels: Qrels) -> Phrase:
    """How many grades there are, and how many of each."""
    counts = [Phrase("%(n)s of grade %(grade)s", n=f"{n:,}", grade=grade) for grade, n in qrels.grade_counts.items()]
    return Phrase(
        "%(grades)s for %(topics)s: %(counts)s.",
        grades=number_with_noun(qrels.rows, "grade"),
        topics=number_with_noun(qrels.topic_count, "topic"),
        counts=reduce(lambda phrase, other: Phrase("%(one)s, %(other)s", one=phrase, other=other), counts),
    )


def twins(qrels: Qrels, frame: pl.DataFrame) -> list[Qrels]:
    """Others of the collection with these grades. Their files may differ: settled ones also say how sure each grade is."""
    others = Qrels.objects.filter(collection=qrels.collection_id, rows=qrels.rows, topic_count=qrels.topic_count)
    alike = [other for other in others.exclude(pk=qrels.pk) if other.grade_counts == qrels.grade_counts]
    return [other for other in alike if has_grades(other, frame)]
