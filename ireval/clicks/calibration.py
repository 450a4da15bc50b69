"""Calibration of click estimates on workers' grades: a monotone curve for every step of the scale."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints

# A chance of exactly ½ may miss it by this much through rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Calibration:
    """Chances `at_least` (T, G) that a worker's grade is at least 1…G, at ascending estimates, the `knots` (T,).

    Chances never fall down a column and never rise along a row. They are interpolated between knots and constant beyond them.
    """

    knots: Floats
    at_least: Floats

    def chances(self, estimates: Floats) -> Floats:
        """The chances of at least grade 1…G, (N, G)."""
        return np.column_stack([np.interp(estimates, self.knots, chance) for chance in self.at_least.T])

    def expected(self, estimates: Floats) -> Floats:
        """The mean grade, (N,)."""
        return self.chances(estimates).sum(axis=1)

    def grades(self, estimates: Floats) -> Ints:
        """The median grade, (N,), the lower of two: no grade has a smaller expected error."""
        return (self.chances(estimates) > 0.5 + ROUNDING).sum(axis=1)

    @property
    def table(self) -> pl.DataFrame:
        """One row per knot: estimate, at_least_1…, expected."""
        chances = {f"at_least_{step}": chance for step, chance in enumerate(self.at_least.T, start=1)}
        return pl.DataFrame({"estimate": self.knots, **chances, "expected": self.at_least.sum(axis=1)})


def calibrate(estimates: Floats, grades: Ints, weights: Floats, top: int) -> Calibration:
    """Isotonic regression of "the grade is at least g" on the estimates, for g = 1…top, (N,) each; weighted least squares.

    The regressions cannot cross: each is a maximum of minima of means, with the same weights, and for a higher g no value is
    larger.
    Sources: Ayer, Brunk, Ewing, Reid and Silverman, An empirical distribution function for sampling with incomplete information,
    Annals of Mathematical Statistics 26, 1955 (pooling adjacent violators). Zadrozny and Elkan, Transforming classifier scores
    into accurate multiclass probability estimates, KDD 2002 (as a calibration).

    >>> calibration = calibrate(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 0, 2]), np.ones(4), top=2)
    >>> calibration.at_least.tolist(), calibration.grades(np.array([0.0, 0.25, 0.39, 0.9])).tolist()
    ([[0.0, 0.0], [0.5, 0.0], [0.5, 0.0], [1.0, 1.0]], [0, 0, 2, 2])
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to import

    knots, place = np.unique(estimates, return_inverse=True)
    weight = np.bincount(place, weights)
    steps = [np.bincount(place, weights * (grades >= step)) / weight for step in range(1, top + 1)]
    fitted = np.column_stack([isotonic_regression(step, weights=weight).x for step in steps])
    # This corrects rounding only.
    return Calibration(knots, np.minimum.accumulate(np.clip(fitted, 0, 1), axis=1))
