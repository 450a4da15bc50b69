"""Stored files that no row names: what is left of a process that was killed after it stored a file and before it committed.

The same is left where one is killed between deleting a row and deleting its file.
"""

import contextlib
import logging
from collections.abc import Iterator
from datetime import timedelta

from django.core.files.storage import default_storage
from django.utils import timezone

from judging.models import Qrels, Run
from judging.storing import files_of

log = logging.getLogger(__name__)

# Where the models keep their files, a folder a collection (run_path, qrels_path).
FOLDERS: dict[str, type[Run] | type[Qrels]] = {"runs": Run, "qrels": Qrels}
# The row of a younger file may be about to be committed.
OLD = timedelta(days=1)


def delete_orphans() -> None:
    for folder, model in FOLDERS.items():
        named = {file.name for kept in model.objects.iterator() for file in files_of(kept)}
        for name in files_in(folder):
            if name not in named:
                delete_if_old(name)


def delete_if_old(name: str) -> None:
    with contextlib.suppress(FileNotFoundError):  # whoever deleted its row is deleting it as well
        if default_storage.get_modified_time(name) < timezone.now() - OLD:
            default_storage.delete(name)
            log.warning("deleted %s, a stored file that no row names", name)


def files_in(folder: str) -> Iterator[str]:
    """The names of all files that lie one folder deeper."""
    for collection in listed(folder)[0]:
        yield from (f"{folder}/{collection}/{file}" for file in listed(f"{folder}/{collection}")[1])


def listed(folder: str) -> tuple[list[str], list[str]]:
    """The folders and files in a folder; none where nothing has been stored yet, or not any more."""
    try:
        return default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
