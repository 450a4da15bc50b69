"""Lines of an A/B report: a metric in one arm against the control, decided by fixed-horizon or always-valid intervals."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.behaviour import Definition, definition_of
from ireval.experiments import Effect, arm_effects, arm_means
from ireval.experiments import Experiment as Sums
from ireval.experiments.ab_test import Contrast, contrast, estimate, fieller
from ireval.significance import Decision, Estimate, decide
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
    """Interval and p as decided: `low` and `high` end the interval of the difference, the others that of the lift."""

    low: float
    high: float
    p: float
    relative_low: float
    relative_high: float

    @property
    def is_endless(self) -> bool:
        """Whether there are too few users for an interval, so that no difference is excluded."""
        return math.isinf(self.high - self.low)


(UNDECIDED,) = decide([Estimate(math.nan, math.nan, math.nan)])
OUTCOMES = {"first": "higher", "second": "lower"}


@dataclass(frozen=True)
class Line:
    """A metric in one arm against the control; `decision` says by the reader's method whether it is higher or lower."""

    definition: Definition
    effect: Effect
    supplement: Supplement
    contrast: Contrast | None
    decision: Decision

    @property
    def shown(self) -> Inference:
        low, high = self.decision.low, self.decision.high
        return Inference(*self.cut(low, high), self.decision.p, *lift_ends(self.effect, self.contrast, low, high))

    def cut(self, low: float, high: float) -> tuple[float, float]:
        """The ends of an interval as far as the difference can be: shares differ by no more than 1."""
        if self.definition.measured_in != "share" or not math.isfinite(high - low):
            return low, high
        return max(low, -1.0), min(high, 1.0)

    @property
    def verdict(self) -> str:
        """One of `higher`, `lower`, `none` (no difference was found) and `unknown` (there is no interval)."""
        return OUTCOMES.get(self.decision.outcome, self.decision.outcome)

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
        effect = self.effect
        low, high = self.cut(effect.low, effect.high)
        always_low, always_high = self.cut(effect.always_low, effect.always_high)
        ends = {"low": low, "high": high, "always_low": always_low, "always_high": always_high}
        return {**effect._asdict(), **ends, **self.supplement._asdict()}


class Method(NamedTuple):
    """How the lines of a report are computed. `alpha` is shared by each family of questions."""

    control: str
    alpha: float
    adjust: bool
    planned: int
    always: bool


def lines_of(sums: Sums, method: Method, correction: str = "holm") -> list[Line]:
    """One line per metric and arm but the control; all are one family of questions."""
    lines = undecided(sums, method, confidence=1 - method.alpha)
    return decided(lines, method, correction)


def undecided(sums: Sums, method: Method, *, confidence: float) -> list[Line]:
    """Lines that no decision was made on; holm and bh are over these lines."""
    effects = arm_effects(sums, method.control, confidence=confidence, adjust=method.adjust, planned=method.planned)
    means = {(row.metric, row.arm): row.mean for row in arm_means(sums)}
    contrasts = [contrast_of(sums, effect) for effect in effects]
    p = np.array([effect.always_p for effect in effects])
    supplements = [
        Supplement(
            *lift_ends(effect, between, effect.always_low, effect.always_high),
            by_holm,
            by_bh,
            means[effect.metric, effect.arm],
            means[effect.metric, effect.control],
        )
        for effect, between, by_holm, by_bh in zip(
            effects, contrasts, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True
        )
    ]
    return [
        Line(definition_of(effect.metric), effect, supplement, between, UNDECIDED)
        for effect, supplement, between in zip(effects, supplements, contrasts, strict=True)
    ]


def lift_ends(effect: Effect, between: Contrast | None, low: float, high: float) -> tuple[float, float]:
    """Fieller's interval of the lift, as many standard errors wide as the difference's interval from `low` to `high`."""
    if between is None or not math.isfinite(high - low):
        return math.nan, math.nan
    return fieller(between, (high - effect.difference) / effect.error)[1:]


def decided(lines: Sequence[Line], method: Method, correction: str) -> list[Line]:
    """The lines, decided together as one family of questions by the method that the reader chose."""
    planned = method.planned if method.always else None
    family = decide([line.effect.estimate for line in lines], alpha=method.alpha, correction=correction, planned=planned)
    return [replace(line, decision=decision) for line, decision in zip(lines, family, strict=True)]


def contrast_of(sums: Sums, effect: Effect) -> Contrast | None:
    """The numbers that the interval of a lift needs."""
    if effect.undefined:
        return None
    (metric,) = with_metric(sums, effect.metric).metrics
    arm, control = (estimate(metric, metric.moments[sums.number_of(name)]) for name in (effect.arm, effect.control))
    return contrast(arm, control, effect.adjusted)


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
