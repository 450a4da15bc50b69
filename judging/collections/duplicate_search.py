"""Near-duplicates of a collection: asked for by its owner, found by Celery, kept with the search that found them.

A search may run twice and counts once. Reports that count near-duplicates once name the search, whose groups never change.
"""

import io
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import polars as pl
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ireval import near_duplicates
from ireval.duplicates.similarity_join import THRESHOLD, WORDS
from ireval.io.tables import parquet_of
from judging.collections.qrels_cache import hash_of
from judging.errors import Impossible
from judging.models import Collection, NearDuplicates, Outbox, User

PORTION = 2000
# A search that was sent so long ago is sent again when somebody asks: the message may be lost.
GIVEN_UP = timedelta(minutes=15)


@transaction.atomic
def search_near_duplicates(*, collection: Collection, by: User) -> NearDuplicates:
    """Have Celery look for near-duplicates. Returns the collection's search that is under way, or a new one."""
    if not collection.documents.exists():
        raise Impossible(_("The collection has no documents: near-duplicates are told by their texts."))
    search, is_new = NearDuplicates.objects.get_or_create(
        collection=collection,
        state=NearDuplicates.State.WAITING,
        defaults={"threshold": THRESHOLD, "words": WORDS, "created_by": by},
    )
    now = timezone.now()
    if is_new or search.asked < now - GIVEN_UP:
        NearDuplicates.objects.filter(pk=search.pk).update(asked=now)
        Outbox.objects.post("judging.tasks.find_near_duplicates", search=search.pk)
    return search


def find(search: int) -> None:
    """Find the groups of a waiting search and keep them."""
    waiting = NearDuplicates.objects.filter(pk=search, state=NearDuplicates.State.WAITING)
    if (asked := waiting.select_related("collection").first()) is None:
        return
    read = Texts(asked.collection)
    groups = near_duplicates(read, threshold=asked.threshold, words=asked.words)
    content = parquet_of(groups)
    waiting.update(
        state=NearDuplicates.State.DONE,
        documents=read.number,
        members=len(groups),
        groups=groups["group"].n_unique(),
        content=content,
        sha256=hash_of(content),
        finished=timezone.now(),
    )


def give_up(reason: str, *, search: int) -> None:
    """Say of a search that it is not tried any more, and why."""
    waiting = NearDuplicates.objects.filter(pk=search, state=NearDuplicates.State.WAITING)
    waiting.update(state=NearDuplicates.State.FAILED, error=reason, finished=timezone.now())


def again(*, search: int) -> None:
    """Let a search that was given up wait again, unless the collection has another one under way."""
    given_up = NearDuplicates.objects.filter(pk=search, state=NearDuplicates.State.FAILED)
    with suppress(IntegrityError), transaction.atomic():
        given_up.update(state=NearDuplicates.State.WAITING, error="", finished=None, asked=timezone.now())


def found_in(collection: Collection) -> NearDuplicates | None:
    """The newest search that has ended well; None if there is none."""
    return collection.near_duplicates.filter(state=NearDuplicates.State.DONE).first()


def groups_frame(search: NearDuplicates) -> pl.DataFrame:
    """The groups that a search found: docno and group, in the order of the documents."""
    return pl.read_parquet(io.BytesIO(bytes(search.content)))


def groups_of(search: NearDuplicates) -> list[list[str]]:
    """The docnos of each group, in the order of the documents."""
    return groups_frame(search).group_by("group", maintain_order=True).agg("docno")["docno"].to_list()


class Texts:
    """The collection's documents, docno and text, read a portion at a time; `number` counts those read so far."""

    def __init__(self, collection: Collection):
        self.collection, self.number = collection, 0

    def __iter__(self) -> Iterator[tuple[str, str]]:
        rows = self.collection.documents.order_by("pk").values_list("docno", "title", "text")
        for docno, title, text in rows.iterator(chunk_size=PORTION):
            self.number += 1
            yield docno, f"{title} {text}"
