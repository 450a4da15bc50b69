"""Importing a run: one system's rankings, kept as they are from then on."""

import os

import polars as pl

from ireval.io.files import BadFile
from ireval.io.row_lines import located_run
from ireval.io.runs import read_run
from ireval.translatable import Phrase
from judging.collections.imports.fit import FittedRows
from judging.collections.imports.kept_files import bounded, check_kept, source_of, twins
from judging.collections.imports.outcome import ImportResult, Insert, Progress, insert_whole, number_with_noun, say_nothing
from judging.collections.qrels_cache import hash_of
from judging.collections.storage import run_content, shown_frame, store_run
from judging.models import Collection, Run, User


def import_run(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
    """Read, check and keep one run; see check_run."""
    return insert_whole(check_run(collection, path, by=by, **options))


def check_run(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    name: str = "",
    format: str = "auto",
    description: str = "",
    skip_unknown_topics: bool = False,
    progress: Progress = say_nothing,
) -> Insert:
    """Read a TREC run or a Parquet table (told apart by what it holds) and check it against the collection.

    Its name is the file's where none is given. Raises BadFile as read_run and fit do, and for a name that is taken.
    """
    source = source_of(path, filename, bounded(read_run), bounded(located_run))

    def refuse(name: str, frame: pl.DataFrame) -> None:
        refuse_if_taken(collection, name, frame, source.filename)

    def keep(name: str, fitted: FittedRows) -> ImportResult:
        run = store_run(
            fitted.frame, collection=collection, name=name, by=by, source_name=source.filename, description=description
        )
        return ImportResult("run", fitted.counts, notes(run, fitted), run)

    return check_kept(
        source, collection, name=name, skip_unknown_topics=skip_unknown_topics, progress=progress, refuse=refuse, keep=keep
    )


def refuse_if_taken(
    collection: Collection, name: str, frame: pl.DataFrame, filename: str, shown: pl.DataFrame | None = None
) -> None:
    here = collection.runs.filter(name=name).first()
    if here and here.sha256 == hash_of(run_content(frame)) and shows_same(here, shown):
        same = Phrase("this very run is here already as “%(name)s”; there is nothing to import", name=name)
        raise BadFile.because(filename, same)
    if here:
        another = Phrase("there is another run “%(name)s” already; a run never changes, so give this one its own name", name=name)
        raise BadFile.because(filename, another)


def shows_same(run: Run, shown: pl.DataFrame | None) -> bool:
    """Whether the site shows this of the run's results, or nobody knows what it shows."""
    kept = shown_frame(run)
    return kept is None if shown is None else kept is not None and kept.equals(shown)


def notes(run: Run, fitted: FittedRows) -> list[Phrase]:
    sentences = [facts(run)]
    sentences += fitted.notes(Phrase("results"), Phrase("they can be evaluated, but not judged"))
    return sentences + twins(run)


def facts(run: Run) -> Phrase:
    return Phrase(
        "%(results)s for %(topics)s, at most %(depth)s deep.",
        results=number_with_noun(run.rows, "result"),
        topics=number_with_noun(run.topic_count, "topic"),
        depth=f"{run.depth:,}",
    )
