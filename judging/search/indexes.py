"""Indexes of collections: built by bm25s, kept as files that many processes map into their memory and none reads whole.

An index lies beside the stored files, or among those of a bucket, under a name made of what it was built from. So an index of
other documents is never taken for it. Small collections are indexed when somebody searches them first; large ones by Celery,
which takes minutes.
"""

import hashlib
import io
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from judging.collections import local_copies
from judging.errors import Refusal
from judging.models import Collection, Document, Outbox
from judging.search.rankers import Ranker
from judging.search.term_weights import Index, Source, build_index

VERSION = 1  # of the files, and of whatever the rankers do that their settings do not say
AT_ONCE = 5_000  # documents that are indexed while somebody waits, for seconds
PORTION = 2000
# A marker that nobody touched for so long is of a process that is gone.
GIVEN_UP = 900
KNOWN_FOR = 10  # seconds in which a collection is not counted again


class NotReady(Refusal):
    """The index is being built; of `total` documents `read` have been read. It is worth asking again after `wait` seconds."""

    status = 503
    wait = 3

    def __init__(self, read: int, total: int):
        super().__init__(
            _("The index is being built: %(read)s of %(total)s documents are read.")
            % {"read": f"{read:,}", "total": f"{total:,}"}
        )
        self.read, self.total = read, total
        self.all_read = read > total - PORTION  # it is told every so many


