"""Intervals of a mean over topics, which treat the topics as a sample of all possible topics."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.io.arguments import as_numbers, require_confidence, require_generator
from ireval.io.files import BadInput
from ireval.io.frames import Frame, as_table
from ireval.measures.evaluation import over_topics, terms
from ireval.measures.names import Name, parse_measure
from ireval.measures.registry import BadMeasure
from ireval.significance.bootstrap import difference_interval


class Interval(NamedTuple):
    """A mean and the ends of its interval, all in the unit of the values."""

    mean: float
    low: float
    high: float


# What an interval is cut off at where values have no bounds.
UNBOUNDED = (-math.inf, math.inf)
# With fewer topics, intervals of means of skewed measures hold the truth in less than 93.5 % (docs/explanation/statistics.md).
ENOUGH_TOPICS = 50


def measure_interval(values: Frame, measure: Name, confidence: float = 0.95) -> Interval:
    """A measure over all topics with its interval, from the table of `evaluate`; cut off at the measure's range.

    The table may be of polars or pandas. Ends are NaN for sums and geometric means. BadMeasure for a measure without a column.
    Sources: as `mean_interval`; `terms` for a ratio of two means.

    >>> import polars as pl
    >>> from ireval.measures.names import parse_measure
    >>> [round(number, 4) for number in measure_interval(pl.DataFrame({"RR": [1.0, 0.25]}), parse_measure("RR"))]
    [0.625, 0.0, 1.0]
    """
    table, measure = as_table(values, BadInput), parse_measure(measure)
    if missing := [str(column) for column in (measure, measure.weight) if column and str(column) not in table.columns]:
        raise BadMeasure(f"the table has no column {missing[0]}; it has {', '.join(table.columns)}")
    for column in (str(part) for part in (measure, measure.weight) if part):
        if not table[column].dtype.is_numeric():
            raise BadInput(f"column {column} is of type {table[column].dtype}; expected numbers: convert it")
    if measure.kind.aggregate in ("sum", "geometric mean"):
        return Interval(over_topics(table, measure), np.nan, np.nan)
    return mean_interval(terms(table, measure), confidence, bounds=measure.kind.range)


def few_topics(n: int, enough: int = ENOUGH_TOPICS) -> str:
    """Say that intervals over so few topics may be too narrow; empty where there are enough, and where there is no interval.

    >>> few_topics(12), few_topics(50), few_topics(1)
    ('with 12 topics intervals may be too narrow: 50 are needed', '', '')
    """
    return f"with {n:,} topics intervals may be too narrow: {enough} are needed" if 1 < n < enough else ""


def mean_interval(values: ArrayLike, confidence: float = 0.95, *, bounds: tuple[float, float] = UNBOUNDED) -> Interval:
    """Student's t interval of a mean: mean ± t(n − 1) · s / √n, cut off at `bounds`, the lowest and highest possible value.

    From `ENOUGH_TOPICS` on it holds the truth about as often as it says. Without values all is NaN; with a single value both ends
    are. Values that are all equal give an interval without width: their spread says nothing about other topics. Source: Student,
    The probable error of a mean, Biometrika 6, 1908.

    >>> [round(number, 4) for number in mean_interval([0.2, 0.4, 0.6])]
    [0.4, -0.0968, 0.8968]
    """
    require_confidence(confidence)
    sample = sample_of(values)
    n = len(sample)
    if n < 2 or is_constant(sample):
        return degenerate(sample)
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import, and most commands never come here

    mean = float(sample.mean())
    half = float(stdtrit(n - 1, (1 + confidence) / 2) * sample.std(ddof=1) / np.sqrt(n))
    return cut_off(Interval(mean, mean - half, mean + half), bounds)


def cut_off(interval: Interval, bounds: tuple[float, float]) -> Interval:
    """The interval with ends within `bounds`, the lowest and highest possible value; it always holds its mean.

    >>> cut_off(Interval(0.9, 0.7, 1.1), (0, 1))
    Interval(mean=0.9, low=0.7, high=1.0)
    """
    mean, low, high = interval
    return Interval(mean, float(max(low, min(bounds[0], mean))), float(min(high, max(bounds[1], mean))))


def bootstrap_interval(
    values: ArrayLike,
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    method: Literal["bca", "percentile"] = "bca",
    samples: int = 10_000,
) -> Interval:
    """Bootstrap interval of a mean: topics are drawn with replacement, `samples` times, by the seeded generator.

    "percentile" reads off the quantiles of the resampled means, "bca" corrects them for bias and skewness. Both are expanded for
    few topics (`expanded_tail`). Ends are resampled means, so never outside the values. NaN and intervals without width as in
    mean_interval. Sources: Efron and Tibshirani, An introduction to the bootstrap, 1993, chapters 13 and 14; Hesterberg 2015.

    >>> interval = bootstrap_interval([0.2, 0.4, 0.6], np.random.default_rng(1), method="percentile")
    >>> [round(number, 4) for number in interval]
    [0.4, 0.2, 0.6]
    """
    sample = sample_of(values)
    require_generator(rng)
    if len(sample) < 2 or is_constant(sample):
        return degenerate(sample)
    ends = difference_interval(sample, rng, confidence=confidence, method=method, samples=samples)
    low, high = np.clip(ends, sample.min(), sample.max()).tolist()
    return Interval(float(sample.mean()), low, high)


def sample_of(values: ArrayLike) -> NDArray[np.float64]:
    sample = as_numbers("values", values)
    if sample.ndim > 1:
        raise BadInput(f"values have the shape {sample.shape}; expected one number per topic")
    return sample


def is_constant(sample: NDArray[np.float64]) -> bool:
    return bool((sample == sample[:1]).all())


def degenerate(sample: NDArray[np.float64]) -> Interval:
    if len(sample) == 0:
        return Interval(np.nan, np.nan, np.nan)
    value = float(sample[0])
    return Interval(value, np.nan, np.nan) if len(sample) == 1 else Interval(value, value, value)
