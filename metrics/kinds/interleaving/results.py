"""Results of interleaving, as far as one reader may see them: of every two arms, of all arms, and by query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from ireval.interleaving import Interleaving, decisions
from ireval.io.plain import from_plain
from ireval.significance import Clustered, Decision, SignTests
from judging.logs.privacy import hidden_cells
from judging.models import User
from metrics.kinds.experiments.method_choice import Choice
from metrics.kinds.experiments.results import EPOCH, ExperimentResults
from metrics.models import Report

WITHIN = {"score": Clustered._fields, "by_users": SignTests._fields}
TURNED = {"delta": "delta", "delta_low": "delta_high", "delta_high": "delta_low"}
TURNED_ALWAYS = {"always_low": "always_high", "always_high": "always_low"}


@dataclass(frozen=True)
class Duel:
    """Two arms, as seen from the first.

    `decision` says who is preferred, by the method that the reader chose. `analysis` has the fields of the engine's Interleaving,
    None where unknown. p and always_p are corrected for the number of pairs.
    """

    first: str
    second: str
    analysis: Mapping[str, Any]
    p: float | None
    always_p: float | None
    decision: Decision

    @property
    def delta(self) -> float:
        return self.analysis["delta"]

    @property
    def users(self) -> int:
        return self.analysis["users"]

    @property
    def turned(self) -> "Duel":
        """The same duel as seen from the other arm."""
        old = self.analysis
        ends = {name: negated(old[other]) for name, other in (TURNED | TURNED_ALWAYS).items()}
        tests = {**old["by_users"], "wins": old["by_users"]["losses"], "losses": old["by_users"]["wins"]}
        score = old["score"]
        turned = {**score, "value": 1 - score["value"], "low": complement(score["high"]), "high": complement(score["low"])}
        counts = {"wins": old["losses"], "losses": old["wins"], "by_users": tests, "score": turned}
        analysis = {**old, **ends, **counts}
        return replace(self, first=self.second, second=self.first, analysis=analysis, decision=self.decision.turned)

    @property
    def winner_and_loser(self) -> tuple[str, str]:
        """The arm with more of the credit, and the other one."""
        return (self.first, self.second) if self.delta > 0 else (self.second, self.first)

    def numbers(self) -> dict[str, Any]:
        corrected = {"holm": self.p, "always_holm": self.always_p}
        return {"first": self.first, "second": self.second, **self.analysis, **corrected, "decision": self.decision._asdict()}


def in_engine_order(analysis: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in the engine's order: a database may keep JSON in another."""
    inner = {name: {field: analysis[name][field] for field in fields} for name, fields in WITHIN.items()}
    return {name: inner.get(name, analysis[name]) for name in Interleaving._fields}


def as_analysis(stored: Mapping[str, Any]) -> Interleaving:
    """The engine's analysis from its fields, where None stands for NaN."""
    score, users = (from_plain(stored[name]) for name in ("score", "by_users"))
    return Interleaving(**{**from_plain(stored), "score": Clustered(**score), "by_users": SignTests(**users)})


def negated(number: float | None) -> float | None:
    return None if number is None else -number


def complement(share: float | None) -> float | None:
    return None if share is None else 1 - share


@dataclass(frozen=True)
class Standing:
    """One arm among all: the mean of its Δ against each other arm, and the ranks that the pairs leave possible."""

    arm: str
    rank: int
    low: int
    high: int
    delta: float
    credit: float


@dataclass(frozen=True)
class QueryCounts:
    """Counts of one query, or of all queries of few users together (`query` is empty).

    `wins` are the impressions that each arm won alone, `credit` is each arm's credit, both in the order of the arms.
    """

    query: str
    users: int | None
    impressions: int
    credited: int
    wins: list[int]
    credit: list[float]


