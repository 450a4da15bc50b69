"""A backup, made while the application runs: the database at one moment, then the files that its rows name.

Stored files never change, so that those which the database names at that moment are right whenever they are copied. Only files of
log records are replaced: when somebody is erased, another file has the records of all others. Then the backup is made anew.
"""

import logging
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.utils.crypto import salted_hmac

from judging.backups import postgresql, sqlite, versions
from judging.backups.archive import Archive, BackupProblem, new_archive
from judging.collections import upload_chunks
from judging.collections.orphans import PERSONAL
from judging.models import ArchiveFile

FORMAT = 1
FILES = "files"
KEY = "secret.key"
DATABASES = {"sqlite": sqlite, "postgresql": postgresql}
MOST_ATTEMPTS = 3

log = logging.getLogger(__name__)


class RecordsMoved(BackupProblem):
    """Log records are in other files than the backup's rows say."""


@dataclass(frozen=True)
class BackupSummary:
    """What a backup holds; `missing` are files that were deleted while it was made, or were not there before."""

    files: int
    missing: list[str]
    has_key: bool


def back_up(path: Path) -> BackupSummary:
    """Write database, stored files and, where it lies in the data folder, the secret key into a new file."""
    if versions.unapplied():
        raise BackupProblem("The database is older than this version of ireval: run manage.py migrate first.")
    for _ in range(1, MOST_ATTEMPTS):
        try:
            return write(path)
        except RecordsMoved as moved:
            log.warning("The backup is made anew. %s", moved)
    return write(path)


def write(path: Path) -> BackupSummary:
    with new_archive(path) as archive, tempfile.TemporaryDirectory(prefix=f"{path.name}.", dir=path.parent) as folder:
        migrations = versions.applied()
        facts, named = DATABASES[connection.vendor].dump(archive, Path(folder))
        wanted = [*named, *pieces_of_uploads()]
        missing = add_files(archive, wanted)
        refuse_if_moved(missing)
        has_key = add_key(archive)
        archive.finish(
            {
                "format": FORMAT,
                "made": datetime.now(UTC).isoformat(timespec="seconds"),
                "application": settings.SPECTACULAR_SETTINGS["VERSION"],
                "database": connection.vendor,
                "migrations": migrations,
                "key": fingerprint(),
                "missing": missing,
                **facts,
            }
        )
    return BackupSummary(len(wanted) - len(missing), missing, has_key)


def pieces_of_uploads() -> list[str]:
    """What has come of files that are not imported yet."""
    return [f"{upload_chunks.folder(pk)}/{piece}" for pk in upload_chunks.staged_ids() for piece in upload_chunks.pieces(pk)]


def add_files(archive: Archive, names: Iterable[str]) -> list[str]:
    """Add stored files; the names of those that are not there."""
    missing = []
    for name in names:
        try:
            with default_storage.open(name) as content:
                archive.add(f"{FILES}/{name}", content, content.size)
        except FileNotFoundError:
            missing.append(name)
    return missing


def refuse_if_moved(missing: Iterable[str]) -> None:
    """A missing file of log records that no row names any more was replaced by another one, which the backup lacks."""
    logs = {name for name in missing if name.startswith(PERSONAL)}
    if moved := logs - set(ArchiveFile.objects.filter(file__in=logs).values_list("file", flat=True)):
        raise RecordsMoved(f"Records were erased while the backup was made: {min(moved)} was replaced. Make it again.")


def add_key(archive: Archive) -> bool:
    """Links, cookies and participants' hashes are made by it: without it the rest is half of a backup."""
    if kept := kept_key():
        archive.add_path(KEY, kept)
    return bool(kept)


def kept_key() -> Path | None:
    """The file with the secret key, on a laptop; a server's key is in its environment."""
    file = Path(settings.DATA_DIR, KEY)
    return file if file.exists() and file.read_text() == settings.SECRET_KEY else None


def fingerprint(key: bytes | None = None) -> str:
    """Tells whether a key is the same, and not which it is."""
    return salted_hmac("judging.backups", "key", secret=key, algorithm="sha256").hexdigest()[:16]
