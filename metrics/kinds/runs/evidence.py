"""Evidence of a report on runs: stored runs and qrels as the engine's frames, with files of runs checked by their hash."""

import hashlib
import io
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import polars as pl
from django.core.files.base import File

from ireval.translatable import Phrase
from judging.collections.duplicate_search import groups_frame
from judging.collections.storage import MissingGrades, qrels_frame, restore_cache, run_frame
from judging.models import NearDuplicates, Qrels, Run
from metrics.kinds.runs.rules import counts_once
from metrics.models import Report
from metrics.pipeline import CannotCompute

log = logging.getLogger(__name__)

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


class Unreadable(CannotCompute):
    """Stored evidence cannot be used; the text says which and what to do."""


def ranking(run: Run) -> pl.DataFrame:
    """The run's rows (topic, docno, score, rank …), topics in string order, documents in the evaluator's order."""
    return checked(run, run_frame)


def grades(qrels: Qrels) -> pl.DataFrame:
    """The qrels' rows: topic, docno, grade."""
    with grades_required():
        return qrels_frame(qrels)


def duplicates(spec: Mapping[str, Any]) -> pl.DataFrame | None:
    """The groups of near-duplicates that a report counts once (docno and group); None where it counts every document."""
    return groups_frame(NearDuplicates.objects.get(pk=spec["duplicates"]["id"])) if counts_once(spec) else None


def made_anew(report: Report) -> list[int]:
    """The keys of the report's qrels whose Parquet file was missing or damaged, and has just been made anew from their rows."""
    with grades_required():
        return [qrels.pk for qrels in Qrels.objects.filter(pk__in=report.parts.values("qrels")) if restore_cache(qrels)]


@contextmanager
def grades_required() -> Iterator[None]:
    try:
        yield
    except MissingGrades as reason:
        log.warning("%s", reason)
        raise Unreadable(reason.why) from reason


def checked(run: Run, read: Callable[[Run], Frame]) -> Frame:
    """What `read` gives of a run. Raises Unreadable if its file is missing, damaged or not the one imported.

    Where the file lies is for the log: a report's readers may not be those of the storage.
    """
    try:
        if digest(run.file) != run.sha256:
            another = Phrase("The stored file of run “%(run)s” is not the one that was imported: its hash differs.", run=str(run))
            raise Unreadable(with_remedy(another))
        return read(run)
    except FileNotFoundError:
        log.warning("The file of run “%s” is missing: %s", run, run.file.name)
        raise Unreadable(with_remedy(Phrase("The stored file of run “%(run)s” is missing.", run=str(run))))
    except (OSError, pl.exceptions.PolarsError) as error:
        log.warning("The file of run “%s” cannot be read: %s: %s", run, run.file.name, error)
        raise Unreadable(with_remedy(Phrase("The stored file of run “%(run)s” is damaged or can't be read.", run=str(run))))


def with_remedy(broken: Phrase) -> Phrase:
    return Phrase(
        "%(broken)s Put the file back from a backup, or import it again under another name and ask for a new report.",
        broken=broken,
    )


def digest(file: File) -> str:
    with file.open("rb") as stored:
        return hashlib.file_digest(cast(io.BufferedReader, stored), "sha256").hexdigest()
