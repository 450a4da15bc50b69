"""Of each group of near-duplicates a topic counts the first document retrieved, at the group's highest grade."""

from collections.abc import Mapping, Sequence

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ireval import (
    MEASURES,
    BadInput,
    Qrels,
    contingency,
    coverage_and_novelty,
    evaluate,
    parse_measures,
    rankings_of,
    scan_run,
    write_run,
)
from ireval.io.rank_order import rank_run
from tests.ireval.builders import qrels_of, ranked, run_of

GROUPS = {"a": "owls", "b": "owls", "c": "owls", "x": "hawks", "y": "hawks"}
COUNTED = [kind() for kind in MEASURES.values() if not kind.asks and not (kind.at and kind.at.required)]
COUNTED += parse_measures("P@1 P@2 P@5 nDCG@3 nDCG(dcg='exp-log2')@5 RR@2 R@3 Judged@3 Unj@5 Success@2 ERR@4 nCG@4 RBP(p=.5)@3")
# Where documents gain the same, the ideal order of these goes by docnos, which the oracle changes.
COUNTED = [measure for measure in COUNTED if not measure.kind.name.startswith(("alpha_", "nERR_IA", "nNRBP"))]

DOCNOS = "abcxyjklm"
RANKING = st.permutations(DOCNOS).flatmap(lambda order: st.integers(0, len(order)).map(lambda depth: order[:depth]))
GRADES = st.dictionaries(st.sampled_from(DOCNOS), st.integers(-1, 3), min_size=1)


def once(run: Mapping[str, Sequence[str]], qrels: Mapping[str, Mapping[str, int]], measures, **rules) -> dict[str, list[float]]:
    rankings = run_of({topic: ranked(docnos) for topic, docnos in run.items()})
    return values(rankings, Qrels(qrels_of(qrels), duplicates=GROUPS), measures, **rules)


def values(run, qrels, measures, **rules) -> dict[str, list[float]]:
    table = evaluate(run, qrels, measures, topics="qrels", may_share_none=True, **rules).values
    return {str(measure): table[str(measure)].to_list() for measure in parse_measures(measures)}


def written_out(ranking: Sequence[str], grades: Mapping[str, int]) -> dict[str, int]:
    """The grades of one topic when each judged group has its highest grade at the first that this ranking retrieves."""
    explicit = {docno: grade for docno, grade in grades.items() if docno not in GROUPS}
    for group in set(GROUPS.values()):
        members = [docno for docno, name in GROUPS.items() if name == group]
        highest = max((grades[docno] for docno in members if docno in grades), default=None)
        first = next((docno for docno in ranking if docno in members), members[0])
        if highest is not None:
            explicit |= {docno: highest if docno == first else min(0, highest) for docno in members}
    return explicit


def test_the_first_counts_and_later_ones_do_not():
    """Ranking: b (a copy of a, which is relevant), a, j (relevant), x (a copy of y, not relevant). R is 2: the owls and j."""
    got = once({"1": ["b", "a", "j", "x"]}, {"1": {"a": 2, "j": 1, "y": 0}}, "P@2 AP R@4 RR nDCG@4 NumRel NumRelRet Judged@4")
    assert got["P@2"] == [1 / 2]
    assert got["AP"] == [pytest.approx((1 / 1 + 2 / 3) / 2)]
    assert (got["R@4"], got["RR"], got["NumRel"], got["NumRelRet"], got["Judged@4"]) == ([1], [1], [2], [2], [1])
    assert got["nDCG@4"] == [pytest.approx((2 + 1 / 2) / (2 + 1 / 1.584962500721156))]


def test_each_topic_counts_a_group_anew_and_a_group_unknown_to_its_judges_stays_unjudged():
    got = once({"1": ["a", "b"], "2": ["b", "a"], "3": ["a", "b"]}, {"1": {"a": 1}, "2": {"a": 1}, "3": {"j": 1}}, "P@2 Judged@2")
    assert got == {"P@2": [1 / 2, 1 / 2, 0], "Judged@2": [1, 1, 0]}


def test_an_unretrieved_group_is_one_document_missed():
    assert once({"1": ["j"]}, {"1": {"a": 1, "b": 1, "c": 2, "j": 1}}, "R@5 NumRel") == {"R@5": [1 / 2], "NumRel": [2]}


@given(run=st.fixed_dictionaries({"1": RANKING, "2": RANKING}), qrels=st.fixed_dictionaries({"1": GRADES, "2": GRADES}))
@pytest.mark.parametrize("rules", [{}, {"depth": 3}, {"judged_only": True}, {"relevant_from": 2}], ids=str)
def test_every_measure_is_that_of_the_grades_written_out(rules, run, qrels):
    assume(any(run.values()))
    shown = {topic: ranking[: rules.get("depth")] for topic, ranking in run.items()}
    explicit = qrels_of({topic: written_out(shown[topic], qrels[topic]) for topic in qrels})
    expected = values(run_of({topic: ranked(docnos) for topic, docnos in run.items()}), explicit, COUNTED, **rules)
    assert once(run, qrels, COUNTED, **rules) == expected


