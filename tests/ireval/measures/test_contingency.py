"""Contingency tables, what is computed from them, and user-oriented measures, against sets of documents counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import BadMeasure, Rankings, contingency, coverage_and_novelty, evaluate, parse_measure, rankings_of, roc
from ireval.measures.rankings import ranking
from tests.ireval.builders import qrels_of, ranked, run_of
from tests.ireval.measures.test_laws import RANKING, topic
from tests.ireval.measures.test_worked_examples import FOURTEEN, Q1, Q2

SIZE = 40
CUTOFF = st.sampled_from([None, 1, 3, 10])


def value(name: str, rankings: Rankings) -> float:
    return float(parse_measure(name)(rankings)[0])


def sets(grades, missed, cutoff, rel) -> tuple[set[str], set[str], set[str]]:
    """The documents retrieved, the relevant ones, and a collection of SIZE that holds both."""
    run, judged = topic(grades, missed)
    retrieved = set(list(run)[:cutoff])
    relevant = {docno for docno, grade in judged.items() if grade >= rel}
    known = set(run) | set(judged)
    return retrieved, relevant, known | {f"z{place}" for place in range(SIZE - len(known))}


@given(drawn=RANKING, cutoff=CUTOFF, rel=st.sampled_from([1, 2]))
def test_a_table_counts_the_four_kinds_of_document(drawn, cutoff, rel):
    retrieved, relevant, collection = sets(*drawn, cutoff, rel)
    run, judged = topic(*drawn)
    rankings = rankings_of(run_of({"1": run}), qrels_of({"1": judged}))
    cells = contingency(rankings, documents=SIZE, cutoff=cutoff, rel=rel).row(0, named=True)
    assert cells == {
        "topic": "1",
        "relevant_retrieved": len(retrieved & relevant),
        "other_retrieved": len(retrieved - relevant),
        "relevant_missed": len(relevant - retrieved),
        "other_missed": len(collection - relevant - retrieved),
    }
    at = f"@{cutoff}" if cutoff else ""
    others = len(collection - relevant)
    assert value(f"Fallout(documents={SIZE},rel={rel}){at}", rankings) == pytest.approx(len(retrieved - relevant) / others)
    assert value(f"Generality(documents={SIZE},rel={rel})", rankings) == len(relevant) / SIZE


@given(drawn=RANKING, cutoff=CUTOFF)
def test_the_four_shares_are_bound_to_each_other(drawn, cutoff):
    """Precision from recall, fallout and generality (van Rijsbergen, Information retrieval, chapter 7)."""
    run, judged = topic(*drawn)
    rankings = rankings_of(run_of({"1": run}), qrels_of({"1": judged}))
    row = contingency(rankings, cutoff=cutoff).row(0, named=True)
    hits, others, missed = row["relevant_retrieved"], row["other_retrieved"], row["relevant_missed"]
    assert row["other_missed"] is None
    recall, generality = hits / (hits + missed or 1), value(f"Generality(documents={SIZE})", rankings)
    fallout = value(f"Fallout(documents={SIZE})" + (f"@{cutoff}" if cutoff else ""), rankings)
    above = recall * generality
    assert hits / (hits + others) == pytest.approx(above / (above + fallout * (1 - generality)) if above else 0)


def test_the_first_query_of_the_textbook():
    """Ten relevant documents, five of them among fifteen retrieved (Modern Information Retrieval, ch. 4)."""
    assert contingency(Q1, documents=100).row(0) == ("1", 5, 10, 5, 80)
    assert contingency(Q1, cutoff=10).row(0) == ("1", 4, 6, 6, None)
    assert value("Fallout(documents=100)", Q1) == pytest.approx(10 / 90)
    assert value("Generality(documents=100)", Q1) == 0.1


def test_fallout_of_a_wholly_judged_collection_is_the_x_of_roc():
    x = roc(FOURTEEN, cutoff=14).fpr[0]
    assert [value(f"Fallout(documents=14)@{rank}", FOURTEEN) for rank in range(1, 15)] == pytest.approx(x)


@pytest.mark.parametrize("name", ["Fallout(documents=19)", "Generality(documents=19)"])
def test_a_collection_is_no_smaller_than_what_is_known_of_it(name):
    with pytest.raises(BadMeasure, match="documents is 19, but 20 were retrieved or are relevant for topic 1; expected the size"):
        value(name, Q1)
    with pytest.raises(BadMeasure, match=r"Fallout needs a documents: Fallout\(documents=1000\)"):
        parse_measure("Fallout")


def test_a_collection_of_relevant_documents_only_has_no_fallout():
    assert value("Fallout(documents=2)", ranking([1], missed=[1])) == 0


def test_relative_recall_and_recall_effort_of_the_two_queries():
    """Relevant at 1, 3, 6, 10, 15, and at 3, 8, 15: a reader who expects three examines six documents, and fifteen."""
    assert value("RelativeRecall(n=3)", Q1) == value("RelativeRecall(n=3)", Q2) == 1
    assert value("RelativeRecall(n=3)@5", Q1) == pytest.approx(2 / 3)
    assert value("RelativeRecall(n=8)", Q1) == 5 / 8
    assert (value("RecallEffort(n=3)", Q1), value("RecallEffort(n=3)", Q2)) == (3 / 6, 3 / 15)
    assert value("RecallEffort(n=4)", Q2) == value("RecallEffort(n=3)@14", Q2) == 0


@given(drawn=RANKING, n=st.integers(2, 4), cutoff=st.sampled_from([1, 3, 10]))
def test_a_reader_who_expects_one_document_is_that_of_success_and_reciprocal_rank(drawn, n, cutoff):
    run, judged = topic(*drawn)
    names = [f"RelativeRecall@{cutoff}", f"Success@{cutoff}", f"RecallEffort@{cutoff}", f"RR@{cutoff}"]
    names += [f"RecallEffort(n={n})@{cutoff}", f"SL(n={n})@{cutoff}"]
    one, success, effort, rr, effort_n, length = (
        evaluate(run_of({"1": run}), qrels_of({"1": judged}), names, may_share_none=True).means().values()
    )
    assert (one, effort) == (success, rr)
    assert effort_n == pytest.approx(0 if length > cutoff else n / length)


@given(drawn=RANKING, cutoff=CUTOFF, rel=st.sampled_from([1, 2]), data=st.data())
def test_coverage_and_novelty_are_shares_of_what_the_reader_knew_and_of_what_was_found(drawn, cutoff, rel, data):
    retrieved, relevant, _ = sets(*drawn, cutoff, rel)
    run, judged = topic(*drawn)
    known = set(data.draw(st.lists(st.sampled_from([*judged, *run, "elsewhere"]))))
    unknown = dict.fromkeys(set(judged) - known, 0)
    rankings = rankings_of(run_of({"1": run}), qrels_of({"1": judged}))
    grades = {"1": dict.fromkeys(known, 1) | unknown or {"x": 0}}
    row = coverage_and_novelty(rankings, known=grades, cutoff=cutoff, rel=rel).row(0)
    hits = retrieved & relevant
    coverage = len(hits & known) / len(relevant & known) if relevant & known else None
    assert row[1:4] == (len(relevant & known), len(hits & known), len(hits - known))
    assert row[4:] == pytest.approx((coverage, len(hits - known) / len(hits) if hits else None))


def test_each_topic_has_its_own_readers():
    run, qrels = run_of({"1": ranked("ab"), "2": ranked("ab")}), qrels_of({"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}})
    table = coverage_and_novelty(rankings_of(run, qrels), known={"2": {"a": 1}}, cutoff=1)
    assert table.rows() == [("1", 0, 0, 1, None, 1), ("2", 1, 1, 0, 1, 0)]
