"""What the report of a side-by-side study found, as pages, files and the API take it: of a pair, as seen from either system."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import Q, QuerySet

from judging.models import Item, Study, Topic
from metrics.kinds.studies import part, rows
from metrics.models import Report

Duel = dict[str, Any]
OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class Found:
    """What a report found of every two systems, and of all of them together."""

    pairs: dict[str, Any]
    systems: dict[str, Any]

    @classmethod
    def of(cls, report: Report) -> "Found":
        return cls(part(report, "pairs"), part(report, "systems"))

    @cached_property
    def duels(self) -> list[Duel]:
        """Every two systems that were compared, each as seen from the one that is preferred."""
        return [turned(one) if one["score"]["value"] < 0.5 else one for one in self.pairs["pairs"]]

    @cached_property
    def by_pair(self) -> dict[frozenset[str], Duel]:
        return {frozenset((one["first"], one["second"])): one for one in self.duels}

    def duel(self, first: str, second: str) -> Duel | None:
        """`first` against `second`; None where nobody compared them."""
        one = self.by_pair.get(frozenset((first, second)))
        return turned(one) if one and one["first"] != first else one

    @property
    def ladder(self) -> list[dict[str, Any]]:
        """From the strongest down; empty for two systems."""
        return self.systems["ladder"]

    def first_to_show(self) -> Duel | None:
        """The strongest two that were compared, for who has not chosen any."""
        place = {one["system"]: number for number, one in enumerate(self.ladder)}
        return min(self.duels, key=lambda one: sorted(place.get(one[side], 0) for side in OTHER), default=None)


def turned(one: Duel) -> Duel:
    """The same as seen from the other system."""
    score = one["score"]
    ends = {"value": 1 - score["value"], "low": less(score["high"]), "high": less(score["low"])}
    swapped = {"first": one["second"], "second": one["first"], "wins": one["losses"], "losses": one["wins"]}
    tests = {name: {**one[name], "wins": one[name]["losses"], "losses": one[name]["wins"]} for name in TESTS}
    strengths = [{**said, "won": OTHER.get(said["won"], said["won"])} for said in one["strengths"]]
    return {**one, **swapped, **tests, "score": {**score, **ends}, "strengths": strengths}


TESTS = ("by_topics", "by_votes", "with_same")


def less(share: float | None) -> float | None:
    return None if share is None else 1 - share


def topics(report: Report, one: Duel) -> pl.DataFrame:
    """One row per topic of a pair: topic, n, wins, ties, losses, both_bad, score, for_first, for_second."""
    table = rows(report, "pairs")
    low, high = sorted((one["first"], one["second"]))
    found = table.filter((pl.col("first") == low) & (pl.col("second") == high))
    if low != one["first"]:
        swapped = {"wins": "losses", "losses": "wins", "for_first": "for_second", "for_second": "for_first"}
        found = found.rename(swapped).with_columns(score=1 - pl.col("score"))
    return found.select("topic", "n", "wins", "ties", "losses", "both_bad", "score", "for_first", "for_second")


def items_of(study: Study, first: str, second: str) -> QuerySet[Item]:
    """The items that compare the two, whichever is the first of them."""
    one_way, other_way = Q(first__run__name=first, second__run__name=second), Q(first__run__name=second, second__run__name=first)
    return study.items.filter(one_way | other_way)


def same_topics(study: Study, first: str, second: str) -> list[Topic]:
    """Those on which both show the same, so that nobody was asked."""
    found = Topic.objects.filter(pk__in=items_of(study, first, second).filter(role=Item.Role.SAME).values("topic"))
    return sorted(found, key=lambda topic: (topic.number.rjust(20), topic.number))


def by_name(study: Study) -> Mapping[str, int]:
    """The keys of the study's runs, which addresses are made of."""
    return dict(study.runs.values_list("name", "pk"))
