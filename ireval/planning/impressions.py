"""Planning of interleaving: how many impressions it needs, and which preference it can find."""

import math

from ireval.io.arguments import require_numbers
from ireval.io.files import BadInput
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, check_errors
from ireval.planning.users import MOST_USERS


def interleaving_power(
    delta: float,
    impressions: float,
    *,
    ties: float = 0.0,
    without_credit: float = 0.0,
    design_effect: float = 1.0,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> float:
    """The chance that a two-sided test at `alpha` finds a true Δ, on its side.

    A share `without_credit` of the impressions gives no vote. A share `ties` of the others is a tie, so |Δ| is at most
    (1 − ties) / 2. `design_effect` is how many votes are worth one independent vote: that of an earlier experiment
    (`Interleaving.design_effect`), or `users_are_alike`. `alpha` is divided by `comparisons` (Bonferroni), such as pairs of
    systems. By the normal distribution. BadInput for numbers out of range.
    Source: Φ((|Δ| √n − z σ₀) / σ₁), the sign test with ties as halves: σ₀² = (1 − ties) / 4, σ₁² = σ₀² − Δ², n independent votes.

    >>> round(interleaving_power(0.05, 1000), 3), round(interleaving_power(0.05, 1000, ties=0.3, without_credit=0.4), 3)
    (0.887, 0.835)
    """
    check(delta, ties=ties, without_credit=without_credit, design_effect=design_effect, alpha=alpha, comparisons=comparisons)
    require_numbers(impressions=impressions)
    if not impressions > 0:
        raise BadInput(f"impressions is {impressions}; expected a number above 0")
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    null, alternative = deviations(delta, ties)
    surplus = abs(delta) * math.sqrt(impressions * (1 - without_credit) / design_effect) - critical(alpha, comparisons) * null
    return float(ndtr(surplus / alternative)) if alternative else float(surplus > 0)


def impressions_needed(
    delta: float,
    *,
    ties: float = 0.0,
    without_credit: float = 0.0,
    design_effect: float = 1.0,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> int:
    """The least number of impressions, those without credit included, with which Δ is found with that power.

    The rest as `interleaving_power`. BadInput also for more than 10¹².

    >>> impressions_needed(0.05), impressions_needed(0.05, ties=0.3, without_credit=0.4, design_effect=2)
    (783, 1824)
    """
    check(
        delta,
        ties=ties,
        without_credit=without_credit,
        design_effect=design_effect,
        alpha=alpha,
        comparisons=comparisons,
        power_wanted=power_wanted,
    )
    null, alternative = deviations(delta, ties)
    votes = ((critical(alpha, comparisons) * null + quantile(power_wanted) * alternative) / delta) ** 2
    impressions = votes * design_effect / (1 - without_credit)
    if impressions > MOST_USERS:
        raise BadInput(f"a delta of {delta:g} needs more than {MOST_USERS:,} impressions")
    return max(1, math.ceil(impressions))


def detectable_delta(
    impressions: float,
    *,
    ties: float = 0.0,
    without_credit: float = 0.0,
    design_effect: float = 1.0,
    power_wanted: float = DEFAULT_POWER,
    alpha: float = DEFAULT_ALPHA,
    comparisons: int = 1,
) -> float:
    """The smallest |Δ| that so many impressions find with that power; the rest as `interleaving_power`.

    NaN where not even winning all decided impressions would be enough.

    >>> round(detectable_delta(783), 4), detectable_delta(3)
    (0.05, nan)
    """
    require_numbers(impressions=impressions, ties=ties)
    most = (1 - ties) / 2
    check(
        most,
        ties=ties,
        without_credit=without_credit,
        design_effect=design_effect,
        alpha=alpha,
        comparisons=comparisons,
        power_wanted=power_wanted,
    )
    if not impressions > 0:
        raise BadInput(f"impressions is {impressions}; expected a number above 0")
    z, beyond = critical(alpha, comparisons), quantile(power_wanted)
    votes = impressions * (1 - without_credit) / design_effect
    if (inside := votes - z**2 + beyond**2) < 0:
        return math.nan
    delta = math.sqrt((1 - ties) / 4) * (z * math.sqrt(votes) + beyond * math.sqrt(inside)) / (votes + beyond**2)
    return delta if delta <= most else math.nan


def users_are_alike(impressions_a_user: float, likeness: float, variation: float = 0.0) -> float:
    """The design effect of users whose votes are alike: 1 + (m (1 + cv²) − 1) · likeness.

    m is the mean number of impressions with credit per user. `variation` (cv) is their standard deviation over m, `likeness`
    the correlation of two votes of a user. BadInput for numbers out of range.
    Source: Kish, Survey sampling, 1965, section 8.2.

    >>> round(users_are_alike(4, 0.1, 0.5), 4)
    1.4
    """
    require_numbers(impressions_a_user=impressions_a_user, likeness=likeness, variation=variation)
    if impressions_a_user < 1 or variation < 0 or not 0 <= likeness <= 1:
        raise BadInput(f"no users have {impressions_a_user} impressions, likeness {likeness}, variation {variation}")
    return 1 + (impressions_a_user * (1 + variation**2) - 1) * likeness


def deviations(delta: float, ties: float) -> tuple[float, float]:
    """Standard deviations of a vote: without a preference, and with this one."""
    null = (1 - ties) / 4
    return math.sqrt(null), math.sqrt(max(0.0, null - delta**2))


def critical(alpha: float, comparisons: int) -> float:
    return quantile(1 - alpha / comparisons / 2)


def quantile(share: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    return float(ndtri(share))


def check(
    delta: float,
    *,
    ties: float,
    without_credit: float,
    design_effect: float,
    alpha: float,
    comparisons: int,
    power_wanted: float = DEFAULT_POWER,
) -> None:
    require_numbers(delta=delta, ties=ties, without_credit=without_credit, design_effect=design_effect)
    for name, value in (("ties", ties), ("without_credit", without_credit)):
        if not 0 <= value < 1:
            raise BadInput(f"{name} is {value}; expected a share from 0 and less than 1")
    if not 0 < abs(delta) <= (1 - ties) / 2 + 1e-12:
        raise BadInput(f"delta is {delta}; expected a number other than 0, at most {(1 - ties) / 2:g}")
    if not 0 < design_effect < math.inf:
        raise BadInput(f"the design effect is {design_effect}; expected a number above 0")
    check_errors(alpha, power_wanted, comparisons)
