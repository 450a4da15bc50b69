"""Local copies of stored files, where the storage is a bucket and has no paths.

Who reads a part of a file, or maps it into memory, needs a path. What is copied never changes under its name, so that a copy is
right as long as it is here. Copies may go at any time: those that were not used for longest go first.
"""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage

UNUSED = 86_400  # seconds after which a copy goes: when the next one comes, or a sweep is run on this host


def path_of(name: str) -> Path:
    """Where the stored file lies on this host, or its copy. FileNotFoundError where it is missing."""
    path = own_path(name)
    if path is None:
        return copy_of(name)
    os.stat(path)
    return path


def own_path(name: str) -> Path | None:
    """The path that the storage itself has; none in a bucket, which says so by this error."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def flush_stored(name: str) -> None:
    """See that a stored file outlives a power failure, as the row that names it does. A bucket sees to that itself."""
    path = own_path(name)
    if path and path.exists():  # a storage in memory names paths where nothing lies
        flush(path)


def flush(path: Path) -> None:
    """Have a file and its name written to the disk."""
    for place in (path, path.parent):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def copy_of(name: str) -> Path:
    copy = folder() / name
    try:
        os.utime(copy)
    except FileNotFoundError:
        fetch(name, copy)
        make_room()
    return copy


def fetch(name: str, copy: Path) -> None:
    """Bring the file here, whole or not at all; two at once bring the same."""
    with default_storage.open(name) as stored:
        copy.parent.mkdir(parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=folder())
        try:
            with open(descriptor, "wb") as file:
                shutil.copyfileobj(stored, file, 2**20)
            os.replace(draft, copy)
        except BaseException:  # a full disk, say, which half a copy would leave fuller
            Path(draft).unlink(missing_ok=True)
            raise


def make_room() -> None:
    """Remove copies that nobody used for a day, and more while all take too much room: but for the newest."""
    room, before = settings.COPIES_MAX_BYTES, time.time() - UNUSED
    for number, (used, size, copy) in enumerate(sorted(copies(), reverse=True)):
        room -= size
        if used < before or (number and room < 0):
            copy.unlink(missing_ok=True)


def copies() -> Iterator[tuple[float, int, Path]]:
    for place, _folders, names in os.walk(folder()):
        for copy in (Path(place, name) for name in names):
            with contextlib.suppress(FileNotFoundError):
                stat = copy.stat()
                yield stat.st_mtime, stat.st_size, copy


def forget(name: str) -> None:
    """Remove this host's copy of a file that was deleted; others go when nobody has used them for a day."""
    (folder() / name).unlink(missing_ok=True)


def folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "copies"
