"""Stopping: which orders of systems a sample of judgements has settled already, valid whenever one looks.

What is estimated is the value that evaluate would give once every document of the pool is judged. The topics are given: whether a
difference would hold on other topics is what ireval.significance tells.

Why an interval covers at any look:

1. A draw's value is the difference where predicted gains stand for the grades of what is not drawn yet, plus a correction. That
   is the drawn document's error, weight · (gain − predicted gain), over the probability with which it was drawn.
2. Predictions and probabilities follow from earlier draws alone. A correction is therefore expected to be the sum of all errors
   that are left. So a draw's value is expected to be the difference, whatever was drawn before and however bad the predictions
   are.
3. A bet on each draw's value against the true difference is then fair. Its size, too, follows from earlier draws alone. The
   chance that such bets ever make 1 / α of 1 is at most α, at all looks together (`ireval.pooling.bets`).
4. An interval leaves out what bets have won so much against. The truth is ever left out with no more than that chance, wherever
   judging stops. The two ends, and the pairs where all are to hold together, share the chance between them.

nDCG and its like divide by ideals that nobody knows before the end. Draws then estimate the difference over ideals to expect,
which also follow from earlier draws. What this lacks of the difference, its remainder, is one number for each draw.

5. With its true remainder a draw's value is expected to be the difference again, and 3 and 4 hold.
6. A look knows only the ends between which every remainder lies, however the unjudged will be graded
   (`ireval.pooling.ideal_bounds`). Bets win less with a smaller value. With the least remainders they never have more than with
   the true ones, at no look, and so refute nothing that those would not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_confidence
from ireval.io.frames import Frame
from ireval.measures.names import Name, parse_measure
from ireval.pooling.bets import UnbiasedDraws, always_valid_ends
from ireval.pooling.bounds import ROUNDING, DifferenceBounds, difference_bounds, pair_table, portions
from ireval.pooling.documents import PooledDocuments
from ireval.pooling.ideal_bounds import Outlook, Remainders, ideal_ends
from ireval.pooling.sampling import (
    Design,
    SamplingFrame,
    Stretch,
    checked_draws,
    drawn_before,
    left_before,
    sampling_frame,
    stretches,
)
from ireval.significance.pairs import Pairs


@dataclass(frozen=True, eq=False)
class SampledDifferences:
    """Estimates of the pairs' mean differences from n draws, and intervals that hold at every look, (pairs,) each."""

    systems: tuple[str, ...]
    pairs: Pairs
    estimate: Floats
    low: Floats
    high: Floats
    n: int

    @property
    def order(self) -> Ints:
        """1 where the first of the pair is settled to have the higher mean, −1 where the second is, else 0."""
        return (self.low > ROUNDING).astype(np.int64) - (self.high < -ROUNDING)

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per pair: its systems, estimate, low, high and order."""
        columns = {"estimate": self.estimate, "low": self.low, "high": self.high, "order": self.order}
        return pair_table(self.systems, self.pairs, columns)


def sampled_differences(
    documents: PooledDocuments,
    measure: Name,
    draws: Frame,
    *,
    confidence: float = 0.95,
    together: bool = False,
    top_grade: int | None = None,
    relevant_from: int = 1,
    pairs: Pairs | None = None,
) -> SampledDifferences:
    """Estimate the pairs' mean differences from drawn documents, with intervals that hold at all looks together.

    `documents` have the grades from before the first draw; `draws` are those of `draw_documents` with a column grade. Only draws
    before the first without a grade count. Judging may stop whenever an order is settled. The chance that any look ever finds a
    wrong one is at most 1 − confidence for each pair, or with `together` for all of them. Without draws the ends are those of
    `difference_bounds` and the estimate is the model's. Estimates are unbiased for a number of draws that is fixed beforehand,
    but for being cut off at the ends of `difference_bounds`.

    A draw's value is the difference where predicted gains fill in for what is not drawn, corrected by the drawn document's error
    over its probability. The interval holds every value against which bets on the draws have not won 2 / alpha. Of nDCG and its
    like it holds every value that some ideals still allow, and the estimate is nearly unbiased. Raises BadInput and BadMeasure as
    `draw_documents` does.

    Sources: Shekhar et al., Risk-limiting financial audits via weighted sampling without replacement, UAI 2023; Waudby-Smith and
    Ramdas, Estimating means of bounded random variables by betting, JRSS B 86(1), 2024.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.documents import pooled_documents
    >>> from ireval.pooling.sampling import draw_documents
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "b": 1.0}}}
    >>> documents, measure = pooled_documents(runs, {"1": {"b": 1}}, depth=2), parse_measure("P@2")
    >>> draws = draw_documents(documents, measure, 2, np.random.default_rng(1)).with_columns(grade=pl.Series([0, 1]))
    >>> sampled_differences(documents, measure, draws).table.rows()
    [('x', 'y', 0.5, 0.5, 0.5, 1)]
    """
    require_confidence(confidence)
    measure = parse_measure(measure)
    frame = sampling_frame(documents, measure, top_grade, relevant_from, pairs)
    drawn = checked_draws(draws)
    rows, grades = drawn_before(documents, drawn)
    graded = documents.with_grades(rows[: len(grades)], grades)
    start, now = (
        difference_bounds(each, measure, top_grade=frame.top_grade, relevant_from=relevant_from, pairs=frame.pairs)
        for each in (documents, graded)
    )
    if not len(grades):
        return SampledDifferences(documents.systems, frame.pairs, expected_differences(frame), now.low, now.high, 0)
    made = list(stretches(frame, drawn))
    least, expected, most = map(unbiased_draws(frame, made).plus, remainders_of(frame, made, now))
    alpha = (1 - confidence) / (len(frame.pairs) if together else 1)
    low, high = always_valid_ends(least, most, start.low, start.high, alpha / 2)
    estimate, low, high = (np.clip(ends, now.low, now.high) for ends in (weighted_mean(expected), low, high))
    return SampledDifferences(documents.systems, frame.pairs, estimate, low, high, len(grades))


def expected_differences(frame: SamplingFrame) -> Floats:
    design = frame.design(np.empty(0, np.int64), np.empty(0, np.int64))
    return frame.pairs.differences((design.expected @ design.weights)[None])[0]


def weighted_mean(values: UnbiasedDraws) -> Floats:
    """The mean of the draws, weighted by 1 / left²: a draw errs as far as what is left can. Fixed weights keep it unbiased."""
    return np.average(values.value, axis=0, weights=1 / values.left.astype(float) ** 2)


def unbiased_draws(frame: SamplingFrame, made: Sequence[Stretch]) -> UnbiasedDraws:
    before, parts = frame.documents, []
    for stretch in made:
        parts.append(draws_of(frame, stretch, before))
        before = before.with_grades(stretch.rows, stretch.grades)
    columns = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(UnbiasedDraws)}
    return UnbiasedDraws(**columns)


def remainders_of(frame: SamplingFrame, made: Sequence[Stretch], now: DifferenceBounds) -> Remainders:
    """What each draw's differences lack, (draws, pairs); `now` are the bounds with the grades of all of them."""
    if frame.sums.ideal is None:
        return Remainders(*np.zeros((3, 1, len(frame.pairs))))
    outlook = outlook_of(frame, made, now)
    lacking = zip(*(outlook.remainders(stretch.design.ideal) for stretch in made), strict=True)
    return Remainders(*(np.repeat(table, [len(stretch.rows) for stretch in made], axis=0) for table in lacking))


