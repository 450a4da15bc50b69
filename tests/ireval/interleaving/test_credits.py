"""What clicks are worth: by hand, and to nobody's advantage when people click at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.interleaving import METHODS, Interleaved, credit, interleave, outcome
from tests.ireval.interleaving.rankings import rankings

SEEDS = 1500
# Chances by rank of clicks that look at nothing but ranks.
CLICKING = 0.8 / np.arange(1, 9)
FAIR = ("team_draft", "probabilistic")


def merged(method, lists, ranking, shares):
    return Interleaved(method, tuple(map(tuple, lists)), tuple(ranking), np.array(shares, np.float64))


def test_team_draft_counts_clicks_of_teams():
    shown = merged("team_draft", rankings("abc bde"), "badc", [[0, 1], [1, 0], [0, 1], [1, 0]])
    assert credit(shown, ["b", "d", "a", "z", "b"]).tolist() == [1, 2]
    result = outcome(shown, ["b", "d", "a", "z", "b"])
    assert (result.winner, result.clicks, result.sign.tolist()) == (1, 3, [[0, -1], [1, 0]])


def test_balanced_counts_clicks_down_to_the_same_depth_on_both_sides():
    # Radlinski, Kurup and Joachims 2008: k = 2, where the first has b; only a of the first and nothing of the second is above.
    shown = merged("balanced", rankings("abc dea"), "adbe", [[1, 1]] * 4)
    assert credit(shown, ["b"]).tolist() == [1, 0]
    assert credit(shown, ["a", "e"]).tolist() == [1, 1]
    assert credit(shown, ["d"]).tolist() == [0, 1]


def test_probabilistic_credit_is_the_chance_to_come_from_each():
    shown = interleave("probabilistic", rankings("ab ba"), 2, seed=4)
    weight = 1 / 8
    first = {"a": [1 / (1 + weight), weight / (1 + weight)], "b": [weight / (1 + weight), 1 / (1 + weight)]}
    assert shown.shares.tolist() == [pytest.approx(first[shown.ranking[0]]), pytest.approx([0.5, 0.5])]


@pytest.mark.parametrize("method", METHODS)
@given(ranking=st.permutations("abcdef"), clicks=st.sets(st.sampled_from("abcdef")), seed=st.integers(0, 10**6))
def test_without_clicks_and_by_symmetry_nobody_wins(method, ranking, clicks, seed):
    shown = interleave(method, [ranking, ranking[::-1]], 6, seed)
    assert outcome(shown, []).winner is None
    same = interleave(method, [ranking, ranking], 6, seed)
    if method != "team_draft":
        assert outcome(same, clicks).winner is None


@pytest.mark.parametrize("method", METHODS)
def test_identical_rankings_are_equal_over_many_seeds(method):
    signs = simulated(method, rankings("abcdefgh abcdefgh"))
    assert abs(signs.mean()) < 4 / np.sqrt(SEEDS)


@pytest.mark.parametrize("method", FAIR)
@pytest.mark.parametrize(
    "lists",
    [
        rankings("abcdefgh bcdefgha"),
        rankings("abcdefgh hgfedcba"),
        rankings("abcdefgh ijklmnop"),
        rankings("abcdefgh xacdefgh"),
        rankings("a ab"),
        [["a", "b", "c"], []],
    ],
)
def test_clicks_at_random_prefer_nobody(method, lists):
    """Of 1,500 impressions the mean difference stays within four standard errors, which chance alone leaves once in 16,000."""
    rng = np.random.default_rng(0)
    credits = np.array([random_credit(method, lists, seed, rng) for seed in range(SEEDS)])
    apart = credits[:, 0] - credits[:, 1]
    for differences in (apart, np.sign(apart)) if method == "team_draft" else (apart,):
        assert abs(differences.mean()) <= 4 * differences.std() / np.sqrt(SEEDS)


def test_balanced_prefers_somebody_when_clicks_are_random():
    """Its known flaw: of a b c d against b c d a, a single click at random favours the second (Radlinski et al. 2008)."""
    rng = np.random.default_rng(1)
    signs = []
    for seed in range(SEEDS):
        shown = interleave("balanced", rankings("abcd bcda"), 4, seed)
        signs.append(outcome(shown, [shown.ranking[rng.integers(4)]]).sign[0, 1])
    assert np.mean(signs) < -0.2


def test_many_rankings_are_treated_alike():
    lists = rankings("abcdefgh hgfedcba ijklmnop abcdwxyz")
    rng = np.random.default_rng(2)
    for method in FAIR:
        credits = np.array([random_credit(method, lists, seed, rng) for seed in range(SEEDS)])
        error = credits.std(axis=0) / np.sqrt(SEEDS)
        assert (np.abs(credits.mean(axis=0) - credits.mean()) < 4 * error).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_better_ranking_wins(method):
    """Whoever clicks on what is relevant prefers the ranking that has it on top."""
    relevant, wins = set("abc"), 0
    for seed in range(300):
        shown = interleave(method, rankings("abcdefgh hgfedcba"), 4, seed)
        wins += int(outcome(shown, relevant & set(shown.ranking)).sign[0, 1])
    assert wins > 150


def simulated(method, lists):
    rng = np.random.default_rng(0)
    signs = []
    for seed in range(SEEDS):
        shown = interleave(method, lists, 8, seed)
        signs.append(outcome(shown, at_random(shown, rng)).sign[0, 1])
    return np.array(signs)


def random_credit(method, lists, seed, rng):
    shown = interleave(method, lists, 8, seed)
    return credit(shown, at_random(shown, rng))


def at_random(shown, rng):
    return [
        document for document, click in zip(shown.ranking, rng.random(len(shown)) < CLICKING[: len(shown)], strict=True) if click
    ]
