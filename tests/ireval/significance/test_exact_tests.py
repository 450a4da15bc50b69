"""Exact tests of wins against losses: published values, the definitions written out, and scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.significance import binomial_test, sign_tests, trinomial_test

few = st.integers(0, 9)


def trinomial_by_definition(wins, ties, losses):
    """Bian, McAleer and Wong's sum over trinomial coefficients, both tails."""
    n, observed, tie = wins + ties + losses, abs(wins - losses), ties / (wins + ties + losses)
    total = 0.0
    for won in range(n + 1):
        for lost in range(n + 1 - won):
            if abs(won - lost) >= observed:
                ways = math.factorial(n) // (math.factorial(won) * math.factorial(lost) * math.factorial(n - won - lost))
                total += ways * ((1 - tie) / 2) ** (won + lost) * tie ** (n - won - lost)
    return total


@given(few, few, few)
def test_the_trinomial_test_is_its_definition(wins, ties, losses):
    if wins + ties + losses == 0:
        assert math.isnan(trinomial_test(wins, ties, losses))
    else:
        assert trinomial_test(wins, ties, losses) == pytest.approx(trinomial_by_definition(wins, ties, losses))


def test_published_values_of_the_trinomial_test():
    """Real Statistics' example of 7, 2 and 1 (.049), and that of the package TrinomialTest 1.0.4."""
    assert trinomial_test(7, 2, 1) == pytest.approx(0.049, abs=5e-4)
    assert trinomial_test(0, 10, 4) == pytest.approx(0.0772262851453612, abs=1e-12)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_binomial_test_is_scipys(wins, losses):
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1
    assert binomial_test(wins, losses) == pytest.approx(expected)
    assert trinomial_test(wins, 0, losses) == pytest.approx(expected) or wins + losses == 0


@given(few, few, few)
def test_whoever_wins_p_is_the_same(wins, ties, losses):
    assert sign_tests("topics", wins, ties, losses)[4:] == pytest.approx(
        sign_tests("topics", losses, ties, wins)[4:], nan_ok=True
    )


def test_split_ties_count_for_both_and_the_odd_one_for_neither():
    tests = sign_tests("topics", 9, 5, 1)
    assert tests.dropped == binomial_test(9, 1)
    assert tests.split == binomial_test(11, 3)
    assert tests.kept == trinomial_test(9, 5, 1)


def test_ties_only_find_nothing_and_nothing_has_no_p():
    assert sign_tests("topics", 0, 7, 0)[4:] == (1, 1, 1)
    assert sign_tests("topics", 0, 0, 0).dropped == 1
    assert math.isnan(sign_tests("topics", 0, 0, 0).kept)


def test_a_million_votes_are_no_trouble():
    normal = 2 * stats.norm.sf(1000 / math.sqrt(600_000))
    assert trinomial_test(300_500, 400_000, 299_500) == pytest.approx(normal, rel=0.01)
    assert trinomial_test(600_000, 400_000, 0) > 0
