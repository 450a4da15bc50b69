"""How sure a system's mean is when neither the topics nor the workers had to be these: both drawn anew, together.

Source: Owen, The pigeonhole bootstrap, Annals of Applied Statistics 1, 2007: rows and columns of a table are drawn each by
itself, and what stands in row i and column j counts as often as the product says. No bootstrap of such a table is exact
(McCullagh, Bernoulli 6, 2000); of this one Owen shows that its variance is mildly too large. The intervals are rather a little
wide than too narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ireval.aggregation import Aggregated
from ireval.agreement.item_bootstrap import USUAL, Resampling
from ireval.arrays import Floats, Ints
from ireval.labels import Labels
from ireval.measures.registry import Measure
from ireval.stability.panel import Panel
from ireval.stability.redraws import redrawn

# Resamples whose labels are held in memory at a time.
ROWS = 256


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Of R runs and M measures: the mean over topics (R, M), and the ends of its interval (R, M, 2) by the topics alone and by
    topics and workers together. NaN where `undefined` says why."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    mean: Floats
    by_topics: Floats
    by_both: Floats
    topics: int
    workers: int
    resamples: int
    undefined: str = ""

    @property
    def widening(self) -> Floats:
        """By what share the workers widen each interval, (R, M); NaN where the topics alone leave no doubt."""
        alone, both = np.ptp(self.by_topics, axis=2), np.ptp(self.by_both, axis=2)
        return np.divide(both, alone, out=np.full_like(both, np.nan), where=alone > 0) - 1


def uncertainty(
    found: Aggregated,
    panel: Panel,
    items: Ints,
    measures: Sequence[Measure],
    how: Resampling = USUAL,
    *,
    gold: Ints | None = None,
) -> Uncertainty:
    """Intervals of every measure for every run of the panel, by topics alone and by topics and workers together.

    `items` (n,) say which item of the labels each document of the panel is; the method that `found` the labels is what
    aggregates them again (see `redrawn`). Both intervals are of the same draws of topics. They are percentile intervals moved
    so that the resamples' mean lies on the estimate: labels of fewer votes differ from those that they stand for, mostly for the
    worse, by which the resampled means lie beside it; that says nothing of the mean itself. Models learn of workers from all
    topics, drawn or not.

    Undefined with fewer than two topics; and by workers also with one worker only, and where no item has two labels: nothing
    then tells what another worker would have said.
    """
    rng = np.random.default_rng(how.seed)
    numbers = grades_of(found.labels)
    topics = draws(rng, len(panel.topics), how.resamples)
    workers = draws(rng, len(found.labels.workers), how.resamples)
    mean = panel.means(numbers[found.label[items]][None], measures)[0]
    alone = panel.weighted(numbers[found.label[items]], measures, topics)
    both = np.full_like(alone, np.nan)
    if not (why := undefined(found.labels, panel)):
        for start in range(0, how.resamples, ROWS):
            some = slice(start, start + ROWS)
            codes = redrawn(found, workers[some], gold)[:, items]
            both[some] = panel.means(numbers[codes], measures, topics[some].astype(np.float64))
    ends = [around(mean, one, how.confidence) if len(panel.topics) > 1 else nowhere(mean) for one in (alone, both)]
    return Uncertainty(
        runs=panel.runs,
        measures=tuple(map(str, measures)),
        mean=mean,
        by_topics=ends[0],
        by_both=ends[1],
        topics=len(panel.topics),
        workers=len(found.labels.workers),
        resamples=how.resamples,
        undefined=why,
    )


def grades_of(labels: Labels) -> Ints:
    """The values as grades, (K,); BadLabels where they are no numbers."""
    return labels.numbers.astype(np.int64)


def draws(rng: np.random.Generator, n: int, times: int) -> Ints:
    """How often each of n was drawn in each of so many draws of n with replacement, (times, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), times)


def undefined(labels: Labels, panel: Panel) -> str:
    if len(panel.topics) < 2:
        return "there is a single topic"
    if len(labels.workers) < 2:
        return "there is a single worker"
    if labels.counts.sum(axis=1).max() < 2:
        return "no item has two labels"
    return ""


def around(mean: Floats, resampled: Floats, confidence: float) -> Floats:
    """The ends of the interval, (R, M, 2), from means (R, M) and resampled ones (B, R, M)."""
    if np.isnan(resampled).all():
        return nowhere(mean)
    levels = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = np.nanquantile(resampled, levels, axis=0) - np.nanmean(resampled, axis=0) + mean
    return np.moveaxis(ends, 0, 2)


def nowhere(mean: Floats) -> Floats:
    return np.full((*mean.shape, 2), np.nan)
