"""Lines of an A/B report: a metric in one arm against the control, by fixed-horizon or always-valid intervals."""

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


class Supplement(NamedTuple):
    """Numbers that the engine's Effect lacks.

    These are the lift's interval and the corrected p values by the always-valid method, and both arms' means before adjustment.
    """

    always_relative_low: float
    always_relative_high: float
    always_holm: float
    always_bh: float
    raw_mean: float
    raw_mean_control: float


class Inference(NamedTuple):
    """Interval and p values by one of the methods; `low` and `high` end the interval of the difference."""

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
    supplement: Supplement
    always: bool

    @property
    def shown(self) -> Inference:
        """The interval and p values by the method that the reader chose."""
        effect, supplement = self.effect, self.supplement
        if self.always:
            corrected = effect.always_p, supplement.always_holm, supplement.always_bh
            return Inference(
                effect.always_low, effect.always_high, *corrected, supplement.always_relative_low, supplement.always_relative_high
            )
        return Inference(effect.low, effect.high, effect.p, effect.holm, effect.bh, effect.relative_low, effect.relative_high)

    @property
    def verdict(self) -> str:
        """One of `higher`, `lower`, `none` (no difference was found) and `unknown` (there is no interval)."""
        low, high = self.shown.low, self.shown.high
        if math.isnan(low) or math.isnan(high):
            return "unknown"
        return "higher" if low > 0 else "lower" if high < 0 else "none"

    @property
    def judged(self) -> str:
        """`better` or `worse` if the metric says which direction is better, else the `verdict`."""
        if self.verdict not in ("higher", "lower") or self.definition.better == "unknown":
            return self.verdict
        return "better" if (self.verdict == "higher") == (self.definition.better == "up") else "worse"

    @property
    def deviation(self) -> float:
        """The standard deviation between users of what is compared: after CUPED, of ratios by the delta method."""
        return self.effect.error / math.sqrt(1 / self.effect.n + 1 / self.effect.n_control)

    def numbers(self) -> dict[str, Any]:
        return {**self.effect._asdict(), **self.supplement._asdict()}


class Method(NamedTuple):
    """How the lines of a report are computed."""

    control: str
    confidence: float
    adjust: bool
    planned: int
    always: bool


def lines_of(sums: Sums, method: Method) -> list[Line]:
    """One line per metric and arm but the control; p values are corrected for all of them."""
    effects = arm_effects(sums, method.control, confidence=method.confidence, adjust=method.adjust, planned=method.planned)
    means = {(row.metric, row.arm): row.mean for row in arm_means(sums)}
    p = np.array([effect.always_p for effect in effects])
    return [
        Line(
            definition_of(effect.metric),
            effect,
            Supplement(
                *always_lift(sums, effect), by_holm, by_bh, means[effect.metric, effect.arm], means[effect.metric, effect.control]
            ),
            method.always,
        )
        for effect, by_holm, by_bh in zip(effects, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    ]


def always_lift(sums: Sums, effect: Effect) -> tuple[float, float]:
    """Fieller's interval of the lift, as many standard errors wide as the difference's always-valid interval."""
    if effect.undefined:
        return math.nan, math.nan
    (metric,) = with_metric(sums, effect.metric).metrics
    arm, control = (estimate(metric, metric.moments[sums.number_of(name)]) for name in (effect.arm, effect.control))
    errors = (effect.always_high - effect.difference) / effect.error
    return fieller(contrast(arm, control, effect.adjusted), errors)[1:]


def with_arms(sums: Sums, arms: Sequence[str]) -> Sums:
    """The same experiment with these arms alone."""
    places = [place for place, arm in enumerate(sums.arms) if arm in arms]
    metrics = tuple(replace(metric, moments=tuple(metric.moments[place] for place in places)) for metric in sums.metrics)
    return Sums(tuple(sums.arms[place] for place in places), sums.n[places], metrics, sums.crossed)


def with_metric(sums: Sums, name: str) -> Sums:
    return replace(sums, metrics=tuple(metric for metric in sums.metrics if metric.name == name))


def bonferroni(line: Line, number: int) -> Line:
    """The line with p values corrected for `number` comparisons (Bonferroni)."""
    p, always_p = (min(value * number, 1.0) for value in (line.effect.p, line.effect.always_p))  # NaN stays: it stands first
    return replace(line, effect=line.effect._replace(p=p, always_p=always_p))


def corrected(lines: Sequence[Line]) -> list[Line]:
    """The lines with p values corrected for all of them together (Holm, and Benjamini and Hochberg)."""

    def by(correct: Callable[[Floats], Floats], name: str) -> list[float]:
        return correct(np.array([getattr(line.effect, name) for line in lines])).tolist() if lines else []

    columns = by(holm, "p"), by(benjamini_hochberg, "p"), by(holm, "always_p"), by(benjamini_hochberg, "always_p")
    return [
        replace(
            line,
            effect=line.effect._replace(holm=p_holm, bh=p_bh),
            supplement=line.supplement._replace(always_holm=always_p_holm, always_bh=always_p_bh),
        )
        for line, p_holm, p_bh, always_p_holm, always_p_bh in zip(lines, *columns, strict=True)
    ]
