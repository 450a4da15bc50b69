"""The sign test: does one system win more topics than the other?"""

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.significance.pairs import SMALLEST, columns, in_steps, like


def sign_test(differences: ArrayLike) -> Floats:
    """Exact two-sided binomial p of the topics won. Differences are (topics,) or (topics, pairs).

    Assumes only independent topics; ignores the size of differences. Draws are dropped, which differences are up to rounding
    (`in_steps`). NaN without topics.
    Source: Arbuthnot, Philosophical Transactions 27, 1710; Dixon and Mood, JASA 41, 1946.

    >>> float(sign_test([0.1, 0.2, 0.3, 0.4, 0.5, -0.1]).round(5))
    0.21875
    """
    from scipy.special import bdtr  # noqa: PLC0415 - slow to import

    table = in_steps(columns(differences))
    won, lost = (table > 0).sum(axis=0), (table < 0).sum(axis=0)
    p = np.clip(2 * bdtr(np.minimum(won, lost).astype(np.float64), won + lost, 0.5), SMALLEST, 1)
    return like(differences, np.where(len(table) > 0, p, np.nan))