class InterleavingResults(ExperimentResults):
    """A finished report of interleaving as one reader may see it.

    Readers see no pair and no query of fewer than K users; the site's owner sees all.
    """

    def __init__(self, report: Report, user: User, query: Mapping[str, Any]):
        super().__init__(report, user)
        self.arms = report.spec["arms"]
        self.choice = Choice.of(self.experiment, self.arms, query)
        self.result = report.result or {}

    @property
    def counts(self) -> dict[str, int]:
        return self.result["counts"]

    @property
    def nothing(self) -> str:
        """Why there is nothing to show to anybody."""
        if not self.counts["kept"]:
            return _("No interleaved list was shown since it began.")
        if self.result["whole"] is None:
            text = _("%(n)s interleaved lists were shown, and no click gave an arm any credit.")
            return text % {"n": f"{self.counts['kept']:,}"}
        return ""

    @property
    def too_few(self) -> bool:
        return not self.duels

    @cached_property
    def duels(self) -> list[Duel]:
        """Every two arms on which enough users clicked.

        Pairs with the control come first, as seen from the other arm.
        """
        return self.shown(self.every_duel(self.result["whole"]))

    def shown(self, duels: Sequence[Duel]) -> list[Duel]:
        control = self.choice.control
        enough = [duel for duel in duels if duel.users and self.may_be_shown(duel.users)]
        return sorted(
            (duel.turned if duel.first == control else duel for duel in enough), key=lambda duel: duel.second != control
        )

    def every_duel(self, whole: Mapping[str, Any] | None) -> list[Duel]:
        """Every two arms, whoever may see them: what is decided of one depends on how many there are."""
        if whole is None:
            return []
        analyses = [in_engine_order(pair["analysis"]) for pair in whole["pairs"]]
        credit = {row["system"]: row["credit"] for row in whole["standings"]}
        weights = [
            credit[pair["first"]] + credit[pair["second"]] if analysis["by"] == "credit" else analysis["n"]
            for pair, analysis in zip(whole["pairs"], analyses, strict=True)
        ]
        planned = self.experiment.planned if self.choice.always else None
        decided = decisions(list(map(as_analysis, analyses)), weights, alpha=self.experiment.alpha, planned=planned)
        return [
            Duel(pair["first"], pair["second"], analysis, pair["holm"], pair["always_holm"], decision)
            for pair, analysis, decision in zip(whole["pairs"], analyses, decided, strict=True)
        ]

    @property
    def users(self) -> int:
        """The number of users whose clicks credited an arm; of many arms, of the pair that has most."""
        return max(duel.users for duel in self.duels)

    @property
    def reached(self) -> int:
        return self.users

    @cached_property
    def standings(self) -> list[Standing]:
        """The arms, best first, by the method that the reader chose; none of two arms.

        Means are over the pairs that are shown, ranks follow from all.
        """
        if len(self.arms) < 3:
            return []
        credit = {row["system"]: row["credit"] for row in self.result["whole"]["standings"]}
        deltas: dict[str, list[float]] = {arm: [] for arm in self.arms}
        above, below = dict.fromkeys(self.arms, 0), dict.fromkeys(self.arms, 0)
        for duel in self.duels:
            deltas[duel.first].append(duel.delta)
            deltas[duel.second].append(-duel.delta)
        for duel in self.every_duel(self.result["whole"]):
            if duel.decision.is_told:
                better, worse = duel.winner_and_loser
                above[worse] += 1
                below[better] += 1
        means = {arm: sum(values) / len(values) for arm, values in deltas.items() if values}
        standings = [
            Standing(arm, 1 + sum(other > mean + 1e-9 for other in means.values()), 1 + above[arm],
                     len(self.arms) - below[arm], mean, credit[arm])
            for arm, mean in means.items()
        ]  # fmt: skip
        return sorted(standings, key=lambda standing: standing.rank)

    @cached_property
    def looks(self) -> list[tuple[datetime, list[Duel]]]:
        """Looks, oldest first.

        Readers see a look only if K users came since the one before: the difference of two would tell of a few.
        """
        looks, before = [], 0
        for micros, whole in self.result["looks"]:
            duels = self.shown(self.every_duel(whole))
            users = min((duel.users for duel in duels), default=0)
            if duels and self.may_be_shown(users - before):
                before = max(duel.users for duel in duels)
                looks.append((EPOCH + timedelta(microseconds=micros), duels))
        return looks

    @cached_property
    def queries(self) -> list[QueryCounts]:
        """The queries asked most often.

        To readers, the queries of fewer than K users are one line, with as many others as keep these hidden.
        """
        every = [self.query_counts(row) for row in self.result["queries"]]
        hidden = [False] * len(every) if self.sees_records else hidden_cells([query.users or 0 for query in every])
        shown = [query for query, gone in zip(every, hidden, strict=True) if not gone]
        rest = [query for query, gone in zip(every, hidden, strict=True) if gone]
        return [*shown, merged(rest)] if rest else shown

    def query_counts(self, row: Mapping[str, Any]) -> QueryCounts:
        places = range(len(self.arms))
        wins, credit = ([row[f"{name}_{place}"] for place in places] for name in ("wins", "credit"))
        return QueryCounts(row["query"], row["users"], row["impressions"], row["credited"], wins, credit)


def merged(queries: Sequence[QueryCounts]) -> QueryCounts:
    wins = [sum(values) for values in zip(*(query.wins for query in queries), strict=True)]
    credit = [sum(values) for values in zip(*(query.credit for query in queries), strict=True)]
    return QueryCounts(
        "", None, sum(query.impressions for query in queries), sum(query.credited for query in queries), wins, credit
    )
