"""Experiments whose truth is known, through everything from the log to p: searches logged twice, bots, users who differ."""

from functools import cache

import numpy as np
import polars as pl
import pytest

from ireval.behaviour import Behaviour, Limits, behaviour_of, flagged, log_of
from ireval.experiments import Experiment, arm_effects
from ireval.planning import users_needed
from tests.ireval.rates import as_agreed, experiments

ARMS, DAY = ("control", "new"), 86_400_000_000
START, STOP = 100 * DAY, 114 * DAY
MANY = experiments(1000)
pytestmark = pytest.mark.soak(short=True)
METRICS = ["ctr", "first-click-rr", "conversion:purchase"]


def simulated(seed: int, experiments: int, users: int, *, lift: float = 0.0, **options) -> Behaviour:
    """Experiments side by side, each a segment. Some users click and buy more than others, before the start as after it; each
    experiment has a bot that clicks nothing. In the second arm clicks are more likely by `lift`."""
    rng = np.random.default_rng(seed)
    n = experiments * users
    taste, arm = rng.beta(2, 3, n), rng.integers(0, 2, n)
    unit = np.repeat(np.arange(n), 1 + rng.poisson(rng.gamma(1.5, 4, n)))
    time = rng.integers(START - 14 * DAY, STOP, len(unit))
    bots = np.repeat(n + np.arange(experiments), 300)
    searches = pl.DataFrame(
        {
            "unit": np.concatenate([unit, bots]),
            "time": np.concatenate([time, START + np.tile(np.arange(300) * 10_000_000, experiments)]),
            "query": np.arange(len(unit) + len(bots)),
            "arm": np.concatenate([arm[unit], bots % 2]).astype(np.int16),
            "segment": np.concatenate([unit // users, bots - n]).astype(np.int32),
        }
    )
    clicked = np.flatnonzero(rng.random(len(unit)) < taste[unit] * (1 + lift * arm[unit] * (time >= START)))
    rank = np.minimum(rng.geometric(0.2 + 0.6 * taste[unit[clicked]]), 10)
    buyer = rng.integers(0, n, n)
    bought = buyer[rng.random(n) < taste[buyer]]
    events = pl.DataFrame(
        {
            "unit": np.concatenate([unit[clicked], bought]),
            "time": np.concatenate([time[clicked] + 5_000_000, rng.integers(START - 14 * DAY, STOP, len(bought))]),
            "query": pl.Series(clicked).append(pl.Series([None] * len(bought), dtype=pl.Int64)),
            "action": ["click"] * len(clicked) + ["purchase"] * len(bought),
            "rank": pl.Series(rank).append(pl.Series([None] * len(bought), dtype=pl.Int64)),
        }
    )
    twice = searches.sample(fraction=0.1, seed=seed).with_columns(pl.col("time") + 1000)
    log = log_of(pl.concat([searches, twice]), events, ARMS, START, STOP)
    suspects = flagged(log, Limits(searches_a_day=200))
    assert suspects.tolist() == np.unique(bots).tolist() and log.repeated == len(twice)
    return behaviour_of(log.without(suspects), METRICS, **options)


@cache
def many_without_an_effect() -> list[Experiment]:
    return list(simulated(4, MANY, 150, segments=True, before=True).segments.values())


@pytest.mark.parametrize("adjust", [False, True])
def test_where_there_is_nothing_as_much_is_found_as_was_agreed(adjust):
    effects = [arm_effects(experiment, adjust=adjust) for experiment in many_without_an_effect()]
    assert len(effects) == MANY
    for number, metric in enumerate(METRICS):
        assert as_agreed(sum(row[number].p <= 0.05 for row in effects), MANY), metric


def test_counting_searches_as_if_independent_finds_what_is_not_there():
    """The same clicks by a z-test over searches: why units are what is counted."""
    rejections = 0
    for experiment in many_without_an_effect():
        clicks, searches = (
            np.array([moments.n * moments.mean[place] for moments in experiment.metrics[0].moments]) for place in (0, 1)
        )
        share = clicks.sum() / searches.sum()
        z = np.diff(clicks / searches)[0] / np.sqrt(share * (1 - share) * (1 / searches).sum())
        rejections += abs(z) > 1.96
    assert rejections > 0.1 * MANY


def test_what_units_did_before_takes_variance_away():
    clicks = [arm_effects(experiment)[0] for experiment in many_without_an_effect()]
    assert all(effect.adjusted and effect.reduction >= 0 for effect in clicks)
    assert np.mean([effect.reduction for effect in clicks]) > 0.1
    assert np.mean([effect.error for effect in clicks]) < 0.95 * np.mean(
        [arm_effects(experiment, adjust=False)[0].error for experiment in many_without_an_effect()]
    )


def test_a_planted_effect_is_found_as_often_as_planned():
    """Deviation, share and how many users come at all from experiments without an effect; then as many as the plan says find it
    in four of five."""
    without = many_without_an_effect()
    control = [arm_effects(experiment, adjust=False)[0] for experiment in without]
    share = np.mean([effect.mean_control for effect in control])
    deviation = np.mean([effect.error / np.sqrt(1 / effect.n + 1 / effect.n_control) for effect in control])
    lift = 0.2
    users = round(users_needed(lift * share, deviation=deviation) * 150 / np.mean([experiment.n.sum() for experiment in without]))
    segments = simulated(5, 300, users, lift=lift, segments=True).segments.values()
    effects = [arm_effects(experiment)[0] for experiment in segments]
    assert np.mean([effect.p <= 0.05 for effect in effects]) == pytest.approx(0.8, abs=0.07)
    assert np.mean([effect.difference for effect in effects]) == pytest.approx(lift * share, rel=0.1)


@pytest.mark.slow
def test_twenty_looks_at_users_who_come_back_stay_within_the_level():
    looks = np.linspace(START, STOP, 21)[1:].astype(int).tolist()
    rejected = {"p": 0, "always_p": 0}
    studies = experiments(200)
    for seed in range(studies):
        seen = [arm_effects(experiment)[0] for experiment in simulated(seed, 1, 600, looks=looks).looks.values()]
        for name in rejected:
            rejected[name] += min(getattr(effect, name) for effect in seen if not np.isnan(effect.p)) <= 0.05
    assert rejected["always_p"] <= 0.05 * studies
    assert rejected["p"] > 0.12 * studies
