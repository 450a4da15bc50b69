"""The sample ratio: whether the arms got as many units as they should. If not, no other result can be believed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats
from ireval.io.arguments import as_numbers
from ireval.io.files import BadInput
from ireval.significance.pairs import SMALLEST

# A sound experiment falls below this once in a thousand. Fabijan et al. 2019 use .0005, Kohavi et al. 2020 .001.
MISMATCH = 0.001


class ChiSquare(NamedTuple):
    """Pearson's χ² with its degrees of freedom and p; NaN where nothing is expected."""

    chi2: float
    freedom: int
    p: float


class SampleRatio(NamedTuple):
    """The units of each arm and the expected number, (A,) each; `mismatch` if p is less than MISMATCH."""

    counts: tuple[int, ...]
    expected: tuple[float, ...]
    chi2: float
    freedom: int
    p: float
    mismatch: bool


def sample_ratio(counts: ArrayLike | Mapping[str, int], weights: ArrayLike | Mapping[str, float] | None = None) -> SampleRatio:
    """Pearson's χ² of the number of units in each arm, (A,) or {arm: number}, with A − 1 degrees of freedom.

    `weights` (A,) are those of the assignment, with any sum; equal if not given. For arms by name they are by name, too. NaN and
    no mismatch without units. BadInput for fewer than two arms, counts that are no whole numbers from 0, and weights that are not
    above 0; it names the arm.
    Sources: Pearson 1900; Fabijan et al., Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019.

    >>> ratio = sample_ratio([5000, 5200])
    >>> round(ratio.p, 5), ratio.mismatch, sample_ratio([1000, 1100, 900]).mismatch
    (0.04767, False, True)
    >>> sample_ratio({"A": 5000, "B": 5200}, {"B": 1, "A": 1}).p == ratio.p
    True
    """
    arms = list(counts) if isinstance(counts, Mapping) else None
    observed = as_numbers("counts", list(counts.values()) if isinstance(counts, Mapping) else counts)
    if isinstance(weights, Mapping):
        weights = [weights.get(arm, 0) for arm in arms or []]
    shares = np.ones(len(observed)) if weights is None else as_numbers("weights", weights)
    if len(observed) < 2:
        raise BadInput(f"expected two arms or more, found {len(observed)}")
    is_count = np.isfinite(observed) & (observed >= 0) & (np.nan_to_num(observed) % 1 == 0)
    refuse(observed, ~is_count, arms, "count", "a whole number from 0")
    if shares.shape != observed.shape:
        raise BadInput(f"expected {len(observed)} weights, one an arm, found {shares.size}")
    refuse(shares, ~((shares > 0) & np.isfinite(shares)), arms, "weight", "a number above 0")
    expected = observed.sum() * shares / shares.sum()
    test = chi_square(observed, expected, len(observed) - 1)
    whole = tuple(int(count) for count in observed)
    return SampleRatio(whole, tuple(expected.tolist()), *test, mismatch=test.p < MISMATCH)


def refuse(numbers: Floats, bad: NDArray[np.bool_], arms: Sequence[str] | None, what: str, expected: str) -> None:
    """Raise BadInput for the first bad number, naming its arm."""
    if bad.any():
        place = int(bad.argmax())
        arm = place + 1 if arms is None else repr(arms[place])
        raise BadInput(f"arm {arm}: the {what} is {numbers[place]:g}; expected {expected}")


def chi_square(counts: ArrayLike, expected: ArrayLike, freedom: int) -> ChiSquare:
    """Σ (counts − expected)² / expected; NaN where nothing is expected."""
    from scipy.special import chdtrc  # noqa: PLC0415 - slow to import

    observed, wanted = np.asarray(counts, np.float64), np.asarray(expected, np.float64)
    if not wanted.size or (wanted <= 0).any():
        return ChiSquare(np.nan, freedom, np.nan)
    value = float(((observed - wanted) ** 2 / wanted).sum())
    return ChiSquare(value, freedom, max(float(chdtrc(freedom, value)), SMALLEST))
