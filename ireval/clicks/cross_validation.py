"""How far grades from clicks agree with workers', on queries that had no part in the calibration."""

import numpy as np

from ireval.agreement.coefficients import weighted_kappa
from ireval.arrays import Floats, Ints
from ireval.clicks.calibration import calibrate
from ireval.clicks.grade_agreement import LabelAgreement
from ireval.significance.clusters import Clustered

FOLDS = 5
# Times that queries are drawn again: the standard error is then right to about 7 %.
REDRAWN = 100


def held_out_grades(
    query: Ints,
    grade: Ints,
    sides: tuple[tuple[Floats, Floats], tuple[Floats, Floats]],
    lot: tuple[int, int],
    confidence: float = 0.95,
) -> LabelAgreement:
    """Cohen's κ with linear weights of workers' grades and of the grades by a calibration on other queries.

    `query` and `grade` (N,) are codes; `sides` are clicks and the baseline, each a score and a weight (N,); `lot` is how many
    folds of whole queries, and the seed by which queries are put into them. The interval is κ ± t(Q − 1) times the standard
    deviation of κ when queries are drawn again with replacement and everything is calibrated anew, a query always in its fold.
    Undefined (NaN) where κ is, and where it never varies.
    """
    folds, seed = lot
    size, top = int(query.max()) + 1, int(grade.max())
    rng = np.random.default_rng(seed)
    fold = (rng.permutation(size) % folds)[query]

    def kappas(times: Ints) -> list[float]:
        often = times[query].astype(np.float64)
        found = [calibrated_elsewhere(score, grade, weight * often, fold, top) for score, weight in sides]
        return [kappa(grade, one, often, top) for one in found]

    clicks, baseline = kappas(np.ones(size, np.int64))
    redrawn = np.array([kappas(np.bincount(rng.integers(0, size, size), minlength=size)) for _ in range(REDRAWN)])
    values = {(-1.0, 1.0): [(clicks, redrawn[:, 0]), (baseline, redrawn[:, 1])]}
    values[-2.0, 2.0] = [(clicks - baseline, redrawn[:, 0] - redrawn[:, 1])]
    found = [around(value, again, size, ends, confidence) for ends, pairs in values.items() for value, again in pairs]
    return LabelAgreement("kappa", "Cohen's κ of grades, linear weights", len(grade), size, found[0], found[1], found[2])


def calibrated_elsewhere(scores: Floats, grades: Ints, weights: Floats, fold: Ints, top: int) -> Ints:
    """The grade of each, by a calibration on what other folds have of some weight, (N,); 0 where they have nothing."""
    found = np.zeros(len(scores), np.int64)
    for own in np.unique(fold):
        inside = fold == own
        outside = ~inside & (weights > 0)
        if outside.any():
            found[inside] = calibrate(scores[outside], grades[outside], weights[outside], top).grades(scores[inside])
    return found


def kappa(first: Ints, second: Ints, weights: Floats, top: int) -> float:
    """
    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.ones(4), 1)
    0.5
    """
    k = top + 1
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)).astype(np.float64)
    table = np.bincount(first * k + second, weights, minlength=k * k).astype(np.float64).reshape(1, k, k)
    return float(weighted_kappa(table, apart)[0])


def around(value: float, again: Floats, queries: int, bounds: tuple[float, float], confidence: float) -> Clustered:
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - slow to import

    known = again[~np.isnan(again)]
    if np.isnan(value) or len(known) < len(again) / 2:
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, 0, "there is too little to compare")
    freedom = queries - 1
    if (error := float(np.std(known, ddof=1))) < 1e-12:
        return Clustered(value, np.nan, np.nan, np.nan, np.nan, freedom, "all queries say the same")
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    low, high = np.clip([value - half, value + half], *bounds).tolist()
    return Clustered(value, low, high, error, float(2 * stdtr(freedom, -abs(value) / error)), freedom)
