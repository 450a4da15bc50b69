"""Curves say at every rank what the measures say with that cutoff, for the topics that count."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import BadInput, BadMeasure, Qrels, evaluate, rankings_of
from ireval.curves.curves import (
    cumulated_gain,
    discounted_cumulated_gain,
    histogram,
    interpolated_precisions,
    precision_recall,
    roc,
)
from tests.ireval.builders import qrels_of, ranked, run_of
from tests.ireval.measures.test_laws import RANKING, topic

DEEPEST = 15
RANKINGS = st.lists(RANKING, min_size=1, max_size=4)


def frames(rankings):
    topics = {str(number): topic(*ranking) for number, ranking in enumerate(rankings)}
    judged = {name: grades for name, (_, grades) in topics.items()} | {"missing": {"d": 1, "e": 0}}
    return run_of({name: scores for name, (scores, _) in topics.items()}), qrels_of(judged)


@given(rankings=RANKINGS, topics=st.sampled_from(["both", "qrels"]))
def test_each_rank_has_the_value_of_the_measure_cut_there(rankings, topics):
    run, qrels = frames(rankings)
    seen = rankings_of(run, qrels)
    plain = cumulated_gain(seen, cutoff=DEEPEST, gains=((1, 4.0), (2, 0.5)), topics=topics)
    discounted = discounted_cumulated_gain(seen, cutoff=DEEPEST, dcg="jk", base=3, topics=topics)
    points = precision_recall(seen, cutoff=DEEPEST, topics=topics)
    curves = {
        "CG(gains={1:4,2:0.5})": plain.reached,
        "ICG(gains={1:4,2:0.5})": plain.ideal,
        "nCG(gains={1:4,2:0.5})": plain.normalised(),
        "DCG(dcg='jk',base=3)": discounted.reached,
        "nDCG(dcg='jk',base=3)": discounted.normalised(),
        "P": points.precision,
        "R": points.recall,
    }
    names = {f"{name}@{rank}": curve[:, rank - 1] for name, curve in curves.items() for rank in (1, 2, 3, 7, DEEPEST)}
    evaluation = evaluate(run, qrels, list(names), topics=topics)
    assert plain.topics == discounted.topics == points.topics == evaluation.topics
    for name, curve in names.items():
        assert curve == pytest.approx(evaluation.values[name].to_numpy(), abs=1e-12), name


@given(rankings=RANKINGS)
def test_the_mean_of_a_normalised_curve_is_that_of_the_measure(rankings):
    run, qrels = frames(rankings)
    curve = discounted_cumulated_gain(rankings_of(run, qrels), cutoff=DEEPEST)
    means = evaluate(run, qrels, f"nDCG@{DEEPEST} nDCG(average=micro)@{DEEPEST}").means()
    for average, mean in zip(("macro", "micro"), means.values(), strict=True):
        assert curve.normalised_mean(average)[-1] == pytest.approx(mean, abs=1e-12)


@given(rankings=RANKINGS, rel=st.sampled_from([1, 2]), unretrieved=st.sampled_from(["lost", "tied"]))
def test_the_area_under_a_roc_curve_is_auc(rankings, rel, unretrieved):
    run, qrels = frames(rankings)
    curve = roc(rankings_of(run, qrels), cutoff=DEEPEST, rel=rel, unretrieved=unretrieved, topics="qrels")
    name = f"AUC(unretrieved='{unretrieved}')"
    values = evaluate(run, qrels, [name], relevant_from=rel, topics="qrels").values.to_series(1).to_numpy()
    judged = {row: qrels.filter(topic=name)["grade"] for row, name in enumerate(curve.topics)}
    both_kinds = [row for row, grades in judged.items() if (grades >= rel).any() and (grades < rel).any()]
    assert curve.areas()[both_kinds] == pytest.approx(values[both_kinds], abs=1e-12)
    points = curve.points(curve.fpr[0], curve.tpr[0])
    assert points[[0, -1]].tolist() == [[0, 0], [1, 1]]
    assert (np.diff(points, axis=0) >= 0).all()
    assert np.trapezoid(points[:, 1], points[:, 0]) == pytest.approx(curve.areas()[0], abs=1e-12)


def test_what_was_not_retrieved_is_lost_or_tied():
    seen = rankings_of(run_of({"1": ranked(["a", "b"])}), qrels_of({"1": {"a": 1, "b": 0, "c": 1, "d": 0}}))
    lost, tied = (roc(seen, cutoff=2, unretrieved=how) for how in ("lost", "tied"))
    assert lost.points(*lost.mean()).tolist() == [[0, 0], [0, 0.5], [0.5, 0.5], [1, 0.5], [1, 1]]
    assert tied.points(*tied.mean()).tolist() == [[0, 0], [0, 0.5], [0.5, 0.5], [1, 1]]
    assert (lost.areas().tolist(), tied.areas().tolist()) == ([0.5], [0.625])


@given(rankings=RANKINGS, profile=st.sampled_from(["trec_eval-9", "trec_eval-10", "textbook"]))
def test_interpolated_precisions_are_the_measures(rankings, profile):
    run, qrels = frames(rankings)
    levels = (0, 0.25, 0.3, 0.75, 1)
    values = evaluate(run, qrels, [f"IPrec@{level}" for level in levels], profile=profile).values.drop("topic")
    assert interpolated_precisions(rankings_of(run, qrels, profile=profile), levels=levels).tolist() == values.to_numpy().tolist()


def test_a_histogram_has_a_bar_for_each_topic_that_both_count():
    qrels = Qrels(qrels_of({"1": {"a": 1, "b": 1}, "2": {"a": 1}, "3": {"a": 1}}))
    evaluation = evaluate(run_of({"1": ranked(["a", "x"]), "2": ranked(["a"])}), qrels, "Rprec")
    other = evaluate(run_of({"1": ranked(["a", "b"]), "3": ranked(["a"])}), qrels, "Rprec")
    bars = histogram(evaluation, other)
    assert (bars.columns, bars.rows()) == (["topic", "first", "second", "difference"], [("1", 0.5, 1, -0.5)])
    with pytest.raises(BadMeasure, match=r"^the first evaluation has no AP; it was evaluated by Rprec$"):
        histogram(evaluation, other, "map")
    with pytest.raises(BadMeasure, match="did you mean"):
        histogram(evaluation, other, "Rprecision")


def test_without_topics_there_is_no_mean():
    seen = rankings_of(run_of({"1": {"a": 1.0}}), qrels_of({"2": {"a": 1}}))
    assert cumulated_gain(seen, cutoff=3).topics == []
    assert np.isnan(cumulated_gain(seen, cutoff=3).mean()).all()
    assert np.isnan(cumulated_gain(seen, cutoff=3).area("micro"))


def test_a_curve_has_at_least_one_rank():
    with pytest.raises(ValueError, match=r"^the cutoff of a curve is 0; expected a whole number from 1"):
        precision_recall(rankings_of(run_of({"1": {"a": 1.0}}), qrels_of({"1": {"a": 1}})), cutoff=0)


CURVES = [
    partial(cumulated_gain, cutoff=3),
    partial(discounted_cumulated_gain, cutoff=3),
    partial(precision_recall, cutoff=3),
    interpolated_precisions,
    partial(roc, cutoff=3),
]


def parts_of(curve):
    return curve if isinstance(curve, np.ndarray) else vars(curve)


@pytest.mark.parametrize("curve", CURVES)
def test_a_run_and_its_qrels_do_for_rankings(curve):
    run, qrels = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, {"1": {"b": 2, "a": 0}, "3": {"c": 1}}
    assert repr(parts_of(curve(run, qrels))) == repr(parts_of(curve(rankings_of(run, qrels))))


SEEN = rankings_of(run_of({"1": {"a": 2.0, "b": 1.0}}), qrels_of({"1": {"a": 1, "b": 3}}))
UNKNOWN = [
    (lambda: discounted_cumulated_gain(SEEN, cutoff=2, dcg="exp_log2"), "dcg is 'exp_log2'; expected one of log2, exp-log2, jk"),
    (lambda: cumulated_gain(SEEN, cutoff=2, topics="all"), "topics is 'all'; expected one of both, qrels"),  # type: ignore[arg-type]
    (lambda: precision_recall(SEEN, cutoff=2, topics="all"), "topics is 'all'; expected one of both, qrels"),  # type: ignore[arg-type]
    (lambda: roc(SEEN, cutoff=2, unretrieved="x"), "unretrieved is 'x'; expected one of lost, tied"),  # type: ignore[arg-type]
    (lambda: cumulated_gain(SEEN, cutoff=2).normalised_mean("mean"), "average is 'mean'; expected one of macro, micro"),  # type: ignore[arg-type]
    (
        lambda: precision_recall({"1": {"a": 1.0}}, cutoff=2),
        "{'1': {'a': 1.0}}, of type dict, has no qrels; expected a run and its qrels, or Rankings, which rankings_of .*",
    ),
    (
        lambda: precision_recall(SEEN, 2, cutoff=2),  # type: ignore[arg-type]
        "found 2, of type int, as the qrels of Rankings, which have theirs: leave it out, or name what it is, .*",
    ),
]


@pytest.mark.parametrize(("curve", "reason"), UNKNOWN)
def test_an_unknown_option_is_no_other_option(curve, reason):
    with pytest.raises(BadInput, match=f"^{reason}$"):
        curve()


def test_gains_may_be_a_dictionary():
    by_pairs, by_grade = (cumulated_gain(SEEN, cutoff=2, gains=gains) for gains in (((1, 3.5), (3, 9)), {1: 3.5, 3: 9}))
    assert by_grade.reached.tolist() == by_pairs.reached.tolist() == [[3.5, 12.5]]
    with pytest.raises(BadInput, match=r"^gains are \(1, 2\), of type tuple; expected pairs of a grade and its gain$"):
        cumulated_gain(SEEN, cutoff=2, gains=(1, 2))
