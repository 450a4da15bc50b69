"""What several meanings of a topic make of a ranking: examples, laws, and what ordinary qrels and measures make of subtopics."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import MEASURES, Qrels, evaluate, parse_measure
from ireval.cli.main import main
from ireval.diversity.ideal import Ideal
from ireval.diversity.intents import covering, intents_of
from ireval.measures.rankings import Rankings, ranking
from tests.ireval.builders import qrels_of, ranked, run_of, write
from tests.ireval.diversity.test_against_ndeval import subtopic_qrels

ASKED = "alpha_nDCG@5 alpha_DCG@5 ERR_IA@5 nERR_IA@5 NRBP nNRBP P_IA@5 AP_IA nDCG_IA@5 nDCG_IA StRecall@5"
BY_INTENT = [parse_measure(name) for name in ASKED.split()]
BY_NAME = {str(measure): measure for measure in BY_INTENT}
# A ranking can be better than the greedy ideal.
BOUNDED = [measure for measure in BY_INTENT if measure.kind.name not in {"alpha_nDCG", "nERR_IA", "nNRBP"}]
COVERED = st.lists(st.sampled_from(["", "", "a", "b", "c", "ab", "bc", "abc"]), min_size=1, max_size=8)
MISSED = st.lists(st.sampled_from(["", "a", "cd"]), max_size=3)


def values(rankings: Rankings) -> dict[str, float]:
    return {str(measure): float(measure(rankings)[0]) for measure in BY_INTENT}


def violations(smaller: dict[str, float], larger: dict[str, float]) -> list[str]:
    return [f"{name}: {smaller[name]} > {larger[name]}" for name in map(str, BY_INTENT) if smaller[name] > larger[name] + 1e-12]


def test_every_intent_aware_measure_is_tested_here():
    assert {measure.kind.name for measure in BY_INTENT} == {kind.name for kind in MEASURES.values() if kind.by_intent}


def test_the_five_documents():
    """d1 {1, 2}, d2 {1}, d3 {3}, d5 {2, 3} in the order d1, d2, d4, d3, d5."""
    by_measure = values(covering(["12", "1", "", "3", "23"]))
    ideal = 2 + 1.5 / np.log2(3) + 0.5 / 2 + 0.5 / np.log2(5)
    reached = 2 + 0.5 / np.log2(3) + 1 / np.log2(5) + (0.5 + 0.5) / np.log2(6)
    assert by_measure["alpha_nDCG@5"] == pytest.approx(reached / ideal, abs=1e-12)
    assert f"{by_measure['alpha_nDCG@5']:.6f}" == "0.918300"
    assert by_measure["P_IA@5"] == pytest.approx((2 + 2 + 2) / 3 / 5, abs=1e-12)
    assert by_measure["P_IA@5"] == pytest.approx(0.4, abs=1e-12)
    assert by_measure["StRecall@5"] == 1


def test_each_intent_is_worth_the_same():
    by_measure = values(covering(["1", "", "2"], missed=["2"]))
    assert by_measure["AP_IA"] == pytest.approx((1 + 1 / 3 / 2) / 2)
    assert by_measure["nDCG_IA"] == pytest.approx((1 + 0.5 / (1 + 1 / np.log2(3))) / 2)
    assert by_measure["P_IA@5"] == pytest.approx((1 / 5 + 1 / 5) / 2)
    assert by_measure["NRBP"] == pytest.approx((1 - 1 / 4) / 2 * (1 + 1 / 4))


def ideal_gains(documents: dict[str, str], alpha: float, depth: int) -> list[float]:
    """Of the greedy ideal of one topic; each document is written with its subtopics, a character each."""
    qrels = Qrels(subtopic_qrels({"1": {docno: dict.fromkeys(covered, 1) for docno, covered in documents.items()}}))
    return Ideal(intents_of(qrels), alpha, 1).gains(depth)[:, 0].tolist()


def test_the_ideal_takes_the_highest_id_of_documents_that_are_worth_the_same():
    """In byte order: é stands above z, and leaves less to the other two than each of them would."""
    assert ideal_gains({"é": "bc", "z": "ab", "y": "cd"}, 1, 4) == [2, 1, 1]
    assert ideal_gains({"e": "bc", "z": "ab", "y": "cd"}, 1, 4) == [2, 2, 0]


def test_rounding_errors_break_no_ties():
    """.49 + (1 + 1) is a little less than 1 + (.49 + 1); x9 has the highest id all the same."""
    documents = {"v": "mnpqr", "w": "mnstu", "x9": "mxy", "x8": "cmz", "x7": "cnz"}
    assert ideal_gains(documents, 0.3, 5) == pytest.approx([5, 4.4, 2.49, 2.49, 1.743])


def test_a_ranking_can_beat_the_greedy_ideal():
    """The document that serves most intents leaves little to those below it; two that share them serve all at once."""
    greedy_first = covering(["abc", "def"], missed=["abde"])
    assert parse_measure("alpha_nDCG(alpha=1)@2")(greedy_first)[0] == pytest.approx((3 + 3 / np.log2(3)) / (4 + 1 / np.log2(3)))
    assert parse_measure("alpha_nDCG(alpha=1)@2")(greedy_first)[0] > 1


@pytest.mark.parametrize("name", [str(measure) for measure in BY_INTENT])
def test_ordinary_qrels_are_a_single_intent(name):
    """So that some measures become ordinary ones."""
    grades, run = {"b": 1, "d": 2, "e": 1, "c": 0}, run_of({"1": ranked("abcd")})
    qrels = qrels_of({"1": grades})
    mean = evaluate(run, qrels, name).means()[name]
    by_intent = subtopic_qrels({"1": {docno: {"only": grade} for docno, grade in grades.items()}})
    assert mean == evaluate(run, by_intent, name).means()[name] > 0
    ordinary = {"P_IA@5": "P@5", "AP_IA": "AP", "nDCG_IA@5": "nDCG@5", "nDCG_IA": "nDCG", "StRecall@5": "Success@5"}
    if name in ordinary:
        assert mean == evaluate(run, qrels, ordinary[name]).means()[ordinary[name]]


def test_ordinary_measures_see_the_highest_grade_of_a_document():
    run = run_of({"1": ranked("abc")})
    split = subtopic_qrels({"1": {"a": {"x": 0, "y": 2}, "b": {"x": -1}, "c": {"x": 1, "y": 1, "z": 0}}})
    whole = qrels_of({"1": {"a": 2, "b": -1, "c": 1}})
    ordinary = "nDCG@10 AP P@2 Bpref RBP NumRel NumRelRet Judged@2"
    assert evaluate(run, split, ordinary).means() == evaluate(run, whole, ordinary).means()
    assert (evaluate(run, split, "P@2").by_subtopic, evaluate(run, whole, "P@2").by_subtopic) == (True, False)


def test_an_intent_without_relevant_documents_counts_nowhere():
    run = run_of({"1": ranked("ab")})
    judged = {"a": {"x": 1}, "b": {"y": 2, "x": 0}}
    more = {docno: grades | {"z": 0} for docno, grades in judged.items()}
    measures = [*BY_INTENT]
    first, second = (evaluate(run, subtopic_qrels({"1": qrels}), measures).means() for qrels in (judged, more))
    assert first == second
    assert evaluate(run, subtopic_qrels({"1": judged}), "StRecall@1", relevant_from=2).means() == {"StRecall@1": 0}
    assert evaluate(run, subtopic_qrels({"1": judged}), "StRecall@2", relevant_from=2).means() == {"StRecall@2": 1}


@pytest.mark.parametrize("rankings", [covering(["", ""]), covering([""], missed=[""]), ranking([0, -1]), ranking([None], [0])])
def test_a_topic_without_relevant_documents_is_worth_0(rankings):
    assert values(rankings) == dict.fromkeys(map(str, BY_INTENT), 0)


def test_a_topic_that_the_run_lacks_is_worth_0_where_it_counts():
    qrels = subtopic_qrels({"1": {"a": {"x": 1}}, "2": {"a": {"x": 1, "y": 1}}})
    evaluation = evaluate(run_of({"1": ranked("a"), "3": ranked("a")}), qrels, BY_INTENT, topics="qrels")
    assert (evaluation.missing, evaluation.unjudged) == (("2",), ("3",))
    assert evaluation.values.drop("topic").row(1) == (0,) * len(BY_INTENT)
    assert min(evaluation.values.drop("topic").row(0)) > 0


@given(covered=COVERED, missed=MISSED)
def test_values_are_within_their_bounds(covered, missed):
    by_measure = values(covering(covered, missed))
    assert all(0 <= by_measure[str(measure)] <= 1 + 1e-12 for measure in BOUNDED)
    assert min(by_measure.values()) >= 0


@given(above=COVERED, below=st.lists(st.sampled_from(["", "a", "bc"]), max_size=4), missed=MISSED)
def test_an_irrelevant_document_never_helps(above, below, missed):
    assert not violations(values(covering([*above, "", *below], missed)), values(covering([*above, *below], missed)))


@given(above=st.lists(st.sampled_from(["", "a", "bc"]), max_size=3), below=COVERED, missed=MISSED)
def test_serving_more_intents_first_never_hurts(above, below, missed):
    assert not violations(
        values(covering([*above, "a", "ab", *below], missed)), values(covering([*above, "ab", "a", *below], missed))
    )


@settings(max_examples=50)
@given(covered=st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=5, max_size=5), below=COVERED)
def test_what_stands_below_the_cutoff_does_not_matter(covered, below):
    at_five = [name for name, measure in BY_NAME.items() if measure.values.get("cutoff") == 5]
    longer, shorter = values(covering([*covered, *below])), values(covering(covered, missed=below))
    assert {name: longer[name] for name in at_five} == pytest.approx({name: shorter[name] for name in at_five}, abs=1e-12)


@settings(max_examples=50)
@given(topics=st.lists(COVERED, min_size=2, max_size=4), seed=st.integers(0, 100))
def test_topics_do_not_touch_each_other_and_rows_have_no_order(topics, seed):
    """Not even where one's name and subtopic are together what the other's are."""
    names = ["1", "10", "2", "1-a"][: len(topics)]
    judged = {
        name: {f"d{place}": dict.fromkeys(covered or "-", int(bool(covered))) for place, covered in enumerate(topic)}
        for name, topic in zip(names, topics, strict=True)
    }
    run = run_of({name: ranked(list(documents)) for name, documents in judged.items()})
    qrels = subtopic_qrels(judged).sample(fraction=1, shuffle=True, seed=seed)
    together = evaluate(run.sample(fraction=1, shuffle=True, seed=seed), qrels, BY_INTENT).values
    for name, topic in zip(names, topics, strict=True):
        row = together.filter(topic=name).drop("topic").row(0, named=True)
        assert row == pytest.approx(values(covering(topic)), abs=1e-12)


def test_condensed_lists_leave_out_what_no_subtopic_has_judged():
    run, qrels = run_of({"1": ranked("xaybz")}), subtopic_qrels({"1": {"a": {"1": 1}, "b": {"1": 0, "2": 1}}})
    assert evaluate(run, qrels, "StRecall@2", judged_only=True).means() == {"StRecall@2": 1}
    assert evaluate(run, qrels, "StRecall@2").means() == {"StRecall@2": 0.5}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("α-nDCG(alpha=.25)@20", "alpha_nDCG(alpha=0.25)@20"),
        ("alpha_ndcg(alpha=.5)@5", "alpha_nDCG@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("MAP-IA", "AP_IA"),
        ("P-IA@5", "P_IA@5"),
        ("strec@10", "StRecall@10"),
        ("NRBP(beta=.8,alpha=.5)", "NRBP(beta=0.8)"),
    ],
)
def test_names_are_read_as_ndeval_and_ir_measures_write_them(written, name):
    assert str(parse_measure(written)) == name


def printed(capsys, *arguments: object) -> str:
    assert main([str(argument) for argument in ("evaluate", *arguments)]) == 0
    return capsys.readouterr().out


def test_the_command_line_takes_the_second_column_as_the_subtopic_for_these_measures(tmp_path, capsys):
    run = write(tmp_path / "run", *(f"1 Q0 {docno} {place} {-place} tag" for place, docno in enumerate("abc", 1)))
    qrels = write(tmp_path / "qrels", "1 1 a 1", "1 2 c 1", "1 3 d 1")
    shown = printed(capsys, "-m", "StRecall@2", "-m", "P@3", qrels, run)
    assert "StRecall@2  all    0.3333" in shown
    assert "the qrels grade by subtopic: measures that are not intent-aware see each document's highest grade" in shown
    assert "subtopic" not in printed(capsys, "-m", "P@3", qrels, run)
    content = json.loads(printed(capsys, "-m", "StRecall@2", "--format", "json", qrels, run))
    assert (content["by_subtopic"], content["measures"]["StRecall@2"]["value"]) == (True, pytest.approx(1 / 3))


def test_the_command_line_says_where_there_are_no_subtopics(tmp_path, capsys):
    run = write(tmp_path / "run", "1 Q0 a 1 1 tag")
    qrels = write(tmp_path / "qrels.csv", "topic,docno,grade", "1,a,1")
    assert "the qrels name no subtopics: intent-aware measures see one intent a topic" in printed(
        capsys, "-m", "NRBP", qrels, run
    )
    assert "subtopics" not in printed(capsys, "-m", "AP", qrels, run)
