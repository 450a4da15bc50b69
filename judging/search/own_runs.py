"""Runs of our own: a collection that has documents and topics gets the rankings of simple rankers, made by Celery.

They are something to compare a system with, or to have judged, before there is any system. A run may be made twice and is kept
once.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import polars as pl
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ireval.translatable import Phrase
from judging.collections.imports.outcome import lock
from judging.collections.qrels_cache import hash_of
from judging.collections.storage import all_or_nothing, ordered_run, run_content, store_run
from judging.errors import Impossible
from judging.models import Collection, Document, Outbox, OwnRun, Run, User
from judging.search.indexes import build, load_built
from judging.search.rankers import RANKERS, Ranker

OFFERED = ("bm25-words", "tfidf-words", "bm25-title")
NOTHING_FOUND = Phrase("No document has a word of any topic’s title.")
DEPTH = 1000  # documents a topic, as in TREC's runs
SCHEMA = {"topic": pl.String, "docno": pl.String, "score": pl.Float64}
# One that was sent so long ago without a word since is sent again when somebody asks: the message may be lost.
GIVEN_UP = timedelta(minutes=15)


def offered_for(collection: Collection) -> list[Ranker]:
    """The rankers that find something in the collection: without titles there is nothing to rank by them."""
    titled = collection.documents.exclude(title="").exists()
    return [RANKERS[name] for name in OFFERED if titled or name != "bm25-title"]


@transaction.atomic
def request_own_runs(*, collection: Collection, by: User) -> list[OwnRun]:
    """Have Celery rank the collection's documents for its topics by every ranker that is offered.

    Returns those that are under way, new or not. Raises Impossible without documents or topics.
    """
    documents, topics = collection.documents.exists(), collection.topics.exists()
    if not documents and not topics:
        raise Impossible(_("The collection has no documents and no topics: there is nothing to rank."))
    if not documents:
        raise Impossible(_("The collection has no documents: there is nothing to rank."))
    if not topics:
        raise Impossible(_("The collection has no topics: there is nothing to rank."))
    return [request_own_run(collection, ranker, by) for ranker in offered_for(collection)]


def request_own_run(collection: Collection, ranker: Ranker, by: User) -> OwnRun:
    own, is_new = OwnRun.objects.get_or_create(
        collection=collection, ranker=ranker.name, state=OwnRun.State.WAITING, defaults={"created_by": by}
    )
    now = timezone.now()
    if is_new or own.asked < now - GIVEN_UP:
        OwnRun.objects.filter(pk=own.pk).update(asked=now)
        Outbox.objects.post("judging.tasks.make_own_run", own=own.pk)
    return own


def make(own: int) -> None:
    """Rank, and keep the run; nothing where it is not waited for any more."""
    waiting = OwnRun.objects.filter(pk=own, state=OwnRun.State.WAITING)
    asked = waiting.select_related("collection", "created_by").first()
    if asked is None:
        return
    collection, ranker = asked.collection, RANKERS[asked.ranker]
    build(collection, ranker, lambda read: waiting.update(documents=read, asked=timezone.now()))
    topics = list(collection.topics.order_by("pk").values_list("number", "title"))
    frames = [pl.DataFrame(schema=SCHEMA)]
    for number, frame in enumerate(rankings(collection, ranker, topics), start=1):
        frames.append(frame)
        if number % 20 == 0:
            waiting.update(topics=number, asked=timezone.now())
    ranking = pl.concat(frames)
    if ranking.is_empty():
        waiting.update(state=OwnRun.State.FAILED, error=NOTHING_FOUND, finished=timezone.now())
        return
    with all_or_nothing():
        lock(collection)
        done = {"state": OwnRun.State.DONE, "topics": len(topics), "finished": timezone.now()}
        if waiting.update(**done):
            OwnRun.objects.filter(pk=own).update(run=kept(ranking, collection, ranker, len(topics), asked.created_by))


def rankings(collection: Collection, ranker: Ranker, topics: list[tuple[str, str]]) -> Iterator[pl.DataFrame]:
    """The best documents for the title of each topic."""
    index = load_built(collection, ranker)
    for number, title in topics:
        best = dict(index.best(ranker.terms(title), DEPTH))
        docnos = dict(Document.objects.filter(pk__in=best).values_list("pk", "docno"))
        rows = [(number, docnos[key], score) for key, score in best.items() if key in docnos]
        yield pl.DataFrame(rows, schema=SCHEMA, orient="row")


def kept(ranking: pl.DataFrame, collection: Collection, ranker: Ranker, topics: int, by: User) -> Run:
    """The run with this very ranking, or a new one. Where documents came since the last it is the next version."""
    name, number = ranker.name, 1
    while run := collection.runs.filter(name=name).first():
        if run.sha256 == hash_of(run_content(ordered_run(ranking, tag=name))):
            return run
        number += 1
        name = f"{ranker.name}-v{number}"
    description = (
        f"{ranker.description}\n\nMade here from the collection’s {collection.documents.count():,} documents, for the titles of "
        f"its {topics:,} topics, at most {DEPTH:,} documents a topic."
    )
    return store_run(ranking, collection=collection, name=name, by=by, description=description, source_name="made here")


def give_up(reason: str, *, own: int) -> None:
    """Mark a run as given up, with the reason."""
    waiting = OwnRun.objects.filter(pk=own, state=OwnRun.State.WAITING)
    waiting.update(state=OwnRun.State.FAILED, error=reason, finished=timezone.now())


def again(*, own: int) -> None:
    """Let a run that was given up wait again, unless another of the same ranker is under way."""
    given_up = OwnRun.objects.filter(pk=own, state=OwnRun.State.FAILED)
    with suppress(IntegrityError), transaction.atomic():
        given_up.update(state=OwnRun.State.WAITING, error="", finished=None, asked=timezone.now())
