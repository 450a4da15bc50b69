"""A Parquet file of each qrels version's rows, which is read faster than these, and is made anew where it is missing.

Its name is the SHA-256 of its bytes: what was cut short, or is somebody else's, is never believed. It may go at any time.
"""

import io
import logging
import os
from hashlib import sha256

import polars as pl
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

from ireval.io.written_qrels import write_qrels
from judging.models import Qrels

log = logging.getLogger(__name__)


def content_of(frame: pl.DataFrame) -> bytes:
    """The Parquet file of grades; the same grades give the same bytes."""
    content = io.BytesIO()
    write_qrels(frame, content, "parquet")
    return content.getvalue()


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def name_of(qrels: Qrels) -> str:
    """The file's name, in a folder of its first two digits; empty for qrels whose grades are not rows yet."""
    return f"qrels/{qrels.cache[:2]}/{qrels.cache}.parquet" if qrels.cache else ""


def read(qrels: Qrels) -> bytes | None:
    """The file; None where it is missing or not what it was."""
    if not qrels.cache:
        return None
    try:
        with default_storage.open(name_of(qrels)) as file:
            content = file.read()
    except Exception as error:  # each storage has its own; without any the rows are read
        log.warning("%s cannot be read: %s", about(qrels), error)
        return None
    if hash_of(content) == qrels.cache:
        return content
    log.warning("%s is damaged: its hash differs", about(qrels))
    return None


def keep(qrels: Qrels, content: bytes) -> None:
    """Store the file, in place of a damaged one; go on without where the storage takes none."""
    cache = hash_of(content)
    if cache != qrels.cache:  # another version of the library writes other bytes
        qrels.cache = cache
        Qrels.objects.filter(pk=qrels.pk).update(cache=cache)
    try:
        put_file(name_of(qrels), content)
    except Exception as error:
        log.warning("%s cannot be kept: %s", about(qrels), error)


def put_file(name: str, content: bytes) -> None:
    """Store a file that is whole under its name: a local one is renamed once it is written, other storages show it only then."""
    if isinstance(default_storage, FileSystemStorage):
        draft = default_storage.save(f"{name}.part", ContentFile(content))
        os.replace(default_storage.path(draft), default_storage.path(name))
    else:
        default_storage.delete(name)
        default_storage.save(name, ContentFile(content))


def about(qrels: Qrels) -> str:
    return f"The Parquet file of qrels “{qrels}” ({name_of(qrels)})"
