"""Cohen's κ of many workers: its mean over all pairs of workers who have items in common."""

from collections.abc import Iterator

import numpy as np

from ireval.agreement.coefficients import WEIGHTS, AgreementCoefficient, cohen_kappa, weighted_kappa, weights_of
from ireval.agreement.item_bootstrap import BLOCK, USUAL, Agreement, Resampling, expanded_tail, units_of
from ireval.arrays import Floats, Ints
from ireval.io.frames import Source
from ireval.labels import Labels, as_labels

LEAST_IN_COMMON = 10


def mean_cohen_kappa(
    labels: Labels | Source, weights: str = "unweighted", resampling: Resampling = USUAL, *, least: int = LEAST_IN_COMMON
) -> Agreement:
    """The mean of Cohen's κ over all pairs of workers who share at least `least` items; of two workers, Cohen's κ itself.

    Every pair counts the same, however many items it has. Pairs in which κ is undefined, since both use one label only, are left
    out. The interval is the value ± t standard errors. Pairs share workers and items and are no sample. So the error comes from
    topics (or items, where topics are not known) drawn again for all pairs at once. Percentiles would not do: κ of few items is
    biased, and of resampled items biased twice. Over many pairs, whose mean varies little, they could miss the value itself.
    Undefined (NaN) where no two workers have so many items in common, and where κ is undefined in every pair.
    Source: Light, Psychological Bulletin 76, 1971, for workers who all label everything.
    """
    labels = as_labels(labels)
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    if len(labels.workers) == 2:
        return cohen_kappa(labels, weights, resampling)
    weight = weights_of(labels, weights)
    name = "cohen-mean" if weights == "unweighted" else f"cohen-mean-{weights}"
    first, second, pair = in_common(labels, least)
    items, item = np.unique(labels.item[first], return_inverse=True)
    pairs = int(pair.max(initial=-1)) + 1
    title = f"Cohen's κ{WEIGHTS[weights]}, mean over {pairs:,} pairs of workers"
    about = AgreementCoefficient(name, title, len(items), len(np.unique(np.r_[first, second])))
    if not pairs:
        return about.undefined(f"no two workers have {least} items in common")
    k = len(labels.values)
    place = pair * k * k + labels.label[first] * k + labels.label[second]

    def mean(tables: Floats) -> float:
        kappas = weighted_kappa(tables.reshape(pairs, k, k), weight)
        return float(np.nanmean(kappas)) if not np.isnan(kappas).all() else np.nan

    value = mean(np.bincount(place, minlength=pairs * k * k).astype(np.float64))
    if np.isnan(value):
        return about.undefined("in each pair of workers both use one label only")
    units = units_of(labels, items)
    drawn = np.array([mean(tables) for tables in resamples(units.code[item], place, pairs * k * k, resampling)])
    defined = drawn[~np.isnan(drawn)]
    error = float(defined.std(ddof=1)) if len(defined) > 1 and units.number > 1 else np.nan
    half = -float(ndtri(expanded_tail(units.effective, resampling.confidence))) * error
    ends = (max(value - half, -1), min(value + half, 1))
    left_out, counts = len(drawn) - len(defined), (about.items, about.labels)
    return Agreement(name, title, value, *ends, *counts, left_out=left_out, topics=units.topics, caution=units.caution)


def in_common(labels: Labels, least: int) -> tuple[Ints, Ints, Ints]:
    """Every two labels of an item, by their places, and the number of the pair of workers who gave them; (n,) each.

    Pairs with fewer than `least` items are left out.
    """
    places = [np.stack(pair) for pair in pairs_of_labels(labels)]
    first, second = np.concatenate(places, axis=1) if places else np.empty((2, 0), np.int64)
    workers = labels.worker[first] * len(labels.workers) + labels.worker[second]
    _, pair, size = np.unique(workers, return_inverse=True, return_counts=True)
    kept = size[pair] >= least
    return first[kept], second[kept], np.unique(pair[kept], return_inverse=True)[1]


def pairs_of_labels(labels: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Yield every two labels of an item, by their places; the worker with the lower code comes first."""
    order = np.lexsort((labels.worker, labels.item))
    item = labels.item[order]
    for lag in range(1, int(np.bincount(item, minlength=1).max())):
        same = np.flatnonzero(item[lag:] == item[:-lag])
        yield order[same], order[same + lag]


def resamples(unit: Ints, place: Ints, size: int, resampling: Resampling) -> Iterator[Floats]:
    """Yield the counts at each place, (size,), of topics or items drawn again; one array per resample."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import

    rng, n = np.random.default_rng(resampling.seed), int(unit.max()) + 1
    counted = csr_array((np.ones(len(unit)), (place, unit)), shape=(size, n))
    rows = max(1, BLOCK // max(n, size))
    for begin in range(0, resampling.resamples, rows):
        drawn = [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(min(rows, resampling.resamples - begin))]
        yield from (counted @ np.stack(drawn, axis=1).astype(np.float64)).T
