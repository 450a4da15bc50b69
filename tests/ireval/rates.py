"""Simulated experiments, and how often of so many something may happen that has a known chance."""

from scipy import stats

from tests.conftest import EXPLORING, SOAKING


def experiments(long_form: int) -> int:
    """So many are simulated: two in five of those of the long form."""
    return long_form if SOAKING or EXPLORING else long_form * 2 // 5


def as_agreed(rejected: int, of: int, level: float = 0.05) -> bool:
    """Whether as many were rejected as the level says, where chance leaves the bounds once in a thousand times.

    Of 1,000 at .05 these are 29 and 74, and a true rate of .1 is found out 99 times in 100. Of 400 they are 7 and 36, and a rate
    of .13 is found out as often.

    >>> as_agreed(29, 1000), as_agreed(75, 1000), as_agreed(36, 400), as_agreed(37, 400)
    (True, False, True, False)
    """
    low, high = stats.binom.interval(0.999, of, level)
    return bool(low <= rejected <= high)
