"""Agreement of grades from clicks with workers' grades, on queries that were not used for the calibration."""

import numpy as np

from ireval.agreement.coefficients import weighted_kappa
from ireval.arrays import Floats, Ints
from ireval.clicks.calibration import calibrate
from ireval.clicks.grade_agreement import LabelAgreement
from ireval.significance.clusters import Clustered

FOLDS = 5
# Resamples of the queries: the standard error is then right to about 7 %.
REDRAWN = 100


def held_out_grades(
    query: Ints,
    grade: Ints,
    sides: tuple[tuple[Floats, Floats], tuple[Floats, Floats]],
    lot: tuple[int, int],
    confidence: float = 0.95,
) -> LabelAgreement:
    """Cohen's κ with linear weights, of workers' grades and of grades by a calibration on other queries.

    `query` and `grade` (N,) are codes. `sides` are clicks and the baseline, each a score and a weight (N,). `lot` is the number
    of folds of whole queries, and the seed that assigns queries to them. The interval is κ ± t(Q − 1) standard deviations of κ
    over resamples: queries are drawn with replacement, stay in their folds, and are calibrated again. Undefined (NaN) where κ
    is, and where it never varies.
    """
    folds, seed = lot
    size, top = int(query.max()) + 1, int(grade.max())
    rng = np.random.default_rng(seed)
    fold = (rng.permutation(size) % folds)[query]

    def kappas(times: Ints) -> list[float]:
        often = times[query].astype(np.float64)
        by_side = [calibrated_elsewhere(score, grade, weight * often, fold, top) for score, weight in sides]
        return [kappa(grade, predicted, often, top) for predicted in by_side]

    clicks, baseline = kappas(np.ones(size, np.int64))
    redrawn = np.array([kappas(np.bincount(rng.integers(0, size, size), minlength=size)) for _ in range(REDRAWN)])
    values = {(-1.0, 1.0): [(clicks, redrawn[:, 0]), (baseline, redrawn[:, 1])]}
    values[-2.0, 2.0] = [(clicks - baseline, redrawn[:, 0] - redrawn[:, 1])]
    intervals = [
        redrawn_interval(value, again, size, ends, confidence) for ends, pairs in values.items() for value, again in pairs
    ]
    return LabelAgreement("kappa", "Cohen's κ of grades, linear weights", len(grade), size, *intervals)


def calibrated_elsewhere(scores: Floats, grades: Ints, weights: Floats, fold: Ints, top: int) -> Ints:
    """The grade of each document, (N,), by a calibration on the other folds; 0 where these have no weight."""
    predicted = np.zeros(len(scores), np.int64)
    for own in np.unique(fold):
        inside = fold == own
        outside = ~inside & (weights > 0)
        if outside.any():
            predicted[inside] = calibrate(scores[outside], grades[outside], weights[outside], top).grades(scores[inside])
    return predicted


def kappa(first: Ints, second: Ints, weights: Floats, top: int) -> float:
    """Cohen's κ with linear weights of two gradings, (N,) each, from 0 to `top`.

    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.ones(4), 1)
    0.5
    """
    k = top + 1
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)).astype(np.float64)
    table = np.bincount(first * k + second, weights, minlength=k * k).astype(np.float64).reshape(1, k, k)
    return float(weighted_kappa(table, apart)[0])


def redrawn_interval(value: float, again: Floats, queries: int, bounds: tuple[float, float], confidence: float) -> Clustered:
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - slow to import

    defined = again[~np.isnan(again)]
    if np.isnan(value) or len(defined) < len(again) / 2:
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, 0, "there is too little to compare")
    freedom = queries - 1
    if (error := float(np.std(defined, ddof=1))) < 1e-12:
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, freedom, "all queries say the same")
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    low, high = np.clip([value - half, value + half], *bounds).tolist()
    return Clustered(value, low, high, error, float(2 * stdtr(freedom, -abs(value) / error)), freedom)
