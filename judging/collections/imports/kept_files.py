"""Files of runs and qrels: read, compared with the collection, kept whole under a name."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import polars as pl

from ireval.io.sandbox import read_apart
from ireval.io.tables import is_parquet
from ireval.translatable import Phrase
from judging.collections.imports.file_names import name_for
from judging.collections.imports.fit import FittedRows, Source, fit
from judging.collections.imports.outcome import ImportResult, Insert, Progress, lock
from judging.collections.size_limits import largest_read_whole
from judging.models import Collection, Run

Read = Callable[..., pl.DataFrame]


def bounded(read: Read) -> Read:
    """A reader of the engine, which reads Parquet in a process of its own: nobody knows before what that unpacks to."""

    @wraps(read)
    def reader(path: Path, **options: Any) -> pl.DataFrame:
        return read_apart(read, path, **options) if is_parquet(path) else read(path, **options)

    return reader


def source_of(path: str | os.PathLike[str], filename: str, reader: Read, locator: Read, *, any_documents: bool = False) -> Source:
    path = Path(path)
    filename = filename or path.name
    return Source(path, filename, largest_read_whole(path, filename), reader, locator, any_documents)


def check_kept(
    source: Source,
    collection: Collection,
    *,
    name: str,
    skip_unknown_topics: bool,
    progress: Progress,
    refuse: Callable[[str, pl.DataFrame], None],
    keep: Callable[[str, FittedRows], ImportResult],
) -> Insert:
    """Read and check now, keep later. `refuse` raises BadFile for what is here already: now, and once nobody else imports."""
    name = name_for(name, source.filename)
    fitted = fit(source, collection, skip_unknown_topics=skip_unknown_topics)
    progress(fitted.frame.height)
    refuse(name, fitted.frame)

    def insert() -> ImportResult:
        lock(collection)
        refuse(name, fitted.frame)
        return keep(name, fitted)

    return insert


def twins(run: Run) -> list[Phrase]:
    others = Run.objects.filter(collection=run.collection_id, sha256=run.sha256).exclude(pk=run.pk)
    return [Phrase("This is exactly the ranking that is here already as “%(run)s”.", run=str(other)) for other in others]
