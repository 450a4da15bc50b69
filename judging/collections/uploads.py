"""Uploads: begun, sent in chunks or at once, finished, and then checked by a Celery worker."""

from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.utils import timezone

from judging.collections import upload_chunks
from judging.collections.imports.file_names import MAX_NAME
from judging.collections.imports.options import BadOption, clean_options
from judging.errors import Impossible, Unacceptable
from judging.models import Collection, Outbox, Upload, User

# Pieces smaller than this, a file's last one excepted, would make a million objects of one file.
PIECES_AT_MOST = 65_536


class UploadRefused(Unacceptable):
    """What cannot be received; the text says why and what to do instead."""


class TooLarge(UploadRefused):
    """More bytes than are accepted."""


class OutOfStep(Impossible, UploadRefused):
    """A chunk that does not come next; `received` says where to go on."""

    def __init__(self, message: str, received: int):
        super().__init__(message)
        self.received = received


def begin_upload(
    *,
    collection: Collection,
    kind: str,
    filename: str,
    size: int,
    by: User,
    format: str = "auto",
    name: str = "",
    options: dict[str, Any] | None = None,
) -> Upload:
    """Announce a file of `size` bytes. Raises UploadRefused for what could not be imported anyway."""
    filename = filename.replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not filename or not filename.isprintable() or len(filename) > 255:
        raise UploadRefused("Give the file a name of at most 255 printable characters.")
    if len(name) > MAX_NAME:
        raise UploadRefused(f"A name may have {MAX_NAME} characters, this one has {len(name)}.")
    if size <= 0:
        raise UploadRefused(f"{filename}: the file is empty.")
    if size > settings.UPLOAD_MAX_BYTES:
        raise TooLarge(
            f"{filename}: {size:,} bytes are more than the {settings.UPLOAD_MAX_BYTES:,} that one file may have here. "
            "Compress it (gz, xz or zst), or import it on the server with manage.py import_collection."
        )
    try:
        cleaned = clean_options(kind, format, options or {})
    except BadOption as bad:
        raise UploadRefused(str(bad)) from bad
    return Upload.objects.create(
        collection=collection,
        kind=kind,
        format=format,
        name=name.strip(),
        options=cleaned,
        filename=filename,
        size=size,
        created_by=by,
    )


def receive_chunk(upload: Upload, *, offset: int, data: bytes) -> int:
    """Keep the next bytes; gives back how many there are now. A chunk that came before changes nothing.

    Raises OutOfStep where `offset` is not where the file ends so far, TooLarge for more than was announced.
    """
    refuse_large_chunk(len(data))
    with transaction.atomic():
        locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if locked is None:
            raise UploadRefused("This upload was cancelled.")
        if offset + len(data) <= locked.received and offset >= 0:
            return locked.received  # the answer to this chunk got lost, and it was sent again
        refuse_out_of_step(locked, offset, len(data))
        upload_chunks.save_piece(locked, offset, ContentFile(data))
        locked.received += len(data)
        locked.touched = timezone.now()
        locked.save(update_fields=["received", "touched"])
    return locked.received


def refuse_large_chunk(length: int) -> None:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or settings.UPLOAD_CHUNK_BYTES
    if length > most:
        raise TooLarge(f"A chunk may have {most:,} bytes, this one has {length:,}.")


def refuse_out_of_step(upload: Upload, offset: int, length: int) -> None:
    if upload.state != Upload.State.RECEIVING:
        raise OutOfStep("This upload is complete.", upload.received)
    if offset != upload.received:
        raise OutOfStep(f"Expected the chunk that begins at byte {upload.received:,}, got {offset:,}.", upload.received)
    if offset + length > upload.size:
        raise TooLarge(f"{upload.size:,} bytes were announced, this would make {offset + length:,}.")
    if length * PIECES_AT_MOST < upload.size and offset + length < upload.size:
        raise UploadRefused(f"A chunk of {length:,} bytes is too small for a file of {upload.size:,}.")


def finish_upload(upload: Upload) -> Upload:
    """Hand a file that has come whole to a Celery worker. Finishing twice is finishing once."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if locked is None:
            raise UploadRefused("This upload was cancelled.")
        if locked.state == Upload.State.RECEIVING:
            if locked.received < locked.size:
                raise OutOfStep(f"Only {locked.received:,} of {locked.size:,} bytes have come.", locked.received)
            hand_over(locked)
    return locked


def hand_over(upload: Upload) -> None:
    upload.state = Upload.State.WAITING
    upload.touched = timezone.now()
    upload.save(update_fields=["state", "touched"])
    Outbox.objects.post("judging.tasks.check_upload", upload=str(upload.pk))


def receive_whole(file: File, **announced: Any) -> Upload:
    """Begin, receive and finish at once, as a plain form does."""
    upload = begin_upload(filename=file.name or "", size=file.size, **announced)
    try:
        upload_chunks.save_piece(upload, 0, file)
        with transaction.atomic():
            upload.received = upload.size
            upload.save(update_fields=["received"])
            hand_over(upload)
    except BaseException:
        cancel_upload(upload)
        raise
    return upload


def cancel_upload(upload: Upload) -> bool:
    """Forget a file that is not imported yet; whether there still was anything to forget."""
    gone, _ = Upload.objects.filter(pk=upload.pk).exclude(state=Upload.State.DONE).delete()
    if gone:
        upload_chunks.discard(upload.pk)
    return bool(gone)
