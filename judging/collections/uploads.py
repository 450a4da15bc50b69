"""Uploads: begun, sent in chunks or at once, finished, and then checked by a Celery worker.

Whoever sends a file need not say what it is: once it is here it is recognised, and waits until that is confirmed or corrected.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ireval.io.recognition import TAKEN, recognise
from ireval.io.recognition.head import LENGTH
from judging.collections import upload_chunks
from judging.collections.imports.file_names import MAX_NAME
from judging.collections.imports.options import BadOption, clean_options
from judging.collections.parsers import AUTO
from judging.collections.upload_check import call_next
from judging.errors import Impossible, Unacceptable
from judging.models import Collection, Outbox, Upload, User
from judging.text.library_words import in_reader_language

# Pieces smaller than this, a file's last one excepted, would make a million objects of one file.
PIECES_AT_MOST = 65_536


class UploadRefused(Unacceptable):
    """What cannot be received; the text says why and what to do instead."""


class TooLarge(UploadRefused):
    """More bytes than are accepted."""

    status = 413


class OutOfStep(Impossible, UploadRefused):
    """A chunk that does not come next; `received` says where to go on."""

    def __init__(self, message: str, received: int):
        super().__init__(message)
        self.received = received


def begin_upload(
    *,
    collection: Collection,
    filename: str,
    size: int,
    by: User,
    kind: str = "",
    format: str = "auto",
    name: str = "",
    options: dict[str, Any] | None = None,
) -> Upload:
    """Announce a file of `size` bytes. Raises UploadRefused for what could not be imported anyway.

    Without a kind it is recognised when it is here; name, format and options are then said when it is confirmed.
    """
    filename = filename.replace("\\", "/").rsplit("/", 1)[-1].strip()
    if not filename or not filename.isprintable() or len(filename) > 255:
        raise UploadRefused(_("Give the file a name of at most 255 printable characters."))
    if size <= 0:
        raise UploadRefused(_("%(file)s: the file is empty.") % {"file": filename})
    if size > settings.UPLOAD_MAX_BYTES:
        too_large = _(
            "%(file)s: %(bytes)s bytes are more than the %(most)s that one file may have here. Compress it (gz, xz or zst), or "
            "ask whoever runs this server to import it."
        )
        raise TooLarge(too_large % {"file": filename, "bytes": f"{size:,}", "most": f"{settings.UPLOAD_MAX_BYTES:,}"})
    fields = clean_import(kind, format, name, options or {}) if kind or name or options or format != AUTO else {}
    return Upload.objects.create(collection=collection, filename=filename, size=size, created_by=by, **fields)


def clean_import(kind: str, format: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """How a file is to be imported, as fields of an upload. Raises UploadRefused for what there is not."""
    if len(name) > MAX_NAME:
        too_long = _("A name may have %(most)s characters, this one has %(number)s.")
        raise UploadRefused(too_long % {"most": MAX_NAME, "number": len(name)})
    try:
        return {"kind": kind, "format": format, "name": name.strip(), "options": clean_options(kind, format, options)}
    except BadOption as bad:
        raise UploadRefused(str(bad)) from bad


def receive_chunk(upload: Upload, *, offset: int, data: bytes) -> int:
    """Keep the next bytes; gives back how many there are now. A chunk that came before changes nothing.

    Raises OutOfStep where `offset` is not where the file ends so far, TooLarge for more than was announced.
    """
    refuse_large_chunk(len(data))
    with transaction.atomic():
        locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if locked is None:
            raise UploadRefused(_("This upload was cancelled."))
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
        too_large = _("A chunk may have %(most)s bytes, this one has %(bytes)s.")
        raise TooLarge(too_large % {"most": f"{most:,}", "bytes": f"{length:,}"})


def refuse_out_of_step(upload: Upload, offset: int, length: int) -> None:
    if upload.state != Upload.State.RECEIVING:
        raise OutOfStep(_("This upload is complete."), upload.received)
    if offset != upload.received:
        another = _("Expected the chunk that begins at byte %(expected)s, got %(found)s.")
        raise OutOfStep(another % {"expected": f"{upload.received:,}", "found": f"{offset:,}"}, upload.received)
    if offset + length > upload.size:
        too_large = _("%(announced)s bytes were announced, this would make %(bytes)s.")
        raise TooLarge(too_large % {"announced": f"{upload.size:,}", "bytes": f"{offset + length:,}"})
    if length * PIECES_AT_MOST < upload.size and offset + length < upload.size:
        too_small = _("A chunk of %(bytes)s bytes is too small for a file of %(size)s.")
        raise UploadRefused(too_small % {"bytes": f"{length:,}", "size": f"{upload.size:,}"})


def finish_upload(upload: Upload) -> Upload:
    """Hand a file that has come whole to a Celery worker. Finishing twice is finishing once."""
    with transaction.atomic():
        locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if locked is None:
            raise UploadRefused(_("This upload was cancelled."))
        if locked.state == Upload.State.RECEIVING:
            if locked.received < locked.size:
                missing = _("Only %(received)s of %(size)s bytes have come.")
                sizes = {"received": f"{locked.received:,}", "size": f"{locked.size:,}"}
                raise OutOfStep(missing % sizes, locked.received)
            arrived(locked)
    return locked


def arrived(upload: Upload) -> None:
    """Have a file that is here whole checked, or recognised where nobody has said what it is."""
    if upload.kind:
        hand_over(upload)
        return
    recognition = recognise(*upload_chunks.both_ends(upload, TAKEN, LENGTH))
    upload.recognition = asdict(recognition)
    upload.state = Upload.State.RECOGNISED
    upload.touched = timezone.now()
    upload.save(update_fields=["recognition", "state", "touched"])


def confirm_upload(
    upload: Upload, *, kind: str = "", format: str = "", name: str = "", options: dict[str, Any] | None = None
) -> Upload:
    """Have a recognised file imported as what it was taken for, or as what it is said to be.

    Raises UploadRefused where nobody knows what it is, OutOfStep where it does not wait to be confirmed.
    """
    with transaction.atomic():
        locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
        if locked is None:
            raise UploadRefused(_("This upload was cancelled."))
        if locked.state != Upload.State.RECOGNISED:
            not_waiting = _("%(file)s does not wait to be confirmed: %(state)s.")
            raise OutOfStep(not_waiting % {"file": locked.filename, "state": locked.get_state_display()}, locked.received)
        recognition = locked.recognition
        if not (kind or recognition["kind"] in Upload.Kind.values):
            unknown = _("%(file)s: %(because)s Say what kind of file it is.")
            raise UploadRefused(unknown % {"file": locked.filename, "because": in_reader_language(recognition["because"])})
        if not kind or kind == recognition["kind"]:
            kind, format = recognition["kind"], format or recognition["format"]
            options = {**recognition["options"], **(options or {})}
        for field, value in clean_import(kind, format or AUTO, name, options or {}).items():
            setattr(locked, field, value)
        locked.save(update_fields=["kind", "format", "name", "options"])
        hand_over(locked)
    return locked


def confirm_uploads(confirmed: Mapping[Upload, dict[str, Any] | None]) -> None:
    """Have several files imported, each as `confirm_upload` is told; those with nothing to tell are left out, and forgotten."""
    with transaction.atomic():
        for upload, answer in confirmed.items():
            if answer is not None:
                confirm_upload(upload, **answer)
    for upload, answer in confirmed.items():
        if answer is None:
            cancel_upload(upload)


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
            arrived(upload)
    except BaseException:
        cancel_upload(upload)
        raise
    return upload


def cancel_upload(upload: Upload) -> bool:
    """Forget a file that is not imported yet; whether there still was anything to forget."""
    gone = Upload.objects.filter(pk=upload.pk).exclude(state=Upload.State.DONE).delete()[0]
    if gone:
        upload_chunks.discard(upload.pk)
        call_next(upload)
    return bool(gone)
