"""How much room the database and the stored files take."""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

NAMES = {
    "runs": _("Runs"),
    "qrels": _("Grades, ready for reports"),
    "uploads": _("Uploads that nobody has confirmed"),
    "search": _("Search indexes"),
    "images": _("Images of documents"),
    "attachments": _("Attachments of topics"),
    "logs": _("Archived queries and events"),
    "stamps": _("Mark of this database"),
    "trash": _("Left-over files, before they are deleted"),
}


# Walking millions of files takes minutes of the disk's time.
COUNTED_FOR = timedelta(minutes=10)


class Room(NamedTuple):
    """The number and the bytes of the stored files in one folder."""

    folder: str
    files: int
    bytes: int

    @property
    def what(self) -> str:
        return str(NAMES.get(self.folder, self.folder.capitalize()))


def counted() -> tuple[list[Room], datetime]:
    """The rooms as they were counted a few minutes ago at most, and when that was."""
    kept: tuple[list[Room], datetime] | None = cache.get("rooms")
    if kept is None:
        kept = rooms(), timezone.now()
        cache.set("rooms", kept, COUNTED_FOR.total_seconds())
    return kept


def rooms() -> list[Room]:
    """The folders of stored files, the largest first; none where files lie in an object store, which counts them itself."""
    if not isinstance(default_storage, FileSystemStorage):
        return []
    with os.scandir(folder()) as entries:
        folders = [room_of(Path(entry.path)) for entry in entries if entry.is_dir()]
    return sorted((room for room in folders if room.files), key=lambda room: -room.bytes)


def room_of(path: Path) -> Room:
    sizes = list(sizes_in(path))
    return Room(path.name, len(sizes), sum(sizes))


def sizes_in(path: Path) -> Iterator[int]:
    """Of all files below; one that goes away meanwhile counts as none."""
    for folder_path, _folders, names in os.walk(path):
        for name in names:
            try:
                yield os.stat(os.path.join(folder_path, name)).st_size
            except FileNotFoundError:
                continue


def folder() -> Path:
    """Where files are stored; where the data lies if nothing has been stored yet."""
    stored = Path(settings.MEDIA_ROOT)
    return stored if stored.is_dir() else Path(settings.DATA_DIR)


def database_bytes() -> int:
    if connection.vendor == "sqlite":
        statement = "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
    else:
        statement = "SELECT pg_database_size(current_database())"
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]
