"""The pieces of files on their way: one stored object a chunk, so that any storage and any number of web processes will do.

Nothing is ever appended to, which object stores such as S3 cannot do. The Celery worker that reads the file puts the pieces
together in its temporary folder. Web processes and Celery workers must share the storage. That is a folder where all run on one
host, else an object store or a shared file system.
"""

import logging
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import default_storage

from ireval.io.files import BadFile
from ireval.translatable import Phrase
from judging.collections.local_copies import flush_stored
from judging.models import Upload

log = logging.getLogger(__name__)

FOLDER = "uploads"
SCRATCH = "ireval-upload-"
# Folders of an upload, of log records, of what is read in a process of its own, and of code for a cluster. Not all of `ireval-*`:
# the broker of a laptop has such a folder as well.
LEFT_BEHIND = (SCRATCH, "ireval-log-", "ireval-apart-", "ireval-code-")
PIECE = re.compile(r"(\d{16})\.part")


def folder(pk: UUID | str) -> str:
    return f"{FOLDER}/{pk}"


def save_piece(upload: Upload, offset: int, content: File) -> None:
    """Keep what begins at `offset`; what an interrupted request left there goes first."""
    name = f"{folder(upload.pk)}/{offset:016d}.part"
    default_storage.delete(name)
    flush_stored(default_storage.save(name, content))  # whoever sends it is told that it is here


@contextmanager
def put_together(upload: Upload) -> Iterator[Path]:
    """The whole file on the local disk, for as long as the block runs. BadFile if a piece is missing."""
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        path = Path(scratch, "file")
        with open(path, "wb") as whole:
            for piece in sorted(pieces(upload.pk)):
                if int(piece[:16]) != whole.tell():
                    break
                with default_storage.open(f"{folder(upload.pk)}/{piece}", "rb") as stored:
                    shutil.copyfileobj(stored, whole, 2**20)
        if path.stat().st_size != upload.size:
            log.warning("pieces of upload %s are missing: do web processes and Celery share the file storage?", upload.pk)
            missing = Phrase(
                "only %(here)s of %(size)s bytes have arrived; please upload it again",
                here=f"{path.stat().st_size:,}",
                size=f"{upload.size:,}",
            )
            raise BadFile.because(upload.filename, missing)
        yield path


def both_ends(upload: Upload, first: int, last: int) -> tuple[bytes, bytes]:
    """The first and the last bytes of a file that is here whole, as many as are asked for or there are."""
    names = sorted(pieces(upload.pk))
    beginning, end = b"", b""
    for name in names:
        if len(beginning) < first:
            beginning += part_of(upload, name, 0, first - len(beginning))
    for name in reversed(names):
        if len(end) < last:
            end = part_of(upload, name, len(end) - last, last) + end
    return beginning, end[-last:]


def part_of(upload: Upload, piece: str, start: int, length: int) -> bytes:
    """Bytes of a piece; a start below 0 counts from its end."""
    with default_storage.open(f"{folder(upload.pk)}/{piece}", "rb") as stored:
        stored.seek(max(0, stored.size + start) if start < 0 else start)
        return stored.read(length)


def pieces(pk: UUID | str) -> list[str]:
    try:
        return [name for name in default_storage.listdir(folder(pk))[1] if PIECE.fullmatch(name)]
    except FileNotFoundError:
        return []


def discard(pk: UUID | str) -> None:
    for name in pieces(pk):
        default_storage.delete(f"{folder(pk)}/{name}")
    default_storage.delete(folder(pk))  # the empty folder, where the storage has folders


def staged_ids() -> list[str]:
    """The ids of all uploads of which there are pieces."""
    try:
        return default_storage.listdir(FOLDER)[0]
    except FileNotFoundError:
        return []


def nothing_came_since(pk: str, moment: datetime) -> bool:
    return all(default_storage.get_modified_time(f"{folder(pk)}/{name}") < moment for name in pieces(pk))


def forget_scratch(before: datetime) -> None:
    """Remove what killed Celery workers have left in this host's temporary folder, if nothing was written there since."""
    for prefix in LEFT_BEHIND:
        for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            if last_change(left) < before.timestamp():
                shutil.rmtree(left, ignore_errors=True)


def last_change(folder: Path) -> float:
    """When something was last written in a folder, however deep: a load of records by hand may take longer than any task."""
    times = [0.0]
    for path in (folder, *folder.rglob("*")):
        with suppress(OSError):  # gone meanwhile
            times.append(path.stat().st_mtime)
    return max(times)
