"""The evaluator's order: score descending, ties by document descending, in bytes; scores as the profile compares them."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io.rank_order import rank_run
from tests.ireval.builders import run_of


def order(scores: dict[str, float], profile: str = "trec_eval-9") -> list[str]:
    return rank_run(run_of({"1": scores}), profile)["docno"].to_list()


def test_ties_are_broken_by_document_descending():
    assert order({"a": 1, "c": 1, "b": 1, "d": 0.5}) == ["c", "b", "a", "d"]


def test_documents_are_compared_by_bytes():
    assert order({"Z": 1, "a": 1, "é": 1, "10": 1, "9": 1}) == ["é", "a", "Z", "9", "10"]


@pytest.mark.parametrize(("profile", "first"), [("trec_eval-9", "b"), ("trec_eval-10", "a"), ("textbook", "a")])
def test_release_nine_compares_scores_as_32_bit_floats(profile, first):
    assert order({"a": 0.100000001, "b": 0.1}, profile)[0] == first


def test_scores_beyond_32_bits_tie_in_release_nine():
    assert order({"a": 1e300, "b": 1e200}) == ["b", "a"]
    assert order({"a": 1e300, "b": 1e200}, "trec_eval-10") == ["a", "b"]


def test_zero_and_minus_zero_tie():
    assert order({"a": 0.0, "b": -0.0}) == ["b", "a"]


@given(
    topics=st.dictionaries(
        st.sampled_from(["1", "2", "10"]),
        st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=3),
            st.sampled_from([0.0, 1.0, 1.00000001, -2.0, 3.5, 1e-40]),
            min_size=1,
            max_size=12,
        ),
        max_size=3,
    ),
    profile=st.sampled_from(["trec_eval-9", "trec_eval-10"]),
)
def test_python_sorts_the_same(topics, profile):
    frame = rank_run(run_of(topics), profile)
    numpy_type = {"trec_eval-9": pl.Float32, "trec_eval-10": pl.Float64}[profile]
    expected = []
    for topic, scores in sorted(topics.items()):
        compared = dict(zip(scores, pl.Series(list(scores.values()), dtype=pl.Float64).cast(numpy_type), strict=True))
        by_document = sorted(scores, key=lambda docno: docno.encode(), reverse=True)
        by_score = sorted(by_document, key=lambda docno: -compared[docno])
        expected += [(topic, docno, rank) for rank, docno in enumerate(by_score, start=1)]
    assert frame.select("topic", "docno", "rank").rows() == expected
