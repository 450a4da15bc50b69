"""A metric in an arm against the control, by either method: once, at the end, or at any time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.behaviour import Definition, definition_of
from ireval.experiments import Effect, arm_effects, arm_means
from ireval.experiments import Experiment as Sums
from ireval.experiments.ab_test import contrast, estimate, fieller
from ireval.significance.corrections import benjamini_hochberg, holm


class Beside(NamedTuple):
    """What the engine's Effect does not say: of the always-valid method the lift's interval and p corrected, and of both arms
    the means as they were, before what users had done earlier was taken into account."""

    always_relative_low: float
    always_relative_high: float
    always_holm: float
    always_bh: float
    raw_mean: float
    raw_mean_control: float


class Shown(NamedTuple):
    """Interval and p by one of the methods; `low` and `high` are the difference's."""

    low: float
    high: float
    p: float
    holm: float
    bh: float
    relative_low: float
    relative_high: float


@dataclass(frozen=True)
class Line:
    definition: Definition
    effect: Effect
    beside: Beside
    always: bool

    @property
    def shown(self) -> Shown:
        """By the method that was chosen."""
        one, beside = self.effect, self.beside
        if self.always:
            corrected = one.always_p, beside.always_holm, beside.always_bh
            return Shown(one.always_low, one.always_high, *corrected, beside.always_relative_low, beside.always_relative_high)
        return Shown(one.low, one.high, one.p, one.holm, one.bh, one.relative_low, one.relative_high)

    @property
    def verdict(self) -> str:
        """higher or lower, none (no difference was found), or unknown."""
        low, high = self.shown.low, self.shown.high
        if math.isnan(low) or math.isnan(high):
            return "unknown"
        return "higher" if low > 0 else "lower" if high < 0 else "none"

    @property
    def judged(self) -> str:
        """better or worse where the metric says which way that is, else as `verdict`."""
        if self.verdict not in ("higher", "lower") or self.definition.better == "unknown":
            return self.verdict
        return "better" if (self.verdict == "higher") == (self.definition.better == "up") else "worse"

    @property
    def deviation(self) -> float:
        """Between users, of what is compared: with CUPED, and of ratios by the delta method."""
        return self.effect.error / math.sqrt(1 / self.effect.n + 1 / self.effect.n_control)

    def numbers(self) -> dict[str, Any]:
        return {**self.effect._asdict(), **self.beside._asdict()}


class How(NamedTuple):
    control: str
    confidence: float
    adjust: bool
    planned: int
    always: bool


def lines_of(sums: Sums, how: How) -> list[Line]:
    """All metrics in all arms but the control; p are corrected for all of them."""
    found = arm_effects(sums, how.control, confidence=how.confidence, adjust=how.adjust, planned=how.planned)
    means = {(one.metric, one.arm): one.mean for one in arm_means(sums)}
    p = np.array([one.always_p for one in found])
    return [
        Line(
            definition_of(one.metric),
            one,
            Beside(*always_lift(sums, one), by_holm, by_bh, means[one.metric, one.arm], means[one.metric, one.control]),
            how.always,
        )
        for one, by_holm, by_bh in zip(found, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    ]


def always_lift(sums: Sums, found: Effect) -> tuple[float, float]:
    """Fieller's interval, as many errors wide as the always-valid one of the difference."""
    if found.undefined:
        return math.nan, math.nan
    metric = next(one for one in sums.metrics if one.name == found.metric)
    arm, control = (estimate(metric, metric.moments[sums.number_of(name)]) for name in (found.arm, found.control))
    errors = (found.always_high - found.difference) / found.error
    return fieller(contrast(arm, control, found.adjusted), errors)[1:]


def with_arms(sums: Sums, arms: Sequence[str]) -> Sums:
    """Of these arms alone."""
    places = [place for place, arm in enumerate(sums.arms) if arm in arms]
    metrics = tuple(replace(one, moments=tuple(one.moments[place] for place in places)) for one in sums.metrics)
    return Sums(tuple(sums.arms[place] for place in places), sums.n[places], metrics, sums.crossed)


def with_metric(sums: Sums, name: str) -> Sums:
    return replace(sums, metrics=tuple(one for one in sums.metrics if one.name == name))


def times(line: Line, number: int) -> Line:
    """With p corrected for so many comparisons (Bonferroni)."""
    p, always_p = (min(one * number, 1.0) for one in (line.effect.p, line.effect.always_p))  # NaN stays: it stands first
    return replace(line, effect=line.effect._replace(p=p, always_p=always_p))


def corrected(lines: Sequence[Line]) -> list[Line]:
    """With p corrected for all of these."""

    def by(correct: Callable[[Floats], Floats], name: str) -> list[float]:
        return correct(np.array([getattr(line.effect, name) for line in lines])).tolist() if lines else []

    columns = by(holm, "p"), by(benjamini_hochberg, "p"), by(holm, "always_p"), by(benjamini_hochberg, "always_p")
    return [
        replace(
            line,
            effect=line.effect._replace(holm=one, bh=two),
            beside=line.beside._replace(always_holm=three, always_bh=four),
        )
        for line, one, two, three, four in zip(lines, *columns, strict=True)
    ]
