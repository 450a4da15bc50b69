"""Results of a side-by-side study, as pages, files and the API take them: of a pair, as seen from either system."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import Q, QuerySet

from ireval.io.plain import from_plain
from ireval.preferences import decisions
from ireval.significance import Clustered
from judging.models import Item, Study, Topic
from metrics.kinds.studies import part, rows
from metrics.models import Report

Duel = dict[str, Any]
OTHER = {"first": "second", "second": "first"}


@dataclass(frozen=True)
class PreferenceResults:
    """The results of every two systems, and of all of them together."""

    pairs: dict[str, Any]
    systems: dict[str, Any]

    @classmethod
    def of(cls, report: Report) -> "PreferenceResults":
        return cls(with_decisions(part(report, "pairs")), part(report, "systems"))

    @cached_property
    def duels(self) -> list[Duel]:
        """Every two systems that were compared, each as seen from the preferred one."""
        return [turned(duel) if duel["decision"].value < 0.5 else duel for duel in self.pairs["pairs"]]

    @cached_property
    def by_pair(self) -> dict[frozenset[str], Duel]:
        return {frozenset((duel["first"], duel["second"])): duel for duel in self.duels}

    def duel(self, first: str, second: str) -> Duel | None:
        """`first` against `second`; None where nobody compared them."""
        duel = self.by_pair.get(frozenset((first, second)))
        return turned(duel) if duel and duel["first"] != first else duel

    @property
    def ladder(self) -> list[dict[str, Any]]:
        """One row per system, from the strongest down; empty for two systems."""
        return self.systems["ladder"]

    @property
    def has_attention(self) -> bool:
        """Whether the ladder also has strengths by the workers' attention; reports of earlier versions have none."""
        return any(row.get("attentive") is not None for row in self.ladder)

    def first_to_show(self) -> Duel | None:
        """The strongest two systems that were compared, for readers who have not chosen any; None if none were."""
        place = {row["system"]: number for number, row in enumerate(self.ladder)}
        return min(self.duels, key=lambda duel: sorted(place.get(duel[side], 0) for side in OTHER), default=None)


def with_decisions(pairs: dict[str, Any]) -> dict[str, Any]:
    """The result of the step with the decision of each pair, also for reports of versions that stored none."""
    scores = [Clustered(**from_plain(pair["score"])) for pair in pairs["pairs"]]
    decided = zip(pairs["pairs"], decisions(scores), strict=True)
    return {**pairs, "pairs": [{**pair, "decision": decision} for pair, decision in decided]}


def turned(duel: Duel) -> Duel:
    """The same duel as seen from the other system."""
    score = duel["score"]
    ends = {"value": 1 - score["value"], "low": complement(score["high"]), "high": complement(score["low"])}
    swapped = {"first": duel["second"], "second": duel["first"], "wins": duel["losses"], "losses": duel["wins"]}
    tests = {name: {**duel[name], "wins": duel[name]["losses"], "losses": duel[name]["wins"]} for name in TESTS}
    strengths = [{**answer, "won": OTHER.get(answer["won"], answer["won"])} for answer in duel["strengths"]]
    estimates = {"score": {**score, **ends}, "decision": duel["decision"].turned}
    return {**duel, **swapped, **tests, **estimates, "strengths": strengths}


TESTS = ("by_topics", "by_votes", "with_same")


def complement(share: float | None) -> float | None:
    return None if share is None else 1 - share


def topics(report: Report, duel: Duel) -> pl.DataFrame:
    """One row per topic of a pair: topic, n, wins, ties, losses, both_bad, score, for_first, for_second."""
    table = rows(report, "pairs")
    low, high = sorted((duel["first"], duel["second"]))
    of_pair = table.filter((pl.col("first") == low) & (pl.col("second") == high))
    if low != duel["first"]:
        swapped = {"wins": "losses", "losses": "wins", "for_first": "for_second", "for_second": "for_first"}
        of_pair = of_pair.rename(swapped).with_columns(score=1 - pl.col("score"))
    return of_pair.select("topic", "n", "wins", "ties", "losses", "both_bad", "score", "for_first", "for_second")


def items_of(study: Study, first: str, second: str) -> QuerySet[Item]:
    """The items that compare the two runs, in either order."""
    one_way, other_way = Q(first__run__name=first, second__run__name=second), Q(first__run__name=second, second__run__name=first)
    return study.items.filter(one_way | other_way)


def same_topics(study: Study, first: str, second: str) -> list[Topic]:
    """The topics on which both systems show the same, so that nobody was asked."""
    alike = Topic.objects.filter(pk__in=items_of(study, first, second).filter(role=Item.Role.SAME).values("topic"))
    return sorted(alike, key=lambda topic: (topic.number.rjust(20), topic.number))


def by_name(study: Study) -> Mapping[str, int]:
    """The keys of the study's runs, by name; addresses are made of them."""
    return dict(study.runs.values_list("name", "pk"))
