"""Whether reports reject as often as they say, from records with duplicates and programs to p: a part of benchmarks/aa.py."""

import random
from collections import Counter

import pytest

from benchmarks.aa import ALPHA, World, effects_at, interleave_in, report_on
from benchmarks.aa import tests_of as search_in

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.slow]


def test_without_an_effect_few_tests_find_one():
    """Forty tests of three metrics: above 8 for one of them once in two thousand times."""
    rejected = Counter()
    for number in range(2):
        world = World(random.Random(number), "ab", 20)
        search_in(world, 150)
        for experiment in world.experiments:
            effects, _, result = effects_at(experiment)
            assert result.bots == 2
            rejected.update(name for name, effect in effects.items() if effect.p < ALPHA)
    assert all(rejected[name] <= 8 for name in ("ctr", "first-click-rr", "conversion:purchase")), rejected


def test_a_large_effect_is_found():
    """A CTR of .4 becomes one of .7."""
    world = World(random.Random(1), "ab", 1)
    search_in(world, 150, effect=0.5)
    effects, _, _ = effects_at(world.experiments[0])
    assert effects["ctr"].p < 1e-6
    assert effects["ctr"].difference == pytest.approx(0.3, abs=0.12)


def test_equal_systems_rarely_win_when_interleaved():
    """Above 5 of 20 once in three thousand times."""
    rejected = 0
    for number in range(20):
        world = World(random.Random(500 + number), "interleaving", 1)
        interleave_in(world, 30)
        pair = report_on(world.experiments[0]).result["whole"]["pairs"][0]["analysis"]
        rejected += pair["score"]["p"] < ALPHA
    assert rejected <= 5