def index_of(collection: Collection, ranker: Ranker) -> Index:
    """The index of the collection as it is now. NotReady while it is being built, which this starts."""
    size, contents = known_contents(collection.pk, collection.created, int(time.monotonic() // KNOWN_FOR))
    folder = folder_of(collection, ranker) / contents
    try:
        return load_index(folder)
    except FileNotFoundError:
        if size > AT_ONCE:
            ask_for(collection, ranker, folder, size)
        with building:
            build(collection, ranker)
            return load_index(folder)


def load_built(collection: Collection, ranker: Ranker) -> Index:
    """The index that `build` has made."""
    return load_index(folder_of(collection, ranker) / contents_of(collection.pk, collection.created)[1])


building = threading.Lock()


@lru_cache(maxsize=8)
def load_index(folder: Path) -> Index:
    return Index(*(np.load(local_copies.path_of(name), mmap_mode="r") for name in stored_names(folder)))


def stored_names(folder: Path) -> list[str]:
    """The names in the file storage of an index's files."""
    return [(folder / f"{name}.npy").relative_to(settings.MEDIA_ROOT).as_posix() for name in Index._fields]


@lru_cache(maxsize=64)
def known_contents(collection: int, created: datetime, moment: int) -> tuple[int, str]:
    return contents_of(collection, created)


def contents_of(collection: int, created: datetime) -> tuple[int, str]:
    """The number of documents, and a digest that changes with them: documents come and go, but never change."""
    totals = Document.objects.filter(collection=collection).aggregate(size=Count("pk"), newest=Max("pk"))
    facts = (VERSION, collection, created.isoformat(), totals["size"], totals["newest"])
    return totals["size"], hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def root() -> Path:
    return Path(settings.MEDIA_ROOT) / "search"


def folder_of(collection: Collection, ranker: Ranker) -> Path:
    made_by = hashlib.sha256(repr(sorted(ranker.settings.items())).encode()).hexdigest()[:8]
    return root() / str(collection.pk) / f"{ranker.name}-{made_by}"


def ask_for(collection: Collection, ranker: Ranker, folder: Path, size: int) -> None:
    """Have Celery build it, unless that was asked for; NotReady in any case."""
    marker = marker_of(folder)
    marker.parent.mkdir(parents=True, exist_ok=True)
    if abandoned(marker):
        marker.unlink(missing_ok=True)
    try:
        with open(marker, "x") as begun:
            begun.write("0")
    except FileExistsError:
        raise NotReady(int(marker.read_text() or 0) if marker.exists() else 0, size) from None
    Outbox.objects.post_anew("judging.tasks.build_search_index", collection=collection.pk, ranker=ranker.name)
    raise NotReady(0, size)


def marker_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.building")


def abandoned(marker: Path) -> bool:
    try:
        return time.time() - marker.stat().st_mtime > GIVEN_UP
    except FileNotFoundError:
        return False


def build(collection: Collection, ranker: Ranker, tell: Callable[[int], Any] = lambda read: None) -> None:
    """Build what is not there yet; what it replaces goes. Two at once do the same, and one of them keeps it.

    `tell` is told how many documents have been read, every so often.
    """
    _, contents = contents_of(collection.pk, collection.created)
    folder = folder_of(collection, ranker) / contents
    if is_built(folder):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    marker = marker_of(folder)
    documents = with_progress(with_progress(documents_of(collection), lambda read: note(marker, read)), tell)
    index = build_index(documents, ranker)
    if has_folders():
        keep(index, folder)
    else:
        upload(index, folder)
    marker.unlink(missing_ok=True)
    clear(folder)


def has_folders() -> bool:
    """Whether files are stored in folders here. In a bucket Celery's indexes are there for the web processes of other hosts."""
    return isinstance(default_storage, FileSystemStorage)


def is_built(folder: Path) -> bool:
    return folder.exists() if has_folders() else default_storage.exists(stored_names(folder)[-1])


def documents_of(collection: Collection) -> Iterator[Source]:
    """Read a portion at a time: on SQLite, a query that is still open would keep its own process from writing how far it is."""
    documents = Document.objects.filter(collection=collection).order_by("pk").values_list("pk", "docno", "title", "text")
    last = 0
    while portion := list(documents.filter(pk__gt=last)[:PORTION]):
        yield from portion
        last = portion[-1][0]


def with_progress(documents: Iterable[Source], tell: Callable[[int], Any]) -> Iterator[Source]:
    for number, document in enumerate(documents, start=1):
        if number % PORTION == 0:
            tell(number)
        yield document


def note(marker: Path, read: int) -> None:
    if marker.exists():
        marker.write_text(str(read))


def keep(index: Index, folder: Path) -> None:
    """Keep all files or none: they are written elsewhere, and moved together."""
    temporary = Path(tempfile.mkdtemp(prefix="new-", dir=folder.parent))
    try:
        for name, values in index._asdict().items():
            np.save(temporary / f"{name}.npy", values)
        os.rename(temporary, folder)
    except OSError:
        shutil.rmtree(temporary)
        if not folder.exists():
            raise


def upload(index: Index, folder: Path) -> None:
    """Bring the files into the bucket, the last of them last. They may be there, from an attempt before or from somebody else."""
    for name, values in zip(stored_names(folder), index, strict=True):
        content = io.BytesIO()
        np.save(content, values)
        default_storage.delete(name)
        default_storage.save(name, ContentFile(content.getvalue()))


def clear(folder: Path) -> None:
    """Delete older indexes of the ranker, what was left half built, and the indexes of collections that are gone."""
    if not has_folders():
        clear_bucket(folder)
        return
    for other in folder.parent.iterdir():
        if other != folder and (not other.name.startswith("new-") or abandoned(other)):
            remove(other)
    keys = set(map(str, Collection.objects.values_list("pk", flat=True)))
    for of_a_collection in root().iterdir():
        if of_a_collection.name not in keys:
            remove(of_a_collection)


def clear_bucket(folder: Path) -> None:
    ranker, root_name = Path(stored_names(folder)[0]).parents[1].as_posix(), root().name
    for other in set(default_storage.listdir(ranker)[0]) - {folder.name}:
        delete_stored(f"{ranker}/{other}")
    keys = set(map(str, Collection.objects.values_list("pk", flat=True)))
    for gone in set(default_storage.listdir(root_name)[0]) - keys:
        delete_stored(f"{root_name}/{gone}")


def delete_stored(folder: str) -> None:
    folders, names = default_storage.listdir(folder)
    for name in names:
        default_storage.delete(f"{folder}/{name}")
    for deeper in folders:
        delete_stored(f"{folder}/{deeper}")


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
