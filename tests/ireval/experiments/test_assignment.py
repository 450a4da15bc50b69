"""Arms by hash: the same everywhere, uniform, independent between salts, and stable when more traffic comes in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import BadExperiment, assign, place

# What any other implementation must give; node's createHash("blake2b512") does.
GOLDEN = [
    ("ann", "new ranking", 0.1458594186254849, 0, 1),
    ("", "", 0.9195111500552968, 1, 2),
    ("42", "1", 0.23659040590062963, 0, 1),
    ("2", "41", 0.5036040777229411, 1, 2),
    ("用户", "Überschrift", 0.6296102735833315, 1, 2),
    ("😀", "s", 0.69490189243361, 1, 2),
    ("a", "bc", 0.20209761283573158, 0, 1),
    ("ab", "c", 0.5821550823007251, 1, 2),
]
UNITS = [f"user-{number}" for number in range(20_000)]
# χ² as large as this comes by chance once in ten thousand.
RARELY = 1e-4


@pytest.mark.parametrize(("unit", "salt", "where", "of_two", "of_three"), GOLDEN)
def test_everybody_gets_the_same_answer(unit, salt, where, of_two, of_three):
    assert place(unit, salt) == where
    assert assign(unit, salt, [1, 1]) == of_two
    assert assign(unit, salt, [1, 2, 7]) == of_three


@pytest.mark.parametrize(
    "units", [UNITS, [str(number) for number in range(20_000)], [f"用户{number}" for number in range(20_000)]]
)
def test_places_are_uniform(units):
    places = np.array([place(unit, "salt") for unit in units])
    assert places.min() >= 0 and places.max() < 1
    assert stats.chisquare(np.histogram(places, 50, (0, 1))[0]).pvalue > RARELY


@pytest.mark.parametrize(("salt", "other"), [("a", "b"), ("1", "2"), ("experiment", "experiment "), ("", "x")])
def test_salts_are_independent(salt, other):
    table = np.zeros((4, 3))
    for unit in UNITS:
        table[assign(unit, salt, [1] * 4), assign(unit, other, [1] * 3)] += 1
    assert stats.chi2_contingency(table).pvalue > RARELY


@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.9, 0.1], [1, 2, 7], [3, 0, 1], [0, 1], [0.01, 0.99]])
def test_weights_are_kept(weights):
    counts = np.bincount([assign(unit, "salt", weights) for unit in UNITS], minlength=len(weights))
    wanted = np.array(weights) / sum(weights)
    assert not counts[wanted == 0].any()
    if (wanted < 1).all():
        assert stats.chisquare(counts[wanted > 0], len(UNITS) * wanted[wanted > 0]).pvalue > RARELY


def test_more_traffic_keeps_those_who_were_in_and_their_arms():
    inside = {share: {unit for unit in UNITS if place(unit, "group") < share} for share in (0.1, 0.4)}
    assert inside[0.1] < inside[0.4]
    arms = np.bincount([assign(unit, "experiment", [1, 1]) for unit in inside[0.1]])
    assert stats.chisquare(arms).pvalue > RARELY, "the share of traffic says nothing of the arm"


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_salt_and_unit_do_not_run_into_each_other(salt, unit, rest):
    if (salt, unit + rest) != (salt + unit, rest):
        assert place(unit + rest, salt) != place(rest, salt + unit)


@given(st.text(st.characters(codec="utf-8")), st.lists(st.floats(0, 1e300), min_size=1, max_size=6).filter(any))
def test_every_unit_has_an_arm_that_gets_some(unit, weights):
    assert weights[assign(unit, "salt", weights)] > 0


@given(st.text(st.characters(codec="utf-8"), max_size=9), st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any))
def test_only_ratios_of_weights_matter(unit, weights):
    assert assign(unit, "salt", weights) == assign(unit, "salt", [weight * 8 for weight in weights])


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1], [float("inf"), 1], [float("nan"), 1]])
def test_what_are_no_weights_is_refused(weights):
    with pytest.raises(BadExperiment, match="expected numbers from 0, one of them above 0"):
        assign("u", "s", weights)


def test_half_a_character_is_refused():
    with pytest.raises(BadExperiment, match=r"has half of a character; expected text that UTF-8 can hold$"):
        assign("\ud800", "s", [1, 1])
