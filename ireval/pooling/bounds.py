"""Bounds: between which ends the difference of two systems lies, however the unjudged documents will be graded.

An unjudged document that any of the systems ranks within the pool's depth may get every grade from 0 to the top one. All other
unjudged documents count as not relevant, as in evaluate. What a third system retrieved counts too: its grades move R and the
ideal. Topics are graded apart, so that the ends of a mean are the means of the topics' ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints, share
from ireval.io.arguments import require_count
from ireval.measures.names import Name, parse_measure
from ireval.measures.registry import BadMeasure, Measure
from ireval.pooling.additive_measures import FAMILIES, Additive, additive
from ireval.pooling.average_precision_bounds import average_precision_ends, lowest_relevant
from ireval.pooling.documents import Flags, PooledDocuments, require_documents
from ireval.significance.pairs import Pairs

# Ends closer to 0 than this differ from it by rounding alone.
ROUNDING = 1e-9
# A ratio that grows by less than this has reached its largest.
SMALL_GAIN = 1e-12
# So many differences at once stay in a processor's cache, which halves the time.
CACHED = 2**17


@dataclass(frozen=True, eq=False)
class DifferenceBounds:
    """The smallest and the largest difference of each pair on each topic, (topics, pairs), and of their means, (pairs,).

    `exact`: some way to grade reaches each end. Otherwise the ends hold every way to grade and may be too wide.
    """

    systems: tuple[str, ...]
    pairs: Pairs
    top_grade: int
    low_by_topic: Floats
    high_by_topic: Floats
    exact: bool

    @cached_property
    def low(self) -> Floats:
        """The lowest mean difference over topics, (pairs,); NaN without topics."""
        return self.low_by_topic.mean(axis=0)

    @cached_property
    def high(self) -> Floats:
        """The highest mean difference over topics, (pairs,); NaN without topics."""
        return self.high_by_topic.mean(axis=0)

    @property
    def order(self) -> Ints:
        """1 where the first of the pair is certain to have the higher mean, −1 where the second is, else 0."""
        return (self.low > ROUNDING).astype(np.int64) - (self.high < -ROUNDING)

    @property
    def is_open(self) -> Flags:
        """Where a remaining judgement can still change the order; a difference that is certain to be 0 is not open."""
        return (self.order == 0) & (self.high - self.low > ROUNDING)

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per pair: its systems, the ends of the difference of their means, `order`, and `open` for `is_open`."""
        columns = {"low": self.low, "high": self.high, "order": self.order, "open": self.is_open}
        return pair_table(self.systems, self.pairs, columns)

    @property
    def certain_orders(self) -> list[str]:
        """Pairs as "better > worse", and "first = second" where both are sure to have the same mean."""
        signs = {1: "{0} > {1}", -1: "{1} > {0}", 0: "{0} = {1}"}
        certain = self.table.filter(~pl.col("open"))
        return [signs[row["order"]].format(row["first"], row["second"]) for row in certain.iter_rows(named=True)]


def pair_table(systems: tuple[str, ...], pairs: Pairs, columns: Mapping[str, NDArray]) -> pl.DataFrame:
    """One row per pair: first and second, the names of its systems, and the columns."""
    names = pl.Series(systems, dtype=pl.String)
    return pl.DataFrame({"first": names.gather(pairs.first), "second": names.gather(pairs.second), **columns})


def difference_bounds(
    documents: PooledDocuments,
    measure: Name,
    *,
    top_grade: int | None = None,
    relevant_from: int = 1,
    pairs: Pairs | None = None,
) -> DifferenceBounds:
    """The ends between which the differences of all pairs lie, or of `pairs`.

    - P, CG, DCG, RBP, SDCG: exact. Each document takes grade 0 or the top one, by the sign of its weights' difference.
    - nDCG, nCG, R, RelP: exact. The same grades make the difference and the ideal; Dinkelbach's method finds the best of both.
    - AP: contains every way to grade. R is the same for both systems, but a shared document may count as two grades.

    `top_grade` ends the scale; by default it is the highest grade in the qrels, and at least 1. `documents` must be pooled at the
    measure's cutoff or deeper. A topic without anything relevant has difference 0, as in evaluate. Raises BadMeasure for other
    measures, a pool that is too shallow, and a top grade below one in the qrels. Also for RBP and SDCG without max_rel if no
    document has the top grade yet: their values would change with the first.

    Sources: Moffat and Zobel, Rank-biased precision, ACM TOIS 27(1), 2008 (residuals); Carterette, Allan and Sitaraman, Minimal
    test collections for retrieval evaluation, SIGIR 2006; Dinkelbach, On nonlinear fractional programming, Management Science
    13(7), 1967.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.documents import pooled_documents
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "a": 1.0}}}
    >>> bounds = difference_bounds(pooled_documents(runs, {"1": {"c": 0}}, depth=2), parse_measure("DCG@2"))
    >>> bounds.low.round(4).tolist(), bounds.high.round(4).tolist(), bounds.order.tolist()
    ([0.0], [1.0], [0])
    """
    require_documents(documents)
    measure = parse_measure(measure)
    top = grade_scale(documents, top_grade)
    check(documents, measure, top)
    pairs = pairs or documents.pairs()
    if measure.kind.name == "AP":
        rel = lowest_relevant(measure, relevant_from)
        low, high = average_precision_ends(documents, pairs, measure.values["cutoff"], rel, top)
        return DifferenceBounds(documents.systems, pairs, top, low, high, exact=False)
    sums = additive(measure, top, relevant_from)
    low, high = np.empty((2, len(documents.topics), len(pairs)))
    weights = sums.weights(documents.rank)
    for number, rows in enumerate(documents.by_topic()):
        judged, grade = documents.judged[rows], documents.grade[rows]
        for part in portions(len(grade), len(pairs)):
            differences = pairs.part(part).differences(weights[rows])
            low[number, part], high[number, part] = topic_ends(sums, differences[judged], grade[judged], differences[~judged])
    return DifferenceBounds(documents.systems, pairs, top, low, high, exact=True)