@given(ranking=RANKING, grades=GRADES, seed=st.randoms(use_true_random=False))
def test_which_of_a_group_was_judged_or_retrieved_makes_no_difference(ranking, grades, seed):
    swapped = dict(zip("abcxy", [*seed.sample("abc", 3), *seed.sample("xy", 2)], strict=True))
    other_run = [swapped.get(docno, docno) for docno in ranking]
    other_grades = {swapped.get(docno, docno): grade for docno, grade in grades.items()}
    assert once({"1": ranking}, {"1": grades}, COUNTED) == once({"1": other_run}, {"1": other_grades}, COUNTED)


@given(grades=st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1))
def test_the_ideal_ranking_has_each_group_once(grades):
    explicit = written_out([], grades)
    assume(max(explicit.values()) > 0)
    best = sorted(explicit, key=lambda docno: -explicit[docno])
    assert once({"1": best}, {"1": grades}, "nDCG AP R@9") == {name: [pytest.approx(1)] for name in ("nDCG", "AP", "R@9")}


def test_a_copy_of_what_stands_above_is_worth_as_much_as_anything_not_relevant():
    run, other = {"1": ["a", "b", "j"]}, {"1": ["a", "k", "j"]}
    qrels = {"1": {"a": 1, "j": 1, "k": 0}}
    assert once(run, qrels, "nDCG AP P@3 Bpref RBP ERR") == once(other, qrels, "nDCG AP P@3 Bpref RBP ERR")


def test_a_group_has_every_subtopic_of_its_documents_once():
    rows = [("1", "a", 1, "size"), ("1", "b", 1, "voice"), ("1", "j", 1, "voice")]
    qrels = pl.DataFrame(rows, schema=["topic", "docno", "grade", "subtopic"], orient="row")
    counted = Qrels(qrels, subtopics=True, duplicates=GROUPS)
    run = run_of({"1": ranked(["c", "b", "j"])})
    got = values(run, counted, "StRecall@1 P_IA@2 alpha_nDCG(alpha=1)@3")
    assert got == {"StRecall@1": [1], "P_IA@2": [1 / 2], "alpha_nDCG(alpha=1)@3": [1]}


def test_a_stored_run_and_one_that_comes_in_frames_count_the_same(tmp_path):
    run, qrels = run_of({"1": ranked("bajx"), "2": ranked("yxa")}), qrels_of({"1": {"a": 2, "j": 1}, "2": {"x": 1}})
    counted = Qrels(qrels, duplicates=GROUPS)
    whole = evaluate(run, counted, "AP nDCG")
    write_run(run, tmp_path / "run.parquet")
    ordered = rank_run(run)
    frames = [ordered[place : place + 1] for place in range(len(ordered))]
    assert whole.duplicates_once
    for other in (iter(frames), scan_run(tmp_path / "run.parquet")):
        assert evaluate(other, counted, "AP nDCG").values.equals(whole.values)


def test_a_table_of_retrieved_by_relevant_counts_groups():
    rankings = rankings_of({"1": {"b": 2.0, "a": 1.0}}, Qrels(qrels_of({"1": {"a": 1, "j": 1}}), duplicates=GROUPS))
    row = contingency(rankings).row(0, named=True)
    assert (row["relevant_retrieved"], row["other_retrieved"], row["relevant_missed"]) == (1, 1, 1)


def test_who_knows_a_copy_knows_the_group():
    rankings = rankings_of({"1": {"b": 2.0, "j": 1.0}}, Qrels(qrels_of({"1": {"a": 1, "j": 1}}), duplicates=GROUPS))
    row = coverage_and_novelty(rankings, known={"1": {"c": 1}}).row(0, named=True)
    assert (row["known"], row["known_retrieved"], row["new_retrieved"]) == (1, 1, 1)


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_ties_by_grade_are_refused(ties):
    with pytest.raises(BadInput, match="leave out one of the two"):
        evaluate({"1": {"a": 1.0}}, Qrels({"1": {"a": 1}}, duplicates=GROUPS), "AP", ties=ties)


def test_without_groups_nothing_changes():
    run, qrels = run_of({"1": ranked("bajx")}), qrels_of({"1": {"a": 2, "b": 1}})
    plain = evaluate(run, qrels, "AP nDCG")
    assert not plain.duplicates_once
    assert evaluate(run, Qrels(qrels, duplicates={"k": "alone"}), "AP nDCG").values.equals(plain.values)