def outlook_of(frame: SamplingFrame, made: Sequence[Stretch], now: DifferenceBounds) -> Outlook:
    rows, grades = (np.concatenate(parts) for parts in zip(*((each.rows, each.grades) for each in made), strict=True))
    documents, design = frame.documents.with_grades(rows, grades), frame.design(rows, grades)
    values = np.array([design.expected[topic] @ design.weights[topic] for topic in documents.by_topic()])
    return Outlook(*ideal_ends(documents, frame.sums), design.ideal, values, now)


def draws_of(frame: SamplingFrame, stretch: Stretch, before: PooledDocuments) -> UnbiasedDraws:
    """The draws of one stretch; `before` has the grades of all draws before it."""
    design, rows = stretch.design, stretch.rows
    error = frame.sums.gains(stretch.grades) - design.expected[rows]
    weights = frame.pairs.differences(design.weights[rows])
    filled_in = np.where(before.judged, frame.sums.gains(before.grade), design.expected)
    expected = frame.pairs.differences((filled_in @ design.weights)[None]) + sum_before(weights * error[:, None])
    left = left_before(design.size, rows)
    share = (left / design.size[rows])[:, None]
    worth = design.deviation[rows] ** 2 / design.size[rows]
    variance = left[:, None] * (spread_of_all(frame, design) - sum_before(weights**2 * worth[:, None]))
    least, most = farthest_errors(frame, design)
    return UnbiasedDraws(
        value=expected + weights * error[:, None] * share,
        least=expected + left[:, None] * least,
        most=expected + left[:, None] * most,
        variance=np.maximum(variance, 0),
        left=np.count_nonzero(design.size) - np.arange(len(rows)),
    )


def sum_before(values: Floats) -> Floats:
    """The sum of the rows before each row."""
    return np.cumsum(values, axis=0) - values


def spread_of_all(frame: SamplingFrame, design: Design) -> Floats:
    """Σ over documents that can be drawn of (difference of weights · deviation)² / size, (pairs,)."""
    drawn = design.size > 0
    weights = design.weights[drawn]
    shared = (weights * (design.deviation[drawn] ** 2 / design.size[drawn])[:, None]).T @ weights
    own = np.diag(shared)
    first, second = frame.pairs.first, frame.pairs.second
    return own[first] + own[second] - 2 * shared[first, second]


def farthest_errors(frame: SamplingFrame, design: Design) -> tuple[Floats, Floats]:
    """The ends, (pairs,) each, of what a document that can be drawn adds by its error: weight · error / size."""
    drawn = design.size > 0
    size, expected = design.size[drawn][:, None], design.expected[drawn][:, None]
    least, most = np.empty((2, len(frame.pairs)))
    for part in portions(len(size), len(frame.pairs)):
        relative = frame.pairs.part(part).differences(design.weights[drawn]) / size
        ends = relative * -expected, relative * (frame.sums.gain[-1] - expected)
        least[part], most[part] = np.minimum(*ends).min(axis=0), np.maximum(*ends).max(axis=0)
    return least, most
