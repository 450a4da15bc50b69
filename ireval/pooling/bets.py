"""Bets on what draws say of a difference: what they have won against a value tells whether it is still believable, at any look.

Whoever bets fairly is expected to win nothing. The chance of multiplying a stake by 1 / alpha is at most alpha, however often one
looks (Ville 1939). A bet is fair if its size was set before the draw, and what it has can never fall below 0.

Bets win less against a larger difference. At a fixed size they win size · (value − difference). At STAKE over the room that a
value has below the difference they win STAKE · (what it uses of the room − 1). Both fall as the difference rises, and a bet takes
the smaller size. So one number parts the differences that are refuted from the others, and halving an interval finds it.

Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86(1), 2024.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.pooling.bounds import portions

# Differences, as shares of the widest range, for which bets are placed: between them they lose little.
AIMS = np.array([0.003, 0.01, 0.03, 0.1, 0.3])
# Of all that a bet may lose, so that none is ever ruined.
STAKE = 0.75
# Of an aim's square: a draw expected to vary less is as good as certain.
LEAST_VARIANCE = 1e-9
HALVINGS = 20


@dataclass(frozen=True, eq=False)
class UnbiasedDraws:
    """What each draw says of the differences, (n, pairs): `value`, whose expectation is the difference whatever came before.

    `least` and `most` are the ends of what it could have been, `variance` what was expected of it. `left` (n,) counts what could
    be drawn.
    """

    value: Floats
    least: Floats
    most: Floats
    variance: Floats
    left: Ints

    def reversed(self) -> "UnbiasedDraws":
        """The same of the differences with the other sign."""
        return UnbiasedDraws(-self.value, -self.most, -self.least, self.variance, self.left)

    def plus(self, remainder: Floats) -> "UnbiasedDraws":
        """The same of the differences with this part of them, (n, pairs), that draws lack."""
        return replace(self, value=self.value + remainder, least=self.least + remainder, most=self.most + remainder)

    def first(self, n: int) -> "UnbiasedDraws":
        """The same after n draws; what a draw says does not depend on those after it."""
        return UnbiasedDraws(self.value[:n], self.least[:n], self.most[:n], self.variance[:n], self.left[:n])

    def part(self, pairs: slice) -> "UnbiasedDraws":
        value, least, most, variance = (table[:, pairs] for table in (self.value, self.least, self.most, self.variance))
        return UnbiasedDraws(value, least, most, variance, self.left)


def always_valid_ends(
    least: UnbiasedDraws, most: UnbiasedDraws, floor: Floats, ceiling: Floats, alpha: float
) -> tuple[Floats, Floats]:
    """The ends of intervals, (pairs,) each; the chance that an end ever passes its difference is at most alpha.

    The differences lie between `floor` and `ceiling`. Draws may lack an unknown part of them. The lower ends then follow from
    `least`, draws with the least that this can be, and the upper ones from `most`. With less, bets on more can only win less.
    """
    low, high = np.empty((2, len(floor)))
    for part in portions(len(least.left) * len(AIMS), len(floor)):
        low[part] = lower_ends(least.part(part), floor[part], ceiling[part], alpha)
        high[part] = -lower_ends(most.part(part).reversed(), -ceiling[part], -floor[part], alpha)
    return low, high


def lower_ends(values: UnbiasedDraws, floor: Floats, ceiling: Floats, alpha: float) -> Floats:
    """The largest difference that bets refute, (pairs,): against it they have won at least 1 / alpha."""
    aims, refuted, held = AIMS[:, None] * (ceiling - floor), floor, ceiling
    for _ in range(HALVINGS):
        middle = (refuted + held) / 2
        won = log_wealth(values, middle, aims).max(axis=0) >= -math.log(alpha)
        refuted, held = np.where(won, middle, refuted), np.where(won, held, middle)
    return refuted


def log_wealth(values: UnbiasedDraws, difference: Floats, aims: Floats) -> Floats:
    """What bets that each draw's value is above `difference` (pairs,) have made of 1 after each draw, in logarithms (n, pairs).

    A bet for each of `aims` (K, pairs) gets the same share of the stake. It grows fastest if the true difference is so much
    higher, and it may lose STAKE of what it has. If the true difference is lower, what they have is expected to shrink.
    """
    room = np.maximum(difference - values.least, np.finfo(float).tiny)
    variance = np.maximum(values.variance, LEAST_VARIANCE * aims[:, None] ** 2)
    bets = np.minimum(aims[:, None] / np.maximum(variance, np.finfo(float).tiny), STAKE / room)
    each = np.cumsum(np.log1p(bets * (values.value - difference)), axis=1)
    return np.logaddexp.reduce(each, axis=0) - math.log(len(aims))
