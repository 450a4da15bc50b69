"""Exact tests of wins against losses, and three ways to count a tie."""

from typing import NamedTuple

import numpy as np

from ireval.io.arguments import require_wholes
from ireval.significance.pairs import SMALLEST


class SignTests(NamedTuple):
    """Two-sided p of `wins` against `losses`, with the `ties` dropped, split in halves, and kept.

    `unit` says what is counted: topics or votes.
    """

    unit: str
    wins: int
    ties: int
    losses: int
    dropped: float
    split: float
    kept: float


def sign_tests(unit: str, wins: int, ties: int, losses: int) -> SignTests:
    """All three tests. Ties are split evenly; of an odd number, one is dropped. NaN without wins, ties and losses.

    Sources: Dixon and Mood, The statistical sign test, JASA 41, 1946 (dropped); Demšar, Statistical comparisons of classifiers
    over multiple data sets, JMLR 7, 2006, section 3.1.4 (split); Bian, McAleer and Wong 2011 (kept, `trinomial_test`).

    >>> sign_tests("topics", 7, 2, 1)._asdict()["dropped"]
    0.0703125
    """
    require_wholes(wins=wins, ties=ties, losses=losses)
    halves = ties // 2
    split = binomial_test(wins + halves, losses + halves) if wins + ties + losses else np.nan
    return SignTests(unit, wins, ties, losses, binomial_test(wins, losses), split, trinomial_test(wins, ties, losses))


def binomial_test(wins: int, losses: int) -> float:
    """Exact two-sided p that wins and losses are equally likely: 2 · P(X ≤ the fewer), X ~ Bin(wins + losses, ½), at most 1.

    1 without wins and losses, never NaN. Source: Dixon and Mood, JASA 41, 1946.

    >>> binomial_test(7, 1)
    0.0703125
    """
    require_wholes(wins=wins, losses=losses)
    from scipy.special import bdtr  # noqa: PLC0415 - slow to import

    return float(np.clip(2 * bdtr(float(min(wins, losses)), wins + losses, 0.5), SMALLEST, 1))


def trinomial_test(wins: int, ties: int, losses: int) -> float:
    """Two-sided p of D = wins − losses among n, ties included: 2 · P(D ≥ |d|), at most 1.

    A tie has the probability ties / n; wins and losses share the rest evenly. P(D ≥ d) = Σ_m Bin(m; n, 1 − ties/n) · P(X ≥ (m +
    d) / 2), X ~ Bin(m, ½), over the number m of decided votes. It is the paper's sum over trinomial coefficients. Exact but for
    the probability of a tie, which is estimated. 1 with ties only, NaN with n = 0; without ties it is the binomial test.
    Source: Bian, McAleer and Wong, A trinomial test for paired data when there are many ties, Mathematics and Computers in
    Simulation 81, 2011.

    >>> round(trinomial_test(7, 2, 1), 4), round(trinomial_test(4, 10, 0), 4)
    (0.0494, 0.0772)
    """
    require_wholes(wins=wins, ties=ties, losses=losses)
    from scipy.stats import binom  # noqa: PLC0415 - slow to import

    n, apart = wins + ties + losses, abs(wins - losses)
    if n == 0:
        return float("nan")
    if apart == 0:
        return 1.0
    # Numbers of decided votes this far from the expected one add nothing to the double.
    spread = 40 * np.sqrt(n * (ties / n) * (1 - ties / n)) + 40
    decided = np.arange(max(apart, int(n - ties - spread)), min(n, int(n - ties + spread)) + 1)
    beyond = binom.sf((decided + apart + 1) // 2 - 1, decided, 0.5)
    return float(np.clip(2 * (binom.pmf(decided, n, 1 - ties / n) * beyond).sum(), SMALLEST, 1))
