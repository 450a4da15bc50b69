"""Planning of topics: power of the paired t test, the topics that a difference needs, the difference that topics can show."""

import math

from ireval.io.arguments import require_numbers
from ireval.io.files import BadInput

DEFAULT_POWER = 0.8
DEFAULT_ALPHA = 0.05
# Nobody judges more; a difference that needs more is nothing but noise.
MOST_TOPICS = 10**7


def power(difference: float, deviation: float, topics: int, alpha: float = DEFAULT_ALPHA) -> float:
    """The chance that a two-sided paired t test at `alpha` finds a true mean difference.

    `deviation` is the standard deviation of the differences over topics, from an earlier comparison of similar systems. 1 where
    it is zero, NaN for fewer than two topics. BadInput for numbers out of range. Source: noncentral t; Cohen, Statistical
    power analysis for the behavioral sciences, 1988.

    >>> round(power(0.05, 0.1, topics=34), 4)
    0.8078
    """
    check(difference, deviation, alpha)
    require_numbers(topics=topics)
    if topics < 2:
        return math.nan
    if deviation == 0:
        return 1.0
    from scipy.integrate import quad  # noqa: PLC0415 - slow to import
    from scipy.special import chdtri, gammaln, ndtr, stdtrit  # noqa: PLC0415

    freedom, shift = topics - 1, difference / deviation * math.sqrt(topics)
    critical = stdtrit(freedom, 1 - alpha / 2)
    constant = math.log(2) + freedom / 2 * math.log(freedom / 2) - gammaln(freedom / 2)

    def integrand(spread: float) -> float:
        """Power if the sample's deviation is `spread` times the true one, times the density of that ratio."""
        density = math.exp(constant + (freedom - 1) * math.log(spread) - freedom / 2 * spread**2)
        return density * (ndtr(shift - critical * spread) + ndtr(-shift - critical * spread))

    # scipy's noncentral t gives NaN for large shifts.
    low, high = (math.sqrt(chdtri(freedom, tail) / freedom) for tail in (1 - 1e-15, 1e-15))
    turns = [min(max((shift + offset) / critical, low), high) for offset in (-6, 0, 6)]
    return min(1.0, quad(integrand, low, high, points=turns, limit=200, epsabs=1e-10)[0])


def topics_needed(
    difference: float,
    deviation: float,
    *,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> int:
    """The least number of topics with which a paired t test finds `difference` with that power.

    `alpha` is divided by `comparisons` (Bonferroni), the number of pairs to test. BadInput for numbers out of range, and if
    not even 10,000,000 topics would do. Source: Sakai, Topic set size design, Information Retrieval Journal 19,
    2016.

    >>> topics_needed(0.05, 0.1), topics_needed(0.05, 0.1, comparisons=10)
    (34, 58)
    """
    check(difference, deviation, alpha, power_wanted, comparisons)

    def enough(topics: int) -> bool:
        return power(difference, deviation, topics, alpha / comparisons) >= power_wanted

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_TOPICS:
            raise BadInput(
                f"a difference of {difference:g} at a deviation of {deviation:g} needs more than {MOST_TOPICS:,} topics"
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def smallest_difference(
    topics: int,
    deviation: float,
    *,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
    largest: float = math.inf,
) -> float:
    """The smallest true difference that a paired t test over so many topics finds with that power; the rest as topics_needed.

    NaN where no difference can be found: for fewer than two topics, and above `largest`. That is the most by which two values of
    the measure can differ (its kind's `largest_difference`). 0 for a deviation of 0.

    >>> round(smallest_difference(50, 0.1), 4)
    0.0404
    >>> round(smallest_difference(3, 0.4), 4), smallest_difference(3, 0.4, largest=1)
    (1.3056, nan)
    """
    check(1, deviation, alpha, power_wanted, comparisons)
    require_numbers(topics=topics, largest=largest)
    if deviation == 0 or topics < 2:
        return 0.0 if topics >= 2 else math.nan
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    def lacking(difference: float) -> float:
        return power(difference, deviation, topics, alpha / comparisons) - power_wanted

    high = deviation
    while lacking(high) < 0:
        high *= 2
    smallest = brentq(lacking, high * 1e-9, high, xtol=1e-12)
    return float(smallest) if smallest <= largest else math.nan


def check(difference: float, deviation: float, alpha: float, power_wanted: float = DEFAULT_POWER, comparisons: int = 1) -> None:
    require_numbers(difference=difference, deviation=deviation)
    if not 0 < difference < math.inf:
        raise BadInput(f"the difference is {difference}; expected a number above 0")
    if not 0 <= deviation < math.inf:
        raise BadInput(f"the deviation is {deviation}; expected a number from 0")
    check_errors(alpha, power_wanted, comparisons)


def check_errors(alpha: float, power_wanted: float, comparisons: int = 1) -> None:
    require_numbers(alpha=alpha, power=power_wanted, comparisons=comparisons)
    if comparisons < 1:
        raise BadInput(f"comparisons is {comparisons}; expected at least 1")
    for name, value in (("alpha", alpha), ("power", power_wanted)):
        if not 0 < value < 1:
            raise BadInput(f"{name} is {value}; expected a number between 0 and 1")
    if power_wanted <= alpha:
        raise BadInput(f"a power of {power_wanted} is no more than alpha, {alpha}; expected more")
