"""Reads stored runs and qrels into the engine's frames, and makes sure that they are still what they were."""

import hashlib
import io
from typing import cast

import polars as pl
from django.core.files.base import File

from judging.collections.storage import qrels_frame, run_frame
from judging.models import Qrels, Run


class Unreadable(ValueError):
    """Stored evidence that cannot be used; the text says which and what to do."""


def ranking(run: Run) -> pl.DataFrame:
    """The run's rows (topic, docno, score, rank …), topics in string order, each in the evaluator's order."""
    return checked(run, "run", run_frame)


def grades(qrels: Qrels) -> pl.DataFrame:
    """The qrels' rows: topic, docno, grade."""
    return checked(qrels, "qrels", qrels_frame)


def checked(evidence, kind: str, read) -> pl.DataFrame:
    try:
        if digest(evidence.file) != evidence.sha256:
            raise Unreadable(
                f"The stored file of {kind} “{evidence}” is not the one that was imported: its hash differs. {REMEDY}"
            )
        return read(evidence)
    except FileNotFoundError:
        raise Unreadable(f"The stored file of {kind} “{evidence}” is missing ({evidence.file.name}). {REMEDY}")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Unreadable(f"The stored file of {kind} “{evidence}” can't be read: {error}. {REMEDY}")


REMEDY = "Put the file back from a backup, or import it again under another name and ask for a new report."


def digest(file: File) -> str:
    with file.open("rb") as stored:
        return hashlib.file_digest(cast(io.BufferedReader, stored), "sha256").hexdigest()
