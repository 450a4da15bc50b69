"""What interleaving found of every two arms, and of all of them, as far as one reader may see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from ireval.interleaving import Interleaving
from ireval.significance.clusters import Clustered
from ireval.significance.exact import SignTests
from judging.logs.privacy import K, hidden_cells
from judging.models import User
from metrics.kinds.ab.choice import Choice
from metrics.kinds.ab.seen import EPOCH, Seen
from metrics.models import Report

WITHIN = {"score": Clustered._fields, "by_users": SignTests._fields}
TURNED = {"delta": "delta", "delta_low": "delta_high", "delta_high": "delta_low"}
TURNED_ALWAYS = {"always_low": "always_high", "always_high": "always_low"}


@dataclass(frozen=True)
class Duel:
    """Two arms, as seen from the first: `found` has what the engine's Interleaving has, None where it is unknown; p are corrected
    for the number of pairs."""

    first: str
    second: str
    found: Mapping[str, Any]
    p: float | None
    always_p: float | None
    always: bool

    @property
    def low(self) -> float | None:
        return self.found["always_low" if self.always else "delta_low"]

    @property
    def high(self) -> float | None:
        return self.found["always_high" if self.always else "delta_high"]

    @property
    def shown_p(self) -> float | None:
        return self.always_p if self.always else self.p

    @property
    def delta(self) -> float:
        return self.found["delta"]

    @property
    def users(self) -> int:
        return self.found["users"]

    def is_told(self, alpha: float) -> bool:
        return self.shown_p is not None and self.shown_p < alpha

    @property
    def undefined(self) -> str:
        return self.found["score"]["undefined"]

    @property
    def turned(self) -> "Duel":
        """As seen from the other one."""
        one = self.found
        ends = {name: less(one[other]) for name, other in (TURNED | TURNED_ALWAYS).items()}
        tests = {**one["by_users"], "wins": one["by_users"]["losses"], "losses": one["by_users"]["wins"]}
        score = one["score"]
        turned = {**score, "value": 1 - score["value"], "low": rest(score["high"]), "high": rest(score["low"])}
        counts = {"wins": one["losses"], "losses": one["wins"], "by_users": tests, "score": turned}
        return replace(self, first=self.second, second=self.first, found={**one, **ends, **counts})

    def numbers(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, **self.found, "holm": self.p, "always_holm": self.always_p}


def in_order(found: Mapping[str, Any]) -> dict[str, Any]:
    """As the engine has it: a database may keep JSON in another order."""
    inner = {name: {field: found[name][field] for field in fields} for name, fields in WITHIN.items()}
    return {name: inner.get(name, found[name]) for name in Interleaving._fields}


def less(number: float | None) -> float | None:
    return None if number is None else -number


def rest(share: float | None) -> float | None:
    return None if share is None else 1 - share


@dataclass(frozen=True)
class Standing:
    """An arm among all: the mean of its Δ against each other one, and which ranks the pairs leave possible."""

    arm: str
    rank: int
    low: int
    high: int
    delta: float
    credit: float


@dataclass(frozen=True)
class Line:
    """What users asked, or all that few of them did together (`query` is empty): of each arm the impressions that it alone won,
    and its credit."""

    query: str
    users: int | None
    impressions: int
    credited: int
    wins: list[int]
    credit: list[float]


class Lists(Seen):
    """A finished report of interleaving as one reader may see it: readers see no pair and no query of fewer than K users."""

    def __init__(self, report: Report, user: User, given: Mapping[str, Any]):
        super().__init__(report, user)
        self.arms = report.spec["arms"]
        self.choice = Choice.of(self.experiment, self.arms, given)
        self.result = report.result or {}

    @property
    def counts(self) -> dict[str, int]:
        return self.result["counts"]

    @property
    def nothing(self) -> str:
        """Why there is nothing to show to anybody."""
        if not self.counts["kept"]:
            return "No interleaved list was shown since it began."
        if self.result["whole"] is None:
            return f"{self.counts['kept']:,} interleaved lists were shown, and no click gave an arm any credit."
        return ""

    @property
    def too_few(self) -> bool:
        return not self.duels

    @cached_property
    def duels(self) -> list[Duel]:
        """Every two arms of which enough users clicked, those against the control first and as seen from the other arm."""
        return self.duels_in(self.result["whole"])

    def duels_in(self, whole: Mapping[str, Any] | None) -> list[Duel]:
        found = [
            Duel(one["first"], one["second"], in_order(one["found"]), one["holm"], one["always_holm"], self.choice.always)
            for one in (whole or {"pairs": []})["pairs"]
            if one["found"]["users"] >= K or (self.sees_records and one["found"]["users"])
        ]
        control = self.choice.control
        seen = [one.turned if one.first == control else one for one in found]
        return sorted(seen, key=lambda one: one.second != control)

    @property
    def users(self) -> int:
        """Who clicked on a list so that an arm was credited; of many arms those of the pair that has most."""
        return max(one.users for one in self.duels)

    @property
    def reached(self) -> int:
        return self.users

    @cached_property
    def standings(self) -> list[Standing]:
        """Best first; by the pairs that are shown, and the method that was chosen."""
        if len(self.arms) < 3:
            return []
        credit = {one["system"]: one["credit"] for one in self.result["whole"]["standings"]}
        deltas: dict[str, list[float]] = {arm: [] for arm in self.arms}
        above, below = dict.fromkeys(self.arms, 0), dict.fromkeys(self.arms, 0)
        for one in self.duels:
            deltas[one.first].append(one.delta)
            deltas[one.second].append(-one.delta)
            if one.is_told(self.experiment.alpha):
                better, worse = (one.first, one.second) if one.delta > 0 else (one.second, one.first)
                above[worse] += 1
                below[better] += 1
        means = {arm: sum(some) / len(some) for arm, some in deltas.items() if some}
        found = [
            Standing(arm, 1 + sum(other > mean + 1e-9 for other in means.values()), 1 + above[arm],
                     len(self.arms) - below[arm], mean, credit[arm])
            for arm, mean in means.items()
        ]  # fmt: skip
        return sorted(found, key=lambda one: one.rank)

    @cached_property
    def looks(self) -> list[tuple[datetime, list[Duel]]]:
        """Oldest first. Readers see one only if enough users came since the one before, so that two do not tell of a few."""
        found, before = [], 0
        for micros, whole in self.result["looks"]:
            duels = self.duels_in(whole)
            users = min((one.users for one in duels), default=0)
            if duels and (self.sees_records or users - before >= K):
                before = max(one.users for one in duels)
                found.append((EPOCH + timedelta(microseconds=micros), duels))
        return found

    @cached_property
    def queries(self) -> list[Line]:
        """Those asked most often; to readers, what fewer than K users asked is one line, with as much as keeps it hidden."""
        every = [self.line(one) for one in self.result["queries"]]
        hidden = [False] * len(every) if self.sees_records else hidden_cells([one.users or 0 for one in every])
        shown = [one for one, gone in zip(every, hidden, strict=True) if not gone]
        rest = [one for one, gone in zip(every, hidden, strict=True) if gone]
        return [*shown, together(rest)] if rest else shown

    def line(self, one: Mapping[str, Any]) -> Line:
        places = range(len(self.arms))
        wins, credit = ([one[f"{name}_{place}"] for place in places] for name in ("wins", "credit"))
        return Line(one["query"], one["users"], one["impressions"], one["credited"], wins, credit)


def together(lines: Sequence[Line]) -> Line:
    wins = [sum(some) for some in zip(*(one.wins for one in lines), strict=True)]
    credit = [sum(some) for some in zip(*(one.credit for one in lines), strict=True)]
    return Line("", None, sum(one.impressions for one in lines), sum(one.credited for one in lines), wins, credit)
