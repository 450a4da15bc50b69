"""Measures of gain against slow definitions, written out document by document, and against other evaluators' numbers."""

import csv
import math
import shutil
from statistics import stdev

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import Qrels, evaluate, mean_interval, parse_measure, read_qrels, read_run
from ireval.measures.err import products_before
from ireval.measures.evaluation import aggregate, terms
from ireval.measures.rankings import ranking
from tests.ireval.builders import qrels_of, ranked, run_of
from tests.ireval.measures.test_laws import RANKING
from tests.ireval.measures.test_worked_examples import value

# A topic has qrels, if only of a document that nothing retrieves.
TOPIC = RANKING.map(lambda pair: (pair[0], [*pair[1], 0]))


def known(grades) -> list[int]:
    return [max(grade or 0, 0) for grade in grades]


def err(grades, highest: int) -> float:
    goes_on, total = 1.0, 0.0
    for rank, grade in enumerate(known(grades), start=1):
        satisfied = (2 ** min(grade, highest) - 1) / 2**highest
        total += goes_on * satisfied / rank
        goes_on *= 1 - satisfied
    return total


def q_measure(grades, missed, beta: float) -> float:
    ideal = sorted(known([*grades, *missed]), reverse=True)
    hits, gained, total = 0, 0, 0.0
    for rank, gain in enumerate(known(grades), start=1):
        hits, gained = hits + (gain > 0), gained + gain
        total += (gain > 0) * (hits + beta * gained) / (rank + beta * sum(ideal[:rank]))
    relevant = sum(gain > 0 for gain in ideal)
    return total / relevant if relevant else 0.0


def auc(grades, missed, unjudged: float) -> float:
    """`unjudged` is what a pair counts of which neither document was retrieved."""
    places = [(place, grade) for place, grade in enumerate(grades) if grade is not None] + [(math.inf, grade) for grade in missed]
    pairs = [(good, bad) for good, higher in places for bad, lower in places if higher >= 1 > lower]
    won = sum(1 if good < bad else unjudged if good == bad else 0 for good, bad in pairs)
    return won / len(pairs) if pairs else 0.0


def residual(grades, p: float) -> float:
    return p ** len(grades) + (1 - p) * sum(p**place for place, grade in enumerate(grades) if grade is None)


@given(ranking_of=TOPIC, cutoff=st.sampled_from([1, 3, 20]), highest=st.sampled_from([1, 3, 7]))
def test_err_is_that_of_the_reader_who_goes_down_the_list(ranking_of, cutoff, highest):
    grades, missed = ranking_of
    ours = value(f"ERR(max_rel={highest})@{cutoff}", ranking(grades, missed))
    assert ours == pytest.approx(err(grades[:cutoff], highest), abs=1e-12)


@pytest.mark.parametrize("grades", [[2, 0, 1], [4, 1], [9, 3, 0], [1, 0]])
def test_errs_highest_grade_is_that_of_the_qrels(grades):
    assert value("ERR", ranking(grades)) == pytest.approx(err(grades, max(grades)), abs=1e-12)


@given(topics=st.lists(st.lists(st.floats(0, 1), max_size=40), max_size=5))
def test_products_of_what_stands_above_stay_within_their_topic(topics):
    expected = [np.prod(factors[:place]) for factors in topics for place in range(len(factors))]
    numbers = np.repeat(np.arange(len(topics)), [len(factors) for factors in topics])
    products = products_before(np.array([factor for factors in topics for factor in factors]), numbers)
    assert products.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(ranking_of=TOPIC, beta=st.sampled_from([0, 1, 10]))
def test_the_q_measure_blends_gain_into_precision(ranking_of, beta):
    grades, missed = ranking_of
    assert value(f"Q(beta={beta})", ranking(grades, missed)) == pytest.approx(q_measure(grades, missed, beta), abs=1e-12)
    assert value("Q(beta=0)", ranking(grades, missed)) == pytest.approx(value("AP", ranking(grades, missed)), abs=1e-12)


