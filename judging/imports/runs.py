"""Importing a run: one system's rankings, kept as they are from then on."""

import os
from pathlib import Path

import polars as pl

from judging.models import Collection, Run, User
from judging.storing import run_content, sha256, store_run
from metrics.engine.files import BadFile
from metrics.engine.runs import read_run

from .fitting import Fitted, fit
from .imported import Imported, Insert, Progress, counted, insert_whole, largest_read_whole, lock, say_nothing
from .naming import name_for


def import_run(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> Imported:
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

    Its name is the file's where none is given. Raises BadFile as read_run does, for topics that the collection lacks (unless
    they are to be skipped), for a file without any known document, and for a name that is taken.
    """
    filename = filename or Path(path).name
    name = name_for(name, filename)
    frame = read_run(path, name=filename, max_bytes=largest_read_whole(Path(path), filename))
    progress(frame.height)
    fitted = fit(frame, collection, Path(path), filename=filename, skip_unknown_topics=skip_unknown_topics)
    refuse_if_taken(collection, name, fitted.frame, filename)

    def insert() -> Imported:
        lock(collection)
        refuse_if_taken(collection, name, fitted.frame, filename)
        run = store_run(fitted.frame, collection=collection, name=name, by=by, source_name=filename, description=description)
        return Imported("run", fitted.counts, notes(run, fitted), run)

    return insert


def refuse_if_taken(collection: Collection, name: str, frame: pl.DataFrame, filename: str) -> None:
    here = collection.runs.filter(name=name).first()
    if here and here.sha256 == sha256(run_content(frame)):
        raise BadFile.because(filename, f"this very run is here already as “{name}”; there is nothing to import")
    if here:
        raise BadFile.because(
            filename, f"there is another run “{name}” already; a run never changes, so give this one its own name"
        )


def notes(run: Run, fitted: Fitted) -> list[str]:
    said = [f"{counted(run.rows, 'result')} for {counted(run.topic_count, 'topic')}, at most {run.depth:,} deep."]
    said += fitted.notes("results", "they can be evaluated, but not judged")
    twins = run.collection.runs.filter(sha256=run.sha256).exclude(pk=run.pk)
    said += [f"This is exactly the ranking that is here already as “{twin}”." for twin in twins]
    return said
