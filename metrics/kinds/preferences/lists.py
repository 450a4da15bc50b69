"""One topic of a pair: what both lists show, who marked what, and what everybody answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from judging.models import Document, Item, Listing, Study, Topic
from judging.work.pair_answers import BAD, RELEVANT
from metrics.kinds.preferences.results import items_of

SIDES = ("left", "right")


@dataclass(frozen=True)
class Result:
    """A place in a list: what was shown, its place in the other list (from 1; None where it is not in it), and who marked it."""

    shown: dict[str, Any]
    document: Document | None
    also: int | None
    relevant: Sequence[str]
    bad: Sequence[str]

    @property
    def title(self) -> str:
        return self.shown.get("title") or (self.document and self.document.title) or self.shown["docno"]


def lists(study: Study, topic: Topic, first: str, second: str, given: pl.DataFrame) -> tuple[list[Result], list[Result]]:
    """The two lists as they were at launch, with the marks of the answers `given`."""
    kept = study.listings.filter(topic=topic, run__name__in=[first, second]).values_list("run__name", "results")
    shown: dict[str, list[dict[str, Any]]] = dict(kept)
    places = {name: {row["docno"]: place for place, row in enumerate(rows, 1)} for name, rows in shown.items()}
    documents = Document.objects.defer("text").in_bulk({row["document"] for rows in shown.values() for row in rows} - {None})
    marked = marks(given)

    def result(row: dict[str, Any], other: str) -> Result:
        docno = row["docno"]
        also = places.get(other, {}).get(docno)
        relevant, bad = (marked.get((docno, grade), []) for grade in (RELEVANT, BAD))
        return Result(row, documents.get(row["document"]), also, relevant, bad)

    return [result(row, second) for row in shown.get(first, [])], [result(row, first) for row in shown.get(second, [])]


def marks(given: pl.DataFrame) -> dict[tuple[str, int], list[str]]:
    """Which workers marked a document as relevant (1) or bad (0)."""
    each = given.select("worker", "marks").explode("marks").drop_nulls("marks").unnest("marks")
    found: dict[tuple[str, int], list[str]] = {}
    for docno, grade, worker in each.select("docno", "grade", "worker").unique(maintain_order=True).iter_rows():
        found.setdefault((docno, grade), []).append(worker)
    return found


def answers_on(answers: pl.DataFrame, topic: str, first: str, second: str) -> pl.DataFrame:
    """All answers on the two systems' lists for a topic, also those that have no vote."""
    one_way = (pl.col("left") == first) & (pl.col("right") == second)
    other_way = (pl.col("left") == second) & (pl.col("right") == first)
    return answers.filter((pl.col("topic") == topic) & (one_way | other_way))


def told(row: dict[str, Any]) -> dict[str, Any]:
    """An answer with the system that it prefers, and what was opened of either."""
    chosen = row[row["winner"]] if row["winner"] in SIDES else None
    return {**row, "chosen": chosen, "opened": [(row[side], places) for side in SIDES if (places := opened(row, side))]}


def opened(row: dict[str, Any], side: str) -> str:
    """The places that were opened, each once, in that order."""
    places = [str(one["rank"]) for one in row["interactions"] if one["side"] == side and one["what"] == "open"]
    return ", ".join(dict.fromkeys(places))


def why_nobody(study: Study, topic: Topic, first: str, second: str) -> str:
    """Why there is no answer on the two lists."""
    roles = set(items_of(study, first, second).filter(topic=topic).values_list("role", flat=True))
    if Item.Role.SAME in roles:
        return "Both show the same for this topic, so that nobody was asked: a tie."
    return "Nobody has answered yet." if roles else "Nobody was asked to compare these two."


def has_listing(study: Study, topic: Topic, first: str, second: str) -> bool:
    return Listing.objects.filter(study=study, topic=topic, run__name__in=[first, second]).count() == 2
