"""What each method promises of the merged ranking, whichever rankings come in."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.interleaving import METHODS, BadInterleaving, interleave
from tests.ireval.interleaving.rankings import rankings

ranking = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
two = st.tuples(ranking, ranking)
many = st.lists(ranking, min_size=2, max_size=5)
seed = st.integers(0, 2**32)
depth = st.integers(1, 10)


@pytest.mark.parametrize("method", METHODS)
@given(lists=two, depth=depth, seed=seed)
def test_each_document_once_as_deep_as_asked_and_the_same_by_seed(method, lists, depth, seed):
    merged = interleave(method, lists, depth, seed)
    everything = set(lists[0]) | set(lists[1])
    assert len(set(merged.ranking)) == len(merged) == min(depth, len(everything))
    assert set(merged.ranking) <= everything
    assert merged.shares.shape == (len(merged), 2)
    assert interleave(method, lists, depth, seed).ranking == merged.ranking
    assert interleave(method, lists, depth, np.random.default_rng(seed)).ranking == merged.ranking


@given(lists=many, depth=depth, seed=seed)
def test_a_team_is_its_systems_best_documents_in_their_order(lists, depth, seed):
    merged = interleave("team_draft", lists, depth, seed)
    for system, documents in enumerate(lists):
        places = [
            documents.index(document) for document, team in zip(merged.ranking, merged.teams, strict=True) if team == system
        ]
        assert all(higher < lower for higher, lower in pairwise(places))
        for row, team in enumerate(merged.teams):
            if team == system:
                above = set(documents[: documents.index(merged.ranking[row])])
                assert above <= set(merged.ranking[:row])


@given(lists=many, depth=depth, seed=seed)
def test_no_team_is_ever_more_than_one_document_ahead(lists, depth, seed):
    teams = interleave("team_draft", lists, depth, seed).teams
    for end in range(len(teams) + 1):
        sizes = [teams[:end].count(system) for system in range(len(lists))]
        assert max(sizes) - min(sizes) <= 1


@given(lists=two, depth=depth, seed=seed)
def test_balanced_shows_the_tops_of_both_at_most_one_deeper_on_a_side(lists, depth, seed):
    merged = interleave("balanced", lists, depth, seed)
    counted = int(merged.shares.any(axis=1).sum())
    for end in range(counted + 1):
        shown = set(merged.ranking[:end])
        tops = [(a, b) for a in range(9) for b in (a - 1, a, a + 1) if b >= 0 and a <= len(lists[0]) and b <= len(lists[1])]
        assert any(shown == set(lists[0][:a]) | set(lists[1][:b]) for a, b in tops)


@pytest.mark.parametrize("method", METHODS)
@given(lists=st.tuples(st.permutations("abcdefgh"), st.permutations("bdfhklmn")), seed=seed)
def test_with_rankings_as_long_as_the_depth_everything_belongs_to_somebody(method, lists, seed):
    assert interleave(method, lists, 8, seed).shares.any(axis=1).all()


@pytest.mark.parametrize("method", METHODS)
@given(documents=ranking, depth=depth, seed=seed)
def test_whose_ranking_is_empty_gets_and_loses_nothing(method, documents, depth, seed):
    merged = interleave(method, [documents, []], depth, seed)
    assert len(merged) == min(depth, len(documents))
    assert not merged.shares.any()


def test_the_probabilistic_method_draws_high_ranks_by_their_softmax():
    first = [interleave("probabilistic", rankings("abcd abcd"), 1, seed).ranking[0] for seed in range(2000)]
    weights = np.arange(1.0, 5) ** -3
    assert first.count("a") / 2000 == pytest.approx(weights[0] / weights.sum(), abs=0.03)


@pytest.mark.parametrize(
    ("method", "lists", "depth", "complaint"),
    [
        ("team_draft", ["abc", ["b"]], 1, "^ranking 1 is 'abc', of type str; expected a list of documents"),
        ("team_draft", "ab", 1, "^rankings are 'ab', of type str; expected a list of two"),
        ("team_draft", [["a"], ["b", None]], 9, "^ranking 2, place 2: the document is empty"),
        ("balanced", [["a"], [["b"]]], 9, r"^ranking 2, place 1: the document is \['b'\], of type list; expected text"),
        ("team_draft", [["a"], {"b": 1.0, "c": None}], 9, "^ranking 2: the score of c is empty; expected a finite number"),
        ("team_draft", [["a"], pl.DataFrame({"docno": ["b"]})], 9, "^ranking 2 is shape.* of type DataFrame; expected a list"),
        ("team_draft", [["a"], {"b"}], 9, "^ranking 2 is {'b'}, of type set; expected a list"),
        ("team_draft", [["a"], ["b"]], "9", "^the depth is '9'; expected a whole number from 1"),
        ("guess", [["a"], ["b"]], 1, "there is no method guess; expected one of team_draft"),
        ("team_draft", [["a"], ["b"]], 0, "the depth is 0"),
        ("team_draft", [["a"]], 1, "expected two or more rankings, found 1"),
        ("balanced", [["a"], ["b"], ["c"]], 1, "is of two rankings, found 3"),
        ("probabilistic", [["a"], ["b", "b"]], 1, "ranking 2 has a document twice"),
    ],
)
def test_what_cannot_be_merged_is_refused(method, lists, depth, complaint):
    with pytest.raises(BadInterleaving, match=complaint):
        interleave(method, lists, depth, 0)


def test_documents_with_scores_are_ordered_by_them():
    scores = {"a": 0.1, "b": 0.9, "c": 0.9}
    merged = interleave("balanced", [scores, pl.Series(["d"])], 9, 0)
    assert merged.lists == (("b", "c", "a"), ("d",))
