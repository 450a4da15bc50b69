"""Intervals of experiments with users: interleaving's Δ, and of A/B tests differences, adjusted ones, ratios, lifts and shares.

Users differ, and their numbers are skewed: most have few searches, a few have very many. The truth is known by construction,
or the mean of very many users.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.coverage import Row, holds, row
from ireval.arrays import Floats, Ints
from ireval.experiments import Effect, Observed, arm_effects, experiment_from, proportion_test
from ireval.interleaving import Credits, compare_interleaved

ARMS = ("control", "new")
USERS = (50, 200, 1000)
VERY_MANY = 2_000_000
# What the new way to search does to users' clicks per search, and to their number of purchases.
LIFT = 1.1
LOOKS = 20
SHARES = ((0.02, 0.03), (0.3, 0.35))


def rows(repetitions: int, data: Path) -> Iterator[Row]:
    """Yield the rows of A/B tests, shares and interleaving; nothing is read from `data`."""
    for users in USERS:
        yield from of_effects(users, repetitions)
    for users in USERS:
        for share, share_control in SHARES:
            yield of_shares(users, share, share_control, repetitions)
    yield of_looks(repetitions)
    for users, queries in ((20, 10), (50, 50), (200, 50)):
        for tastes in (0.0, 1.0):
            yield of_interleaving(users, queries, tastes, repetitions)


def of_effects(users: int, repetitions: int) -> Iterator[Row]:
    """An A/B test with so many users in each arm: what they bought, the same adjusted by the time before, clicks per search."""
    rng, truth = np.random.default_rng(users), true_effects()
    held: dict[str, list[float]] = {name: [] for name in truth}
    for _ in range(repetitions):
        for name, (low, high) in effects_of(rng, users).items():
            held[name].append(holds(low, truth[name], high))
    for name, column in held.items():
        yield row(f"A/B: {name}", "skewed users", f"{users} users an arm", column)


def effects_of(rng: np.random.Generator, users: int) -> dict[str, tuple[float, float]]:
    arm, observed = simulated(rng, users)
    experiment = experiment_from(arm, ARMS, observed)
    plain = {effect.metric: effect for effect in arm_effects(experiment, adjust=False)}
    adjusted = {effect.metric: effect for effect in arm_effects(experiment)}
    return {
        "difference (Welch)": ends(plain["bought"]),
        "difference, adjusted (CUPED)": ends(adjusted["bought"]),
        "ratio (delta method)": ends(plain["clicks"]),
        "lift (Fieller)": (plain["bought"].relative_low, plain["bought"].relative_high),
    }


def ends(effect: Effect) -> tuple[float, float]:
    return effect.low, effect.high


def simulated(rng: np.random.Generator, users: int) -> tuple[Ints, dict[str, Observed]]:
    """Arms, and of each user the searches with their clicks, and what was bought before and during the experiment."""
    arm = np.repeat([0, 1], users)
    keenness = rng.gamma(2, 0.5, 2 * users)
    searches = 1 + rng.poisson(4 * keenness)
    rate = np.where(arm == 1, 0.4 * LIFT, 0.4) * rng.beta(4, 2, 2 * users) * 1.5
    clicks = rng.binomial(searches, np.minimum(rate, 1))
    before, bought = rng.poisson(2 * keenness), rng.poisson(2 * keenness * np.where(arm == 1, LIFT, 1))
    return arm, {"bought": Observed(bought, before=before), "clicks": Observed(clicks, per=searches)}


@cache
def true_effects() -> dict[str, float]:
    arm, observed = simulated(np.random.default_rng(0), VERY_MANY)
    clicks, searches = (np.bincount(arm, column) for column in (observed["clicks"].values, observed["clicks"].per))
    ratio = clicks / searches
    bought = 2 * (LIFT - 1)
    return {
        "difference (Welch)": bought,
        "difference, adjusted (CUPED)": bought,
        "ratio (delta method)": float(ratio[1] - ratio[0]),
        "lift (Fieller)": LIFT - 1,
    }


def of_shares(users: int, share: float, share_control: float, repetitions: int) -> Row:
    rng = np.random.default_rng(users)
    counts = rng.binomial(users, share, repetitions), rng.binomial(users, share_control, repetitions)
    tests = (proportion_test(users, int(new), users, int(control)) for new, control in zip(*counts, strict=True))
    held = [holds(test.low, share - share_control, test.high) for test in tests]
    return row("A/B: difference of shares (Newcombe)", f"shares {share:g} and {share_control:g}", f"{users} users an arm", held)


def of_looks(repetitions: int, users: int = 2000) -> Row:
    """Whether the always-valid intervals at all of twenty looks hold the difference."""
    rng, held = np.random.default_rng(LOOKS), []
    for _ in range(repetitions):
        arm, observed = simulated(rng, users)
        order = rng.permutation(2 * users)
        looks = (order[: 2 * users * look // LOOKS] for look in range(1, LOOKS + 1))
        held.append(all(held_at(arm[seen], np.asarray(observed["bought"].values)[seen]) for seen in looks))
    return row(f"A/B: always-valid, all {LOOKS} looks", "skewed users", f"{users} users an arm", held)


def held_at(arm: Ints, bought: Floats) -> bool:
    (effect,) = arm_effects(experiment_from(arm, ARMS, {"bought": Observed(bought)}))
    return effect.always_low <= 2 * (LIFT - 1) <= effect.always_high


def of_interleaving(users: int, queries: int, tastes: float, repetitions: int) -> Row:
    rng, truth = np.random.default_rng([users, queries]), true_delta(tastes)
    held = []
    for _ in range(repetitions):
        user, query, first, second = impressions(rng, users, queries, tastes)
        result = compare_interleaved(Credits(user, query, {"first": first, "second": second}))
        held.append(holds(result.delta_low, truth, result.delta_high))
    world = "users and queries differ" if tastes else "every impression by itself"
    return row("interleaving: Δ", world, f"{users} users, {queries} queries", held)


def impressions(rng: np.random.Generator, users: int, queries: int, tastes: float) -> tuple[Ints, Ints, Floats, Floats]:
    """User, query and both credits of five impressions a user; the first system is preferred a little."""
    user = np.repeat(np.arange(users, dtype=np.int64), 5)
    query = rng.integers(0, queries, len(user), dtype=np.int64)
    taste = tastes * (rng.normal(0, 0.7, users)[user] + rng.normal(0, 0.7, queries)[query])
    wins = rng.random(len(user)) < 1 / (1 + np.exp(-(0.3 + taste)))
    return user, query, wins.astype(np.float64), (~wins).astype(np.float64)


@cache
def true_delta(tastes: float) -> float:
    taste = tastes * np.random.default_rng(0).normal(0, 0.7 * np.sqrt(2), VERY_MANY)
    return float((1 / (1 + np.exp(-(0.3 + taste)))).mean()) - 0.5
