"""Qrels from before their grades were rows: each file is read into rows, and waits in the trash for 30 days."""

import io
from functools import partial

import polars as pl
from django.core.files.storage import default_storage
from django.db import transaction

from judging.collections import grades, orphans, qrels_cache
from judging.models import Qrels


class WrongFile(ValueError):
    """The stored file is not the one that was imported."""


def read_all(model: type[Qrels] = Qrels) -> list[str]:
    """Read what is not in rows yet; which qrels stay in want of a file, and why. A migration gives the model of its own time."""
    problems = []
    for qrels in model.objects.exclude(file=""):
        name = str(qrels.file)
        try:
            with transaction.atomic():
                read(qrels, name)
        except Exception as error:  # whatever it is: no upgrade fails for one file, which stays where it is
            problems.append(f"qrels “{qrels.name}” v{qrels.version} of collection {qrels.collection_id}, {name}: {error}")
        else:
            transaction.on_commit(partial(orphans.move, name, f"{orphans.TRASH}/{name}"), robust=True)
    return problems


def read(qrels: Qrels, name: str) -> None:
    with default_storage.open(name) as file:
        content = file.read()
    if qrels_cache.hash_of(content) != qrels.sha256:
        raise WrongFile("its hash is not that of the file that was imported")
    frame = grades.ordered_grades(pl.read_parquet(io.BytesIO(content)))
    grades.insert(frame, qrels.pk)
    qrels.columns, qrels.cache, qrels.file = frame.columns, qrels.sha256, ""
    qrels.save(update_fields=["columns", "cache", "file"])
