"""The two lists of one topic: what they show, who marked which result, and what everybody answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import Document, Item, Listing, Study, Topic
from judging.work.pair_answers import BAD, RELEVANT
from metrics.kinds.preferences.evidence import answers_of
from metrics.kinds.preferences.results import items_of
from metrics.models import Report

SIDES = ("left", "right")
CANNOT_JUDGE = {
    "unreadable": gettext_lazy("unreadable"),
    "language": gettext_lazy("language"),
    "unclear": gettext_lazy("unclear"),
    "difficult": gettext_lazy("difficult"),
    "other": gettext_lazy("other"),
}


@dataclass(frozen=True)
class Result:
    """A place in a list: what was shown there, and which workers marked it relevant or bad.

    `also` is its place in the other list, from 1; None where it is not in that.
    """

    shown: dict[str, Any]
    document: Document | None
    also: int | None
    relevant: Sequence[str]
    bad: Sequence[str]

    @property
    def title(self) -> str:
        return self.shown.get("title") or (self.document and self.document.title) or self.shown["docno"]


def lists(study: Study, topic: Topic, first: str, second: str, answers: pl.DataFrame) -> tuple[list[Result], list[Result]]:
    """The two lists as they were at launch, with the marks of these answers."""
    kept = study.listings.filter(topic=topic, run__name__in=[first, second]).values_list("run__name", "results")
    shown: dict[str, list[dict[str, Any]]] = dict(kept)
    places = {name: {row["docno"]: place for place, row in enumerate(rows, 1)} for name, rows in shown.items()}
    documents = Document.objects.defer("text").in_bulk({row["document"] for rows in shown.values() for row in rows} - {None})
    marked = marks(answers)

    def result(row: dict[str, Any], other: str) -> Result:
        docno = row["docno"]
        also = places.get(other, {}).get(docno)
        relevant, bad = (marked.get((docno, grade), []) for grade in (RELEVANT, BAD))
        return Result(row, documents.get(row["document"]), also, relevant, bad)

    return [result(row, second) for row in shown.get(first, [])], [result(row, first) for row in shown.get(second, [])]


def marks(answers: pl.DataFrame) -> dict[tuple[str, int], list[str]]:
    """The workers who marked a document, by docno and mark: relevant (1) or bad (0)."""
    each = answers.select("worker", "marks").explode("marks").drop_nulls("marks").unnest("marks")
    workers: dict[tuple[str, int], list[str]] = {}
    for docno, grade, worker in each.select("docno", "grade", "worker").unique(maintain_order=True).iter_rows():
        workers.setdefault((docno, grade), []).append(worker)
    return workers


def mark_count(report: Report) -> int:
    """How many documents workers marked in the votes that count."""
    return int(answers_of(report).filter("votes")["marks"].list.len().sum() or 0)


def answers_on(report: Report, topic: str, first: str, second: str) -> pl.DataFrame:
    """All answers on the two systems' lists for a topic, also those that do not count."""
    one_way = (pl.col("left") == first) & (pl.col("right") == second)
    other_way = (pl.col("left") == second) & (pl.col("right") == first)
    return answers_of(report).filter((pl.col("topic") == topic) & (one_way | other_way))


def answer_row(row: dict[str, Any]) -> dict[str, Any]:
    """An answer with the system that it prefers (`chosen`; None for a tie) and the places opened in either list.

    `why` is the reason of who cannot judge, in words.
    """
    chosen = row[row["winner"]] if row["winner"] in SIDES else None
    opened = [(row[side], places) for side in SIDES if (places := places_opened(row, side))]
    return {**row, "chosen": chosen, "opened": opened, "why": CANNOT_JUDGE.get(row["cannot_judge"], row["cannot_judge"])}


def places_opened(row: dict[str, Any], side: str) -> str:
    """The places that were opened in one list, each once, in the order of opening."""
    places = [str(step["rank"]) for step in row["interactions"] if step["side"] == side and step["what"] == "open"]
    return ", ".join(dict.fromkeys(places))


def why_nobody(study: Study, topic: Topic, first: str, second: str) -> str:
    """Say why there is no answer on the two lists."""
    roles = set(items_of(study, first, second).filter(topic=topic).values_list("role", flat=True))
    if Item.Role.SAME in roles:
        return _("Both show the same for this topic, so that nobody was asked: a tie.")
    return _("Nobody has answered yet.") if roles else _("Nobody was asked to compare these two.")


def has_listing(study: Study, topic: Topic, first: str, second: str) -> bool:
    return Listing.objects.filter(study=study, topic=topic, run__name__in=[first, second]).count() == 2
