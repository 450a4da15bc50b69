"""Planning of side-by-side studies: which preference a number of topics can show, by the exact sign test over topics."""

import math

import numpy as np

from ireval.arrays import Floats
from ireval.io.arguments import require_numbers, require_wholes
from ireval.io.files import BadInput
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, check_errors

# Nobody judges more.
MOST_TOPICS = 100_000


def preference_power(share: float, topics: int, *, ties: float = 0, alpha: float = DEFAULT_ALPHA) -> float:
    """The chance that the exact two-sided sign test over topics finds a preference at `alpha`.

    Each topic is a tie with the probability `ties`, and otherwise won by the better system with the probability `share`. Ties
    are dropped: the number of decided topics is binomial, and power is the mean over it. BadInput for numbers out of range.
    Source: exact, Σ_d Bin(d; topics, 1 − ties) · P(p ≤ alpha | d, share).

    >>> round(preference_power(0.7, 50), 4), round(preference_power(0.7, 50, ties=0.4), 4)
    (0.7822, 0.5249)
    """
    check(topics, ties, alpha)
    require_numbers(share=share)
    if not 0.5 <= share <= 1:
        raise BadInput(f"the share is {share}; expected a number from 0.5 to 1")
    from scipy.stats import binom  # noqa: PLC0415 - slow to import

    decided, weight, most_lost = rejections(topics, ties, alpha)
    rejected = binom.cdf(most_lost, decided, 1 - share) + binom.cdf(most_lost, decided, share)
    return min(1.0, float((weight * rejected).sum()))


def rejections(topics: int, ties: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    """The likely numbers of decided topics, their probabilities, and how many may be lost for the test to reject; (n,) each.

    -1 lost topics where the test never rejects.
    """
    from scipy.stats import binom  # noqa: PLC0415 - slow to import

    spread = 10 * math.sqrt(topics * ties * (1 - ties)) + 10
    centre = topics * (1 - ties)
    decided = np.arange(max(0, int(centre - spread)), min(topics, int(centre + spread) + 1) + 1).astype(np.float64)
    if ties == 0:
        decided = np.array([float(topics)])
    most_lost = binom.ppf(alpha / 2, decided, 0.5)
    most_lost = np.where(binom.cdf(most_lost, decided, 0.5) > alpha / 2, most_lost - 1, most_lost)
    return decided, binom.pmf(decided, topics, 1 - ties), most_lost


def detectable_preference(
    topics: int, *, ties: float = 0, alpha: float = DEFAULT_ALPHA, power_wanted: float = DEFAULT_POWER
) -> float:
    """The smallest share of decided topics won that the exact sign test over `topics` finds with that power.

    NaN where not even winning all of them would do. BadInput for numbers out of range. The rest as preference_power.

    >>> round(detectable_preference(50), 4), round(detectable_preference(50, ties=0.4), 4), detectable_preference(5)
    (0.7039, 0.7632, nan)
    """
    check(topics, ties, alpha, power_wanted)

    def lacking(share: float) -> float:
        return preference_power(share, topics, ties=ties, alpha=alpha) - power_wanted

    if lacking(1.0) < 0:
        return math.nan
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    return float(brentq(lacking, 0.5, 1.0, xtol=1e-12))


def topics_for_preference(
    share: float, *, ties: float = 0, alpha: float = DEFAULT_ALPHA, power_wanted: float = DEFAULT_POWER
) -> int:
    """The least number of topics from which on the exact sign test finds that `share` of decided topics won with that power.

    The power of an exact test may fall a little when topics are added, since p takes few values. From this number on it is never
    less than wanted. BadInput for a share of a half, for numbers out of range, and where more than 100,000 topics are needed.

    >>> topics_for_preference(0.7), topics_for_preference(0.7, ties=0.4)
    (54, 86)
    """
    check(1, ties, alpha, power_wanted)
    require_numbers(share=share)
    if not 0.5 < share <= 1:
        raise BadInput(f"the share is {share}; expected more than 0.5 and at most 1")

    def enough(topics: int) -> bool:
        return preference_power(share, topics, ties=ties, alpha=alpha) >= power_wanted

    high = 8
    while not enough(high):
        high *= 2
        if high > MOST_TOPICS:
            raise BadInput(f"a share of {share:g} won needs more than {MOST_TOPICS:,} topics")
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    # A step of the test costs about 1/√n of power, and each topic adds about 1/n: beyond this range no step matters.
    around = range(high + 20 + 8 * math.isqrt(high), 0, -1)
    return next((topics + 1 for topics in around if not enough(topics)), 1)


def check(topics: int, ties: float, alpha: float, power_wanted: float = DEFAULT_POWER) -> None:
    require_numbers(topics=topics, ties=ties)
    require_wholes(topics=topics)
    if topics < 1:
        raise BadInput(f"topics is {topics}; expected at least 1")
    if not 0 <= ties < 1:
        raise BadInput(f"ties is {ties}; expected a share from 0 and less than 1")
    check_errors(alpha, power_wanted)
