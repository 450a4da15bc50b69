"""Stored files that no row names: what is left of a process that was killed after it stored a file and before it committed.

The same is left where one is killed between deleting a row and deleting its file. They wait in a trash before they are deleted.
"""

import contextlib
import logging
from datetime import datetime, timedelta

from django.core.files.storage import default_storage
from django.utils import timezone

from judging.collections import stamps
from judging.collections.local_copies import flush_stored
from judging.collections.storage import files_of
from judging.models import ArchiveFile, Attachment, Image, Installation, Qrels, Run

log = logging.getLogger(__name__)

# Where the models' files lie, one folder deeper: in that of their collection, those of grades by their names.
FOLDERS: dict[str, type[Run] | type[Qrels] | type[Image] | type[Attachment] | type[ArchiveFile]] = {
    "runs": Run, "qrels": Qrels, "images": Image, "attachments": Attachment, "logs": ArchiveFile,
}  # fmt: skip
# They hold what users did. Somebody may have been erased from them, or may be tomorrow: they do not wait in the trash.
PERSONAL = "logs/"
REMADE = "qrels/"
BRING_BACK = "Put them back from a backup that has them (tar --zstd -xf), before it is deleted."
TRASH = "trash"
# The row of a younger file may be about to be committed.
OLD = timedelta(days=1)
IN_TRASH = timedelta(days=30)
# So many files may go at once, or a tenth of all if that is more.
FEW = 10


def sweep(*, anyway: bool = False) -> str:
    """Bring orphans to the trash, and back from there what a row names. Says why not where it may be the wrong database, or what
    is missing.

    `anyway`: an admin says that the files belong to this database, and that many may go.
    """
    try:
        problem = words_for(sweep_files(anyway=anyway))
    except stamps.StorageRefused as refusal:
        problem = str(refusal)
    if problem:
        log.error(problem)
    Installation.objects.update_or_create(pk=1, defaults={"problem": problem})
    return problem


def sweep_files(*, anyway: bool) -> list[str]:
    """Says which files are missing that rows name; those of grades are made again by whoever needs them."""
    named, stored = named_files(), stored_files()
    unnamed = [name for name in stored if name not in named]
    moment = stamps.adopt() if anyway else stamps.renew(stored=len(stored), named=len(stored) - len(unnamed))
    before = min(moment, timezone.now()) - OLD
    orphans = [name for name in unnamed if is_older(name, before)]
    if not anyway and len(orphans) > max(FEW, len(stored) / 10):
        raise stamps.StorageRefused(f"{len(orphans)} of the {len(stored)} stored files are named by no row. {stamps.REMEDY}")
    for name in orphans:
        if name.startswith(PERSONAL):
            default_storage.delete(name)
            log.warning("%s, records of a site that no row names, is deleted", name)
            continue
        move(name, f"{TRASH}/{name}")
        log.warning("%s, a stored file that no row names, is in the trash for %d days", name, IN_TRASH.days)
    sweep_trash(named)
    return lost({name for name in named.difference(stored) if not name.startswith(REMADE)})


def sweep_trash(named: set[str]) -> None:
    for name in (name for folder in FOLDERS for name in files_in(f"{TRASH}/{folder}")):
        original = name.removeprefix(f"{TRASH}/")
        if original in named:
            move(name, original)
            log.warning("%s is back from the trash: a row names it", original)
        elif is_older(name, timezone.now() - IN_TRASH):
            default_storage.delete(name)


def lost(missing: set[str]) -> list[str]:
    """Of files that were missing, those that are: some were deleted with their rows meanwhile, some came back from the trash."""
    wanted = missing and missing & named_files()
    return sorted(wanted and wanted - set(stored_files()))


def words_for(names: list[str]) -> str:
    listed = ", ".join(names[:3])
    return f"Files are missing that the database names, {len(names)} of them: {listed}. {BRING_BACK}" if names else ""


def is_older(name: str, moment: datetime) -> bool:
    try:
        return default_storage.get_modified_time(name) < moment
    except FileNotFoundError:  # whoever deleted its row has deleted it as well
        return False


def move(source: str, target: str) -> None:
    """Copy, then delete: object stores cannot rename. Whoever was killed in between has left a shorter copy, or both."""
    with contextlib.suppress(FileNotFoundError):
        if not default_storage.exists(target) or default_storage.size(target) < default_storage.size(source):
            default_storage.delete(target)
            with default_storage.open(source) as content:
                flush_stored(default_storage.save(target, content))
        default_storage.delete(source)


def named_files() -> set[str]:
    return {name for model in FOLDERS.values() for kept in model.objects.iterator() for name in files_of(kept)}


def stored_files() -> list[str]:
    return [name for folder in FOLDERS for name in files_in(folder)]


def files_in(folder: str) -> list[str]:
    """The names of all files that lie one folder deeper."""
    return [f"{folder}/{deeper}/{file}" for deeper in list_folder(folder)[0] for file in list_folder(f"{folder}/{deeper}")[1]]


def list_folder(folder: str) -> tuple[list[str], list[str]]:
    """The folders and files in a folder; none where nothing has been stored yet, or not any more."""
    try:
        return default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []
