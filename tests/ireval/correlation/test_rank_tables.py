"""Where two orderings put each thing, and which pairs they order alike: a textbook's tables, and the coefficients.

The two rankings are those of Modern Information Retrieval, ch. 4, slides 79 to 93.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval import BadInput, correlate, rank_pairs, rank_table
from tests.ireval.correlation.test_correlation import TIED, UNTIED, value

R1 = ["d123", "d84", "d56", "d6", "d8", "d9", "d511", "d129", "d187", "d25"]
RANKS = dict(zip(R1, (2, 3, 1, 5, 4, 7, 8, 10, 6, 9), strict=True))
R2 = sorted(RANKS, key=RANKS.__getitem__)
LETTERS = {"concordant": "C", "discordant": "D", "tied": "T"}


def letters(first, second) -> str:
    return ", ".join(LETTERS[agreement] for agreement in rank_pairs(first, second)["agreement"])


def scored(scores) -> dict[str, float]:
    return {str(place): score for place, score in enumerate(scores)}


def test_the_textbooks_table_of_ranks():
    table = rank_table(R1, R2)
    assert table["thing"].to_list() == R1
    assert table["second"].to_list() == list(RANKS.values())
    assert table["difference"].to_list() == [-1, -1, 2, -1, 1, -1, -1, -2, 3, 1]
    assert (table["difference"] ** 2).to_list() == [1, 1, 4, 1, 1, 1, 1, 4, 9, 1]
    assert (table["difference"] ** 2).sum() == 24
    assert correlate(R1, R2, "footrule").value == pytest.approx(1 - 2 * 14 / 50)


def test_the_textbooks_concordant_and_discordant_pairs():
    """Both rankings' pairs together are 14 concordant and 6 discordant ones, each pair in both orders."""
    pairs = rank_pairs(R1[:5], R2[:5])
    assert pairs.select("upper", "lower").rows()[:5] == [
        ("d123", "d84"), ("d123", "d56"), ("d123", "d6"), ("d123", "d8"), ("d84", "d56")
    ]  # fmt: skip
    assert letters(R1[:5], R2[:5]) == "C, D, C, C, D, C, C, C, C, D"
    assert letters(R2[:5], R1[:5]) == "D, D, C, C, C, C, C, C, C, D"
    assert pytest.approx(correlate(R1[:5], R2[:5], "kendall").value) == (14 - 6) / 20


@given(scores=TIED)
def test_the_pairs_add_up_to_kendalls_tau(scores):
    first, second = map(scored, scores)
    counts = dict(rank_pairs(first, second)["agreement"].value_counts().iter_rows())
    n = len(first)
    assert sum(counts.values()) == n * (n - 1) // 2
    surplus = counts.get("concordant", 0) - counts.get("discordant", 0)
    assert 2 * surplus / (n * (n - 1)) == pytest.approx(value("kendall", *scores))


@given(scores=TIED)
def test_ranks_are_scipys_and_make_the_footrule(scores):
    table = rank_table(*map(scored, scores)).sort("thing")
    first, second = (dict(zip(map(str, range(99)), stats.rankdata([-score for score in side]), strict=False)) for side in scores)
    assert table["first"].to_list() == [first[thing] for thing in table["thing"]]
    assert table["second"].to_list() == [second[thing] for thing in table["thing"]]
    largest = len(table) ** 2 // 2
    assert value("footrule", *scores) == pytest.approx(1 - 2 * table["difference"].abs().sum() / largest)


@given(scores=UNTIED)
def test_the_footrule_lies_between_the_discordant_pairs_and_twice_their_number(scores):
    """Diaconis and Graham's inequality."""
    first, second = map(scored, scores)
    apart = rank_table(first, second)["difference"].abs().sum()
    discordant = (rank_pairs(first, second)["agreement"] == "discordant").sum()
    assert discordant <= apart <= 2 * discordant


@given(order=st.permutations(range(9)))
def test_no_order_is_further_apart_than_the_turned_one(order):
    assert value("footrule", order, range(9)) >= -1 == value("footrule", range(9), range(9)[::-1])


def test_only_what_both_have_is_listed():
    assert rank_table(list("abcd"), list("xdb")).rows() == [("b", 2, 3, -1), ("d", 4, 2, 2)]
    assert rank_pairs(list("abcd"), list("xdb")).rows() == [("b", "d", "discordant")]
    assert rank_table(["a", "b"], ["c"]).is_empty() and rank_pairs(["a", "b"], ["c"]).is_empty()


def test_too_many_pairs_are_refused():
    things = list(map(str, range(2001)))
    with pytest.raises(BadInput, match="pairs of 2,001 things are too many to list: cut the orderings to 2,000"):
        rank_pairs(things, things)
    with pytest.raises(BadInput, match="a is listed twice"):
        rank_table(["a", "a"], ["a"])
