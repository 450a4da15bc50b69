"""How sure a system's mean is when topics and workers are both samples: both are drawn again, together.

Source: Owen, The pigeonhole bootstrap, Annals of Applied Statistics 1, 2007. Rows and columns of a table are drawn
independently, and a cell counts as often as the product of both says. No bootstrap of such a table is exact (McCullagh, Bernoulli
6, 2000). Owen shows that the variance of this one is slightly too large, so the intervals are a little wide.
"""

from dataclasses import dataclass

import numpy as np

from ireval.aggregation import Aggregated
from ireval.agreement.item_bootstrap import USUAL, Resampling
from ireval.arrays import Floats, Ints
from ireval.labels import Labels
from ireval.measures.names import Measures, parse_measures
from ireval.significance.students_t import expanded_tail
from ireval.stability.panel import Panel, items_of, require_panel
from ireval.stability.worker_bootstrap import redrawn, settled

# Resamples whose labels are held in memory at a time.
ROWS = 256


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Means of R runs by M measures over topics, (R, M), with two intervals; NaN where `undefined` says why.

    `by_topics` and `by_both` (R, M, 2) are the ends by the topics alone, and by topics and workers together.
    """

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
        """By what share the workers widen each interval, (R, M); NaN where that of the topics alone has no width."""
        alone, both = np.ptp(self.by_topics, axis=2), np.ptp(self.by_both, axis=2)
        return np.divide(both, alone, out=np.full_like(both, np.nan), where=alone > 0) - 1


def uncertainty(
    aggregated: Aggregated,
    panel: Panel,
    items: Ints,
    measures: Measures,
    resampling: Resampling = USUAL,
    *,
    gold: Ints | None = None,
) -> Uncertainty:
    """Intervals of every measure for every run of the panel, by topics alone and by topics and workers together.

    `items` (n,) say which item of the labels each document of the panel is. Labels are aggregated again by the same method (see
    `redrawn`); ties are settled on the median, whatever `aggregated` does with them. Both intervals come from the same draws of
    topics. They are percentile intervals, expanded for few topics, and moved so that the mean of the resamples lies on the
    estimate. Resamples use fewer votes, so their labels and means are mostly worse; that bias says nothing of the mean itself.
    Models learn of workers from all topics, drawn or not.

    Undefined with fewer than two topics. The interval by workers is also undefined with a single worker, and where no item has
    two labels. Nothing then tells what another worker would have said.
    """
    require_panel(panel, aggregated)
    items, measures = items_of(items, panel, aggregated.labels), parse_measures(measures)
    rng = np.random.default_rng(resampling.seed)
    numbers = grades_of(aggregated.labels)
    topics = draws(rng, len(panel.topics), resampling.resamples)
    workers = draws(rng, len(aggregated.labels.workers), resampling.resamples)
    grades = numbers[settled(aggregated)[items]]
    mean = panel.means(grades[None], measures)[0]
    alone = panel.weighted(grades, measures, topics)
    both = np.full_like(alone, np.nan)
    if not (reason := why_undefined(aggregated.labels, panel)):
        for start in range(0, resampling.resamples, ROWS):
            some = slice(start, start + ROWS)
            codes = redrawn(aggregated, workers[some], gold)[:, items]
            both[some] = panel.means(numbers[codes], measures, topics[some].astype(np.float64))
    by_topics, by_both = (
        centred_interval(mean, resampled, expanded_tail(len(panel.topics), resampling.confidence)) for resampled in (alone, both)
    )
    return Uncertainty(
        runs=panel.runs,
        measures=tuple(map(str, measures)),
        mean=mean,
        by_topics=by_topics,
        by_both=by_both,
        topics=len(panel.topics),
        workers=len(aggregated.labels.workers),
        resamples=resampling.resamples,
        undefined=reason,
    )


def grades_of(labels: Labels) -> Ints:
    """The values as grades, (K,); BadLabels where they are no numbers."""
    return labels.numbers.astype(np.int64)


def draws(rng: np.random.Generator, n: int, times: int) -> Ints:
    """How often each of n was drawn in each of `times` samples of n with replacement, (times, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), times)


def why_undefined(labels: Labels, panel: Panel) -> str:
    if len(panel.topics) < 2:
        return "there is a single topic"
    if len(labels.workers) < 2:
        return "there is a single worker"
    if labels.counts.sum(axis=1).max() < 2:
        return "no item has two labels"
    return ""


def centred_interval(mean: Floats, resampled: Floats, tail: float) -> Floats:
    """The ends of the interval, (R, M, 2), from means (R, M) and resampled means (B, R, M), with the share `tail` beyond each."""
    if np.isnan(tail) or np.isnan(resampled).all():
        return no_interval(mean)
    ends = np.nanquantile(resampled, [tail, 1 - tail], axis=0) - np.nanmean(resampled, axis=0) + mean
    return np.moveaxis(ends, 0, 2)


def no_interval(mean: Floats) -> Floats:
    return np.full((*mean.shape, 2), np.nan)
