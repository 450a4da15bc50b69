"""Restoring a backup into an empty place: all of it is verified before anything is touched."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection

from judging import server_keys
from judging.backups import backup, versions
from judging.backups.archive import MANIFEST, PORTION, BackupProblem, HashedReader, open_archive, verified_manifest
from judging.collections import orphans, stamps
from judging.collections.local_copies import flush_stored
from judging.logs import partitions
from judging.models import User

ELSEWHERE = "Restore into an empty place: another DATABASE_URL and IREVAL_DATA, or move away what is there."


@dataclass(frozen=True)
class Restored:
    """`missing` were missing in the backup; `needs_key`: this place has another secret key than the backup's."""

    made: str
    missing: list[str]
    needs_key: bool


def restore(path: Path) -> Restored:
    """Fill this empty place from a backup, and bring an older one up to date.

    Rows come last: after an interruption nobody can sign in yet, and the same command goes on.
    """
    manifest = verified_manifest(path)
    refuse_unfit(manifest)
    refuse_unless_empty(manifest)
    restored = Restored(manifest["made"], manifest["missing"], lacks_key(manifest))
    with tempfile.TemporaryDirectory(prefix="restore-", dir=settings.DATA_DIR) as folder:
        with open_archive(path) as members:
            for name, content in members:
                unpack(name, content, Path(folder))
        backup.DATABASES[connection.vendor].load(Path(folder), manifest)
    call_command("migrate", interactive=False, verbosity=0)
    stamps.adopt()
    return restored


def refuse_unfit(manifest: dict[str, Any]) -> None:
    if manifest["format"] > backup.FORMAT or versions.unknown(map(tuple, manifest["migrations"])):
        raise BackupProblem(
            f"A newer ireval has made this backup ({manifest['application']}). Restore it with that version or later."
        )
    if manifest["database"] != connection.vendor:
        raise BackupProblem(f"The backup is of {manifest['database']}, and DATABASE_URL says {connection.vendor}.")


def refuse_unless_empty(manifest: dict[str, Any]) -> None:
    tables = set(connection.introspection.table_names())
    ours = {"django_migrations", *connection.introspection.django_table_names()}
    others = [name for name in tables - ours if not partitions.MONTHLY.search(name)]
    if others:
        raise BackupProblem(f"The database has tables of something else, such as {min(others)}. {ELSEWHERE}")
    if User._meta.db_table in tables and User.objects.exists():
        raise BackupProblem(f"The database has accounts already. {ELSEWHERE}")
    stored = {f"{backup.FILES}/{name}" for name in [*orphans.stored_files(), *backup.pieces_of_uploads()]}
    if stored - manifest["members"].keys():
        raise BackupProblem(f"The file storage has files already. {ELSEWHERE}")


def unpack(name: str, content: HashedReader, folder: Path) -> None:
    """Bring a member to where it belongs; what the database is made of, into the folder."""
    if name == MANIFEST:
        return
    unpacked = folder / Path(name).name
    with open(unpacked, "wb") as file:
        shutil.copyfileobj(content, file, PORTION)
    if name == backup.KEY:
        put_key(unpacked)
    elif name.startswith(f"{backup.FILES}/"):
        put_file(name.removeprefix(f"{backup.FILES}/"), unpacked)
        unpacked.unlink()


def put_file(name: str, content: Path) -> None:
    default_storage.delete(name)  # the same, from an attempt before, perhaps cut short
    with open(content, "rb") as file:
        stored = default_storage.save(name, File(file))
    if stored != name:
        raise BackupProblem(f"The file storage keeps {name} as {stored}. Does somebody else write there?")
    flush_stored(name)


def put_key(key: Path) -> None:
    """Restore the key where it lies in the data folder; a server has its own in the environment."""
    if kept := backup.kept_key():
        key.chmod(0o600)
        os.replace(key, kept)


def lacks_key(manifest: dict[str, Any]) -> bool:
    """Whether links, cookies and participants' hashes of the backup will mean nothing here."""
    brings_it = backup.KEY in manifest["members"] and backup.kept_key()
    return not brings_it and manifest["key"] not in map(backup.fingerprint, server_keys.all_keys())
