"""Decisions: one answer to each question "is the first better than the second?", with the correction that the questions share.

Whatever a reader is told of a question comes from its `Decision`: the answer, its p and the interval agree by construction.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ireval.io.arguments import require_each
from ireval.significance.corrections import CORRECTIONS, shares_of_alpha
from ireval.significance.sequences import AlwaysValid, always_valid, sequence_rho
from ireval.significance.students_t import quantile, two_sided

Outcome = Literal["first", "second", "none", "unknown"]


class Estimate(NamedTuple):
    """An estimated difference, or a share, with its standard error and the degrees of freedom of Student's t.

    `n` counts the independent units, which confidence sequences need. `undefined` says why there is no error.
    """

    value: float
    error: float
    freedom: float
    n: int = 0
    undefined: str = ""


class Decision(NamedTuple):
    """The answer to one question of a family of `questions`.

    - outcome: "first" or "second", whichever is better; "none" if no difference was found; "unknown" where `undefined` says why.
    - p: corrected for the family. The outcome is "first" or "second" exactly when it is below `alpha`.
    - low, high: the ends of the interval with the confidence `level`, which is 1 minus this question's share of alpha. They leave
      out the value of no difference exactly when p is below alpha.
    """

    outcome: Outcome
    value: float
    low: float
    high: float
    p: float
    level: float
    alpha: float
    against: float
    questions: int
    correction: str
    undefined: str = ""

    @property
    def is_told(self) -> bool:
        """Whether one of the two is better."""
        return self.outcome in ("first", "second")

    @property
    def turned(self) -> "Decision":
        """The answer to the same question as seen from the second."""
        outcomes: dict[Outcome, Outcome] = {"first": "second", "second": "first"}
        outcome = outcomes.get(self.outcome, self.outcome)
        value, low, high = (2 * self.against - end for end in (self.value, self.high, self.low))
        return self._replace(outcome=outcome, value=value, low=low, high=high)


def decide(
    estimates: Sequence[Estimate],
    *,
    against: float = 0.0,
    alpha: float = 0.05,
    correction: str = "holm",
    planned: int | Sequence[int | None] | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> list[Decision]:
    """Decide a family of questions together, one per estimate: is the true value above `against`, below it, or is that not known?

    p is two-sided, of Student's t, and corrected over all questions whose error is known. The interval is Student's at the level
    of 1 minus the question's share of alpha (`shares_of_alpha`), cut off at `bounds`. With `planned`, p and intervals hold at
    every look (`always_valid`, narrowest at `planned` units); each question may have its own. Values are as the larger one is
    better.
    BadInput for an unknown correction. Sources: those of `holm`, `benjamini_hochberg` and `always_valid`.

    >>> better, close = decide([Estimate(0.1, 0.03, 49), Estimate(0.05, 0.03, 49)])
    >>> better.outcome, round(better.p, 4), round(better.level, 3), round(better.low, 3)
    ('first', 0.0033, 0.975, 0.031)
    >>> close.outcome, round(close.p, 4), round(close.low, 3)
    ('none', 0.102, -0.01)
    """
    require_each("estimates", estimates, Estimate, "Estimates")
    looks = [planned] * len(estimates) if planned is None or isinstance(planned, int) else planned
    p = np.array([test_of(estimate, against, alpha, look) for estimate, look in zip(estimates, looks, strict=True)], np.float64)
    shares = shares_of_alpha(p, correction, alpha)
    corrected = CORRECTIONS[correction][1](p)
    ends = [
        ends_of(estimate, share, alpha, look) for estimate, share, look in zip(estimates, shares.tolist(), looks, strict=True)
    ]
    cut = np.clip(np.array(ends).reshape(-1, 2), *bounds)
    return [
        Decision(
            outcome=outcome_of(estimate.value, against, own_p, alpha),
            value=estimate.value,
            low=low,
            high=high,
            p=own_p,
            level=1 - share,
            alpha=alpha,
            against=against,
            questions=int(np.count_nonzero(~np.isnan(p))),
            correction=correction,
            undefined=estimate.undefined,
        )
        for estimate, own_p, share, (low, high) in zip(estimates, corrected.tolist(), shares.tolist(), cut.tolist(), strict=True)
    ]


def test_of(estimate: Estimate, against: float, alpha: float, planned: int | None) -> float:
    """The question's own p; NaN without an error above 0."""
    if not estimate.error > 0:
        return math.nan
    if planned is None:
        return two_sided((estimate.value - against) / estimate.error, estimate.freedom)
    return sequence(estimate, against, alpha, alpha, planned).p


def ends_of(estimate: Estimate, share: float, alpha: float, planned: int | None) -> tuple[float, float]:
    if not estimate.error > 0:
        return math.nan, math.nan
    if planned is None:
        half = quantile(estimate.freedom, 1 - share) * estimate.error
        return estimate.value - half, estimate.value + half
    low, high, _ = sequence(estimate, 0.0, share, alpha, planned)
    return low, high


def sequence(estimate: Estimate, against: float, share: float, alpha: float, planned: int) -> AlwaysValid:
    """The confidence sequence with the ρ of alpha, whatever the question's share: so its p and all its intervals agree."""
    return always_valid(
        estimate.value - against,
        estimate.error,
        estimate.n,
        confidence=1 - share,
        freedom=estimate.freedom,
        rho=sequence_rho(planned, alpha),
    )


def outcome_of(value: float, against: float, p: float, alpha: float) -> Outcome:
    if math.isnan(p):
        return "unknown"
    if p >= alpha:
        return "none"
    return "first" if value > against else "second"
