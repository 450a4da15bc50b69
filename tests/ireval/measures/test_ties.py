"""The best and the worst order of documents with equal scores."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval import Qrels, evaluate
from ireval.io.rank_order import rank_run
from ireval.io.runs import run_blocks
from ireval.io.stored_runs import scan_run, write_run
from tests.ireval.builders import qrels_of, run_of, write
from tests.ireval.measures.test_laws import ALL, NOT_MONOTONE

RUN = run_of({"1": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}, "2": {"x": 1.0, "y": 1.0}})
QRELS = qrels_of({"1": {"b": 1, "c": 2}, "2": {"x": 0, "y": 1}})


@pytest.mark.parametrize(("ties", "values"), [("best", [1 / 2, 1]), ("worst", [1 / 3, 1 / 2]), ("profile", [1 / 3, 1])])
def test_the_first_relevant_document_comes_first_or_last_among_its_equals(ties, values):
    evaluation = evaluate(RUN, QRELS, "RR", ties=ties)
    assert evaluation.values["RR"].to_list() == values
    assert evaluation.ties == ties


def test_without_ties_all_orders_are_one():
    run = run_of({"1": {"a": 2.0, "b": 1.0}})
    orders = [evaluate(run, QRELS, "AP nDCG", ties=ties).values for ties in ("best", "worst", "profile")]
    assert orders[0].equals(orders[1])
    assert orders[0].equals(orders[2])


def test_the_profile_says_what_ties():
    run = run_of({"1": {"b": 0.1, "a": 0.100000001}})
    reciprocal = {p: evaluate(run, QRELS, "RR", ties="best", profile=p).means()["RR"] for p in ("trec_eval-9", "trec_eval-10")}
    assert reciprocal == {"trec_eval-9": 1, "trec_eval-10": 1 / 2}


def test_every_form_of_a_run_has_the_same_order(tmp_path):
    run = rank_run(RUN)
    write_run(run.with_columns(tag=run["docno"].cast(str)), tmp_path / "run.parquet")
    text = write(tmp_path / "run", *(f"{topic} Q0 {docno} 0 {score} t" for topic, docno, score in RUN.rows()))
    expected = evaluate(RUN, QRELS, "nDCG", ties="worst").values
    for form in (scan_run(tmp_path / "run.parquet"), run_blocks(text), RUN.sample(fraction=1, shuffle=True, seed=1)):
        assert evaluate(form, Qrels(QRELS), "nDCG", ties="worst").values.equals(expected)


def test_a_run_without_scores_has_no_ties_to_order():
    with pytest.raises(ValueError, match="needs the scores"):
        evaluate(rank_run(RUN).drop("score"), QRELS, "RR", ties="best")


def test_another_order_is_refused():
    with pytest.raises(ValueError, match="expected one of profile, best, worst"):
        evaluate(RUN, QRELS, "RR", ties="bset")


GRADES = st.sampled_from([None, -1, 0, 1, 2])
EXACT = [measure for measure in ALL if measure.kind.name not in NOT_MONOTONE and not measure.kind.by_intent]
GROUPS = st.lists(st.lists(GRADES, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(max_examples=60)
@given(groups=GROUPS, missed=st.lists(st.sampled_from([0, 1, 2]), max_size=2))
def test_no_order_of_the_tied_is_better_or_worse(groups, missed):
    """Every order there is, written as a run without ties, against the two that claim to be the ends."""
    docnos = [[f"d{row}{place}" for place in range(len(group))] for row, group in enumerate(groups)]
    judged = {d: g for row, group in zip(docnos, groups, strict=True) for d, g in zip(row, group, strict=True) if g is not None}
    qrels = qrels_of({"1": judged | {f"m{place}": grade for place, grade in enumerate(missed)} | {"far away": 0}})
    tied = run_of({"1": {docno: -float(row) for row, names in enumerate(docnos) for docno in names}})
    ends = [evaluate(tied, qrels, EXACT, ties=ties).means() for ties in ("worst", "best")]
    orders = [sum(order, ()) for order in product(*(permutations(names) for names in docnos))]
    runs = run_of({str(number): {d: -float(place) for place, d in enumerate(order)} for number, order in enumerate(orders)})
    copies = qrels.join(runs.select("topic").unique().rename({"topic": "copy"}), how="cross")
    every = evaluate(runs, copies.select("docno", "grade", topic="copy"), EXACT).values
    for measure in EXACT:
        values = [end[str(measure)] for end in ends]
        low, high = values if measure.kind.better == "higher" else sorted(values)
        assert low == pytest.approx(every[str(measure)].min(), abs=1e-12), measure
        assert high == pytest.approx(every[str(measure)].max(), abs=1e-12), measure
