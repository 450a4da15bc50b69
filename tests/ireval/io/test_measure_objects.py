"""Measures given as ir_measures' objects are what their names are."""

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ireval
from ireval import evaluate
from tests.ireval.io.test_frames import IDS, SCORES, few

OBJECTS = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 5, ir_measures.RR, ir_measures.R(rel=2) @ 3]


def on_two_topics(values):
    return st.dictionaries(st.sampled_from("12"), st.dictionaries(IDS, values, min_size=1, max_size=5), min_size=1)


@few
@given(run=on_two_topics(SCORES), qrels=on_two_topics(st.integers(-1, 3)))
def test_measures_of_ir_measures_are_names_and_have_its_values(run, qrels):
    assume(set(run) & set(qrels))
    evaluation = evaluate(run, qrels, OBJECTS)
    assert [str(measure) for measure in evaluation.measures] == [str(measure) for measure in OBJECTS]
    shared = {topic: grades for topic, grades in qrels.items() if topic in run}
    theirs = ir_measures.calc_aggregate(OBJECTS, shared, {topic: docs for topic, docs in run.items() if topic in shared})
    assert evaluation.means() == pytest.approx({str(measure): theirs[measure] for measure in OBJECTS})


@pytest.mark.parametrize(
    ("measures", "complaint"),
    [
        (ir_measures.BPM(min_rel=2, max_rel=1), "max_rel is 1 and min_rel 2; expected max_rel to be the larger one"),
        (5, "5 is of type int; expected the name of a measure"),
        ([None], "None is of type NoneType; expected the name of a measure"),
    ],
)
def test_measures_that_are_refused(measures, complaint):
    with pytest.raises(ireval.BadMeasure, match=complaint):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, measures)


def test_one_measure_needs_no_list():
    for measure in (ir_measures.RR, ireval.parse_measure("RR"), "RR"):
        assert evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, measure).means() == {"RR": 1.0}
    assert [str(measure) for measure in ireval.parse_measures([ir_measures.NumRelRet, ir_measures.SetRelP])] == [
        "NumRelRet",
        "SetRelP",
    ]


def test_every_measure_of_ir_measures_is_known():
    for name, measure in ir_measures.measures.registry.items():
        known = ireval.parse_measures(measure @ 5 if "cutoff" in measure.SUPPORTED_PARAMS else measure)
        assert known, name