@given(ranking_of=TOPIC)
def test_auc_counts_pairs(ranking_of):
    for how, unjudged in (("lost", 0), ("tied", 0.5)):
        ours = value(f"AUC(unretrieved={how})", ranking(*ranking_of))
        assert ours == pytest.approx(auc(*ranking_of, unjudged), abs=1e-12)


@given(ranking_of=TOPIC, p=st.sampled_from([0, 0.5, 0.95, 1]), grade=st.sampled_from([0, 1, 2, 3]))
def test_whatever_the_unjudged_turn_out_to_be_rbp_stays_within_its_residual(ranking_of, p, grade):
    grades, missed = ranking_of
    rbp, more = value(f"RBP(p={p},max_rel=3)", ranking(grades, missed)), value(f"RBPResidual(p={p})", ranking(grades, missed))
    assert more == pytest.approx(residual(grades, p), abs=1e-12)
    judged = [*(grade if judgement is None else judgement for judgement in grades), *[grade] * 5]
    later = value(f"RBP(p={p},max_rel=3)", ranking(judged, missed))
    assert rbp - 1e-12 <= later <= rbp + more + 1e-12


def test_the_residual_grows_as_the_ranking_is_cut():
    names = [f"RBPResidual(p=0.5){cut}" for cut in ("@1", "@2", "@3", "")]
    assert [value(name, ranking([1, None, 0])) for name in names] == [0.5, 0.5, 0.375, 0.375]


@pytest.mark.parametrize(("name", "exact"), [("CG", 5.5), ("ICG@1", 4.5), ("nCG@1", 1 / 4.5), ("nDCG", 0.7)])
def test_a_grade_may_gain_less_than_a_lower_one(name, exact):
    ours = value(name.replace("@", "(gains={1:4.5,2:1})@") if "@" in name else f"{name}(gains={{1:4.5,2:1}})", ranking([2, 1]))
    dcg = (1 + 4.5 / math.log2(3)) / (4.5 + 1 / math.log2(3))
    assert ours == pytest.approx(dcg if name == "nDCG" else exact, abs=1e-12)


def test_a_ratio_of_averages_weighs_topics_by_what_there_was_to_reach():
    """Its interval comes from the spread of what each topic adds, as leaving out one topic at a time shows."""
    rng = np.random.default_rng(3)
    run, judged = {}, {}
    for number in range(300):
        docnos = [f"d{place}" for place in range(12)]
        run[str(number)] = ranked(list(rng.permutation(docnos)))
        judged[str(number)] = dict(zip(docnos, rng.binomial(3, rng.uniform(), 12).tolist(), strict=True))
    name = "nDCG(average='micro')@5"
    evaluation = evaluate(run_of(run), qrels_of(judged), [name, "nDCG@5", "DCG@5"])
    assert evaluation.values.columns == ["topic", name, "nDCG@5", "DCG@5", "IDCG@5"]
    assert evaluation.values[name].to_list() == evaluation.values["nDCG@5"].to_list()
    reached, ideal = (evaluation.values[column].to_numpy() for column in ("DCG@5", "IDCG@5"))
    assert evaluation.means()[name] == pytest.approx(reached.sum() / ideal.sum(), abs=1e-12)
    assert evaluation.means()[name] != pytest.approx(evaluation.means()["nDCG@5"], abs=1e-4)
    without_one = (reached.sum() - reached) / (ideal.sum() - ideal)
    jackknife = stdev(without_one) * (len(ideal) - 1) / math.sqrt(len(ideal))
    spread = terms(evaluation.values, parse_measure(name))
    assert spread.mean() == pytest.approx(evaluation.means()[name], abs=1e-12)
    assert stdev(spread) / math.sqrt(len(spread)) == pytest.approx(jackknife, rel=0.01)
    assert mean_interval(spread).low < evaluation.means()[name] < mean_interval(spread).high


