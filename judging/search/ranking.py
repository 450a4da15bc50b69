"""The ranking for a query: by a ranker, or by a run, which knows the answers to its topics alone."""

from functools import lru_cache

import polars as pl
from django.utils.translation import gettext as _

from judging.collections.storage import run_frame
from judging.models import Arm, Collection, Document, Run
from judging.search.indexes import index_of
from judging.search.rankers import RANKERS, USUAL, Ranker

DEPTH = 100  # documents of which the page shows ten at a time
OF_A_RUN = "run:"


def search(collection: Collection, ranker: Ranker, query: str, depth: int = DEPTH) -> list[str]:
    """The docnos of the best documents. NotReady while there is no index."""
    keys = [key for key, _ in index_of(collection, ranker).best(ranker.terms(query), depth)]
    docnos = dict(Document.objects.filter(pk__in=keys).values_list("pk", "docno"))
    return [docnos[key] for key in keys if key in docnos]


def search_for_arm(collection: Collection, arm: Arm, query: str, depth: int = DEPTH) -> list[str] | None:
    """The docnos that the arm shows; None where it is a run that does not know the query."""
    if arm.run_id is None:
        return search(collection, RANKERS.get(arm.ranker, USUAL), query, depth)
    assert arm.run is not None
    answered = answer_of(arm.run, query)
    return None if answered is None else answered[:depth]


def answer_of(run: Run, query: str) -> list[str] | None:
    """A run's docnos for the topic whose title is the query, whatever its capitals. None where there is no such topic."""
    for number in run.collection.topics.filter(title__iexact=query).values_list("number", flat=True):
        if docnos := ranking_of(run, number):
            return docnos
    return None


@lru_cache(maxsize=256)
def ranking_of(run: Run, topic: str) -> list[str]:
    """Runs never change, and hash by their key."""
    frame: pl.DataFrame = run_frame(run, topic=topic, columns=["docno"])
    return frame["docno"].head(DEPTH).to_list()


def choices(collection: Collection) -> list[tuple[str, str]]:
    """What can rank a collection, and how a form calls it: the rankers, and its stored runs, which answer their topics alone."""
    named = _("Run %(run)s (answers its topics' titles only)")
    runs = [(f"{OF_A_RUN}{run.pk}", named % {"run": run.name}) for run in collection.runs.all()]
    return [(ranker.name, f"{ranker.name}: {_(ranker.description)}") for ranker in RANKERS.values()] + runs


def ranker_of_choice(chosen: str, collection: Collection) -> tuple[str, Run | None]:
    """An arm's `ranker` and `run`, of what was chosen; ("", None) for what there is not."""
    if chosen in RANKERS:
        return chosen, None
    number = chosen.removeprefix(OF_A_RUN)
    if chosen == number or not (number.isascii() and number.isdigit()):
        return "", None
    return "", collection.runs.filter(pk=number).first()
