"""Targets: which difference a comparison is to tell, said wherever it is planned how much more evidence that takes.

Two plans for the same target and the same spread give the same number. Plans for other targets may differ, and their words say
in what.
"""

import math
from typing import NamedTuple

from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, topics_needed

# The difference in a measure from 0 to 1 to plan for where nobody has said which one matters.
WORTH_TELLING = 0.05


class Target(NamedTuple):
    """A difference to tell `of` something (a measure, the votes), how often a test is to find it, and at which level.

    `alpha` is shared by `comparisons`, as Holm's correction shares it in the worst case.
    """

    difference: float
    of: str
    alpha: float = DEFAULT_ALPHA
    comparisons: int = 1
    power: float = DEFAULT_POWER

    def needed(self, error: float, n: int) -> int | None:
        """How many units tell it, where n units gave a difference with that standard error, by the spread seen so far.

        None where the error is not known, and where no sensible number would do.

        >>> Target(0.05, "nDCG@10").needed(0.01, 100), Target(0.05, "nDCG@10", comparisons=10).needed(0.01, 100)
        (34, 58)
        """
        if not error > 0 or not n:
            return None
        try:
            return topics_needed(
                self.difference,
                error * math.sqrt(n),
                power_wanted=self.power,
                alpha=self.alpha,
                comparisons=self.comparisons,
            )
        except ValueError:
            return None

    def __str__(self) -> str:
        """
        >>> print(Target(0.05, "nDCG@10")), print(Target(0.02, "nDCG@10", comparisons=3))
        a difference of 0.05 in nDCG@10 with power .8, α = .05
        a difference of 0.02 in nDCG@10 with power .8, α = .05 / 3
        (None, None)
        """
        shared = f" / {self.comparisons:,}" if self.comparisons > 1 else ""
        return f"a difference of {self.difference:g} in {self.of} with power {bare(self.power)}, α = {bare(self.alpha)}{shared}"


def bare(share: float) -> str:
    """
    >>> bare(0.05), bare(0.8)
    ('.05', '.8')
    """
    return f"{share:g}".removeprefix("0")