def test_a_ratio_of_averages_with_nothing_to_reach_is_nothing():
    name = "nDCG(average='micro')"
    assert evaluate(run_of({"1": {"a": 1.0}}), qrels_of({"1": {"a": 0}}), name).means() == {name: 0}
    assert math.isnan(evaluate(run_of({"1": {"a": 1.0}}), qrels_of({"2": {"a": 1}}), name, may_share_none=True).means()[name])


def test_no_weighted_mean_without_weights():
    with pytest.raises(ValueError, match="needs the weights"):
        aggregate(np.ones(2), parse_measure("nCG(average=micro)").kind.aggregate)


# From ir_measures' own tests of gdeval, which gave them.
TOY = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
TOY_RUN = {
    "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
    "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
}


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("nDCG(dcg='exp-log2')@20", [0.62010, 0.35099]),
        ("nDCG(dcg='exp-log2')@2", [0.17377, 0.38685]),
        ("ERR(max_rel=4)@20", [0.10175, 0.09375]),
        ("ERR(max_rel=4)@2", [0.03125, 0.09375]),
    ],
)
def test_gdevals_values_of_a_toy(name, printed):
    values = evaluate(run_of(TOY_RUN), qrels_of(TOY), name).values[name].to_list()
    assert [round(number, 5) for number in values] == printed


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is written in Perl, which is absent")
@pytest.mark.parametrize("cutoff", [1, 5, 20])
def test_gdeval_agrees_where_its_highest_grade_is_meant(cutoff):
    rng = np.random.default_rng(cutoff)
    docnos = [f"d{number}" for number in range(30)]
    judged = {
        str(topic): {docno: int(rng.integers(-2, 5)) for docno in rng.choice(docnos, 15, replace=False)} for topic in range(1, 31)
    }
    run = {topic: {docno: float(rng.integers(0, 9)) for docno in rng.choice(docnos, 12, replace=False)} for topic in judged}
    theirs = {"nDCG": f"nDCG(dcg='exp-log2')@{cutoff}", "ERR": f"ERR@{cutoff}"}
    ours = {"nDCG": theirs["nDCG"], "ERR": f"ERR(max_rel=4)@{cutoff}"}
    values = evaluate(run_of(run), qrels_of(judged), list(ours.values())).values
    rows = {row["topic"]: row for row in values.iter_rows(named=True)}
    compared = list(ir_measures.gdeval.iter_calc([ir_measures.parse_measure(name) for name in theirs.values()], judged, run))
    assert len(compared) == 60
    for metric in compared:
        assert rows[metric.query_id][ours[metric.measure.NAME]] == pytest.approx(metric.value, abs=0.50001e-5)


def test_cwl_evals_values(shared_data):
    """Its RBP wants a lowest relevant grade, as ours does for gains of 0 and 1."""
    folder = shared_data / "ir_measures_tests"
    with (folder / "expected_cwl.tsv").open() as file:
        rows = list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))
    ours = {"RBP(p=0.9)": "RBP(p=0.9,rel=1)", **{name: name for name in ("AP", "P@1", "P@5", "P@10", "P@20", "RR")}}
    expected = {ours[row["measure"]]: [row["T1"], row["T2"], row["T3"]] for row in rows if row["measure"] in ours}
    assert len(expected) == 7
    values = evaluate(read_run(folder / "cwl.run"), Qrels(read_qrels(folder / "cwl.qrels")), list(expected)).values
    assert {name: [f"{number:.4f}" for number in values[name]] for name in expected} == expected


def test_trec_evals_residuals(shared_data):
    folder = shared_data / "trec_eval" / "test"
    printed = [line.split() for line in (folder / "out.test.aq").read_text().splitlines() if line.startswith("rbp_resid ")]
    evaluation = evaluate(read_run(folder / "results.test"), read_qrels(folder / "qrels.test"), "RBPResidual(p=0.9)")
    ours = {topic: f"{number:.4f}" for topic, number in evaluation.values.iter_rows()}
    assert {topic: text for _, topic, text in printed if topic != "all"} == ours
