"""Only judged documents count, as if the others had never been retrieved (trec_eval -J)."""

import pytest

from ireval import evaluate
from tests.ireval.builders import qrels_of, ranked, run_of

RUN = run_of({"1": ranked(["x", "a", "y", "minus", "b"]), "2": ranked(["x", "y"])})
QRELS = qrels_of({"1": {"a": 0, "b": 1, "minus": -1}, "2": {"a": 1}})


def test_the_judged_move_up():
    evaluation = evaluate(RUN, QRELS, "RR P@2 NumRet Judged", judged_only=True)
    assert evaluation.values.rows() == [("1", 1 / 2, 1 / 2, 2, 1), ("2", 0, 0, 0, 0)]
    assert evaluation.judged_only


def test_a_depth_counts_before_the_unjudged_go():
    assert evaluate(RUN, QRELS, "NumRet", judged_only=True, depth=4).means() == {"NumRet": 1}


def test_what_is_left_out_where_everything_is_judged():
    run = run_of({"1": ranked(["b", "a"])})
    assert evaluate(run, QRELS, "AP nDCG", judged_only=True).means() == evaluate(run, QRELS, "AP nDCG").means()


@pytest.mark.parametrize(("ties", "value"), [("best", 1), ("worst", 1 / 2)])
def test_ties_are_ordered_first(ties, value):
    run = run_of({"1": {"x": 1.0, "a": 1.0, "b": 1.0}})
    assert evaluate(run, QRELS, "RR", judged_only=True, ties=ties).means() == {"RR": value}
