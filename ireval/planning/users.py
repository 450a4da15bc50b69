"""Planning of A/B tests: how many users one needs, which effect it can find, and how long it runs."""

import math

from ireval.io.arguments import as_numbers, require_numbers
from ireval.io.files import BadInput
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, check_errors

HALVES = (0.5, 0.5)
# Nobody has more.
MOST_USERS = 10**12


def experiment_power(
    difference: float,
    users: float,
    *,
    deviation: float | None = None,
    baseline: float | None = None,
    shares: tuple[float, float] = HALVES,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> float:
    """The chance that a two-sided test at `alpha` finds a true `difference` between an arm and the control.

    `users` are those of all arms, `shares` the parts of them in control and arm: (1/3, 1/3) of three equal arms. For means and
    ratios, `deviation` is the standard deviation between users (`ratio_deviation`; with CUPED, times √(1 − reduction)). For
    proportions, `baseline` is the control's, and the difference may be negative. `alpha` is divided by `comparisons`
    (Bonferroni). By the normal distribution, which is right from about a hundred users per arm on.
    BadInput for numbers out of range. Source: Φ(|δ| − z σ₀ / σ₁) over standard errors, both tails; proportions with the
    pooled variance under the null, Fleiss, Statistical methods for rates and proportions, 1981, section 3.

    >>> round(experiment_power(0.25, 100, baseline=0.5), 3), round(experiment_power(0.1, 3140, deviation=1), 3)
    (0.74, 0.8)
    """
    check(difference, deviation, baseline, shares=shares, alpha=alpha, comparisons=comparisons)
    require_numbers(users=users)
    if not users > 0:
        raise BadInput(f"users is {users}; expected a number above 0")
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - slow to import

    null, alternative = (spread / math.sqrt(users) for spread in deviations(difference, deviation, baseline, shares))
    if alternative == 0:
        return 1.0
    critical = -float(ndtri(alpha / comparisons / 2)) * null
    return float(sum(ndtr((sign * abs(difference) - critical) / alternative) for sign in (1, -1)))


def users_needed(
    difference: float,
    *,
    deviation: float | None = None,
    baseline: float | None = None,
    shares: tuple[float, float] = HALVES,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> int:
    """The least number of users, in all arms together, with which `difference` is found with that power.

    The rest as `experiment_power`. BadInput for numbers out of range and where more than 10¹² would be needed.

    >>> users_needed(0.25, baseline=0.5, power_wanted=0.9), users_needed(0.1, deviation=1)
    (154, 3140)
    """
    check(difference, deviation, baseline, shares=shares, alpha=alpha, comparisons=comparisons, power_wanted=power_wanted)

    def enough(users: int) -> bool:
        power = experiment_power(
            difference, users, deviation=deviation, baseline=baseline, shares=shares, alpha=alpha, comparisons=comparisons
        )
        return power >= power_wanted

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_USERS:
            raise BadInput(f"a difference of {difference:g} needs more than {MOST_USERS:,} users")
    low = high // 2 if high > 2 else 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def detectable_effect(
    users: float,
    *,
    deviation: float | None = None,
    baseline: float | None = None,
    shares: tuple[float, float] = HALVES,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> float:
    """The smallest rise that so many users in all arms together find with that power; the rest as `experiment_power`.

    NaN where not even a rise of a proportion to 1 would be found; 0 where users do not differ. BadInput for numbers out of
    range.

    >>> round(detectable_effect(100, baseline=0.5, power_wanted=0.9), 4), round(detectable_effect(3140, deviation=1), 4)
    (0.3026, 0.1)
    """
    require_numbers(users=users)
    if baseline is not None:
        require_numbers(baseline=baseline)
    rise = 1.0 if baseline is None else 1 - baseline
    check(rise, deviation, baseline, shares=shares, alpha=alpha, comparisons=comparisons, power_wanted=power_wanted)
    if deviation == 0:
        return 0.0
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    def lacking(difference: float) -> float:
        power = experiment_power(
            difference, users, deviation=deviation, baseline=baseline, shares=shares, alpha=alpha, comparisons=comparisons
        )
        return power - power_wanted

    high = rise if deviation is None else deviation
    while deviation is not None and lacking(high) < 0:
        high *= 2
    return float(brentq(lacking, high * 1e-12, high, xtol=high * 1e-14)) if lacking(high) >= 0 else math.nan


def ratio_deviation(
    numerator: float, denominator: float, variance_numerator: float, variance_denominator: float, covariance: float
) -> float:
    """The standard deviation of a ratio for planning: √(V_n − 2 R C + R² V_d) / mean denominator, R the ratio of the means.

    Takes means, variances and covariance over users. BadInput for a denominator that is not above 0, and for variances and
    a covariance that are not possible. Source: the delta method;
    Deng, Knoblich and Lu 2018.

    >>> round(ratio_deviation(2.0, 4.0, 3.0, 8.0, 4.0), 4)
    0.25
    """
    require_numbers(numerator=numerator, denominator=denominator, covariance=covariance)
    require_numbers(variance_numerator=variance_numerator, variance_denominator=variance_denominator)
    if not denominator > 0:
        raise BadInput(f"the denominator is {denominator}; expected a number above 0")
    if min(variance_numerator, variance_denominator) < 0 or covariance**2 > variance_numerator * variance_denominator * (
        1 + 1e-9
    ):
        raise BadInput("no users have such variances and covariance")
    ratio = numerator / denominator
    variance = variance_numerator - 2 * ratio * covariance + ratio**2 * variance_denominator
    return math.sqrt(max(0.0, variance)) / denominator


def days_needed(users: int, users_a_day: float) -> int:
    """How many whole days it takes until `users` have come, with `users_a_day` new ones every day.

    BadInput where none come. Whole weeks are better: each day of the week then counts equally.

    >>> days_needed(3140, 250)
    13
    """
    require_numbers(users=users, users_a_day=users_a_day)
    if not users < math.inf:
        raise BadInput(f"users is {users}; expected a number")
    if not users_a_day > 0:
        raise BadInput(f"users_a_day is {users_a_day}; expected a number above 0")
    return math.ceil(users / users_a_day)


def deviations(
    difference: float, deviation: float | None, baseline: float | None, shares: tuple[float, float]
) -> tuple[float, float]:
    """Standard errors of the difference times √users: if the true difference is 0, and if it is this one."""
    control, arm = shares
    if baseline is None:
        error = (deviation or 0.0) * math.sqrt(1 / control + 1 / arm)
        return error, error
    other = baseline + difference
    pooled = (control * baseline + arm * other) / (control + arm)
    null = math.sqrt(pooled * (1 - pooled) * (1 / control + 1 / arm))
    return null, math.sqrt(baseline * (1 - baseline) / control + other * max(0.0, 1 - other) / arm)


def check(
    difference: float,
    deviation: float | None,
    baseline: float | None,
    *,
    shares: tuple[float, float],
    alpha: float,
    comparisons: int,
    power_wanted: float = DEFAULT_POWER,
) -> None:
    if (deviation is None) == (baseline is None):
        raise BadInput("expected a deviation (of means and ratios) or a baseline (of proportions), and not both")
    require_numbers(difference=difference, **({"baseline": baseline} if deviation is None else {"deviation": deviation}))
    if as_numbers("shares", shares).shape != (2,):
        raise BadInput(f"the shares are {shares}; expected two numbers above 0 that make 1 at most")
    if deviation is not None and not 0 <= deviation < math.inf:
        raise BadInput(f"the deviation is {deviation}; expected a number from 0")
    if baseline is not None and not 0 < baseline < 1:
        raise BadInput(f"the baseline is {baseline}; expected a number between 0 and 1")
    if not 0 < abs(difference) < math.inf:
        raise BadInput(f"the difference is {difference}; expected a number other than 0")
    if baseline is not None and not -1e-12 <= baseline + difference <= 1 + 1e-12:
        raise BadInput(f"a difference of {difference} from {baseline} leaves 0 to 1")
    if min(shares) <= 0 or sum(shares) > 1 + 1e-9:
        raise BadInput(f"the shares are {shares}; expected two numbers above 0 that make 1 at most")
    check_errors(alpha, power_wanted, comparisons)