def grade_scale(documents: PooledDocuments, top_grade: int | None) -> int:
    """The highest grade that an unjudged document may get. BadMeasure if the qrels have a higher one."""
    highest = max(documents.top_grade, 1)
    if top_grade is not None:
        require_count("top_grade", top_grade, BadMeasure)
    if top_grade is not None and top_grade < highest:
        raise BadMeasure(f"the top grade is {top_grade}, and the qrels have grade {highest}; expected at least that")
    return top_grade or highest


def check(documents: PooledDocuments, measure: Measure, top: int) -> None:
    values, name = measure.values, measure.kind.name
    if name not in (*FAMILIES, "AP") or values["judged_only"]:
        raise BadMeasure(f"{measure} has no bounds over unjudged documents; expected one of {', '.join((*FAMILIES, 'AP'))}")
    cutoff = values.get("cutoff")
    if documents.depth is not None and (cutoff is None or cutoff > documents.depth):
        raise BadMeasure(f"{measure} looks deeper than rank {documents.depth}, where the pool ends; pool the documents deeper")
    moves = name in ("RBP", "SDCG") and values["max_rel"] is None and values.get("rel") is None
    if moves and top > documents.top_grade:
        raise BadMeasure(f"{measure} divides by the qrels' highest grade, which may still rise to {top}: give max_rel={top}")


def portions(rows: int, columns: int) -> list[slice]:
    step = max(1, CACHED // max(1, rows))
    return [slice(start, start + step) for start in range(0, columns, step)]


def topic_ends(sums: Additive, judged: Floats, grade: Ints, unjudged: Floats) -> tuple[Floats, Floats]:
    """The ends on one topic, (pairs,) each.

    `judged` (documents, pairs) are differences of weights of the judged documents, `grade` their grades, and `unjudged` the
    differences of the others.
    """
    known = sums.gains(grade) @ judged
    if sums.ideal is None:
        most = sums.gain[-1]
        return known + most * np.minimum(unjudged, 0).sum(axis=0), known + most * np.maximum(unjudged, 0).sum(axis=0)
    if not len(sums.levels):
        return np.zeros_like(known), np.zeros_like(known)
    held = (grade[:, None] >= sums.levels).sum(axis=0)
    counts = np.arange(len(unjudged) + 1)
    ideal = np.array([sums.ideal(held_at + counts) for held_at in held])
    rising = np.sort(unjudged.T, axis=1).T  # rows that lie together in memory are sorted several times as fast
    return -largest_ratio(sums.steps, -known, -rising, ideal), largest_ratio(sums.steps, known, rising[::-1], ideal)


def largest_ratio(steps: Floats, known: Floats, falling: Floats, ideal: Floats) -> Floats:
    """The largest difference over its ideal, over all grades of m unjudged documents, (pairs,).

    `steps` (L,) are gains of levels of relevance, `falling` (m, pairs) each pair's differences of weights, the largest first.
    `ideal` (L, m + 1) is the ideal sum of weights if 0 to m more documents reach the level. Let a[l] documents be at level l and
    above, a falling. Then gains add up to at most known + Σ steps[l] · (sum of the a[l] largest differences). The ideal is Σ
    steps[l] · ideal[l, a[l]]. Dinkelbach: maximise the one minus λ times the other, take their ratio as the next λ, until it no
    longer grows. Pairs whose ratio has stopped are left out.
    """
    pairs = falling.shape[1]
    best = np.vstack([np.zeros((1, pairs)), np.cumsum(falling, axis=0)])
    ratio = ratio_at(np.zeros((len(steps), pairs), np.int64), steps, known, best, ideal)
    growing = np.arange(pairs)
    while len(growing):
        sums = best if len(growing) == pairs else best[:, growing]
        counts = falling_counts(steps[:, None, None] * (sums - ratio[growing] * ideal[:, :, None]))
        larger = ratio_at(counts, steps, known[growing], sums, ideal)
        still = larger > ratio[growing] + SMALL_GAIN
        ratio[growing] = np.maximum(ratio[growing], larger)
        growing = growing[still]
    return ratio


def ratio_at(counts: Ints, steps: Floats, known: Floats, best: Floats, ideal: Floats) -> Floats:
    """The ratio where `counts` (L, pairs) of the unjudged documents reach each level; 0 where nothing is relevant."""
    gained = known + steps @ np.take_along_axis(best, counts, axis=0)
    return share(gained, steps @ np.take_along_axis(ideal, counts, axis=1))


def falling_counts(value: Floats) -> Ints:
    """Counts (L, pairs), each at most the one before, that maximise the sum of value[l, count]; `value` is (L, m + 1, pairs)."""
    levels, _, pairs = value.shape
    for level in range(levels - 1, 0, -1):
        value[level - 1] += np.maximum.accumulate(value[level], axis=0)
    counts = np.empty((levels, pairs), np.int64)
    counts[0] = value[0].argmax(axis=0)
    for level in range(1, levels):
        beyond = np.arange(value.shape[1])[:, None] > counts[level - 1]
        counts[level] = np.where(beyond, -np.inf, value[level]).argmax(axis=0)
    return counts
