"""The verdict: laws that hold for any evidence, oracles for its parts, and its words."""

import math
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval.experiments import Observed, always_valid, experiment_from, experiment_from_counts
from ireval.experiments.sums import as_sums
from ireval.interleaving import compare_interleaved
from ireval.io.files import BadInput
from ireval.significance.decision import Estimate
from ireval.significance.independent_groups import superiority_of_arms
from ireval.significance.scores import BadComparison
from ireval.verdict import BadVerdict, Grades, Line, Scored, Summed, heterogeneity, line_of_topics, sentence, verdict
from tests.ireval.verdict.worlds import arms_of, frame, graded, interleaved, voted

HALF = Estimate(0.5, 0.05, 30, 31)


def line(value, error=0.01, *, kind="grades", margin=0.02, freedom=40, planned=None):
    return Line(kind, "nDCG@10", "topics", 41, Estimate(value, error, freedom, 41), HALF, margin, planned)


lines = st.lists(
    st.builds(line, st.floats(-0.2, 0.2), st.floats(0.001, 0.2), margin=st.floats(0.001, 0.3), freedom=st.integers(2, 200)),
    min_size=1,
    max_size=5,
).map(lambda many: [part._replace(kind=f"kind {number}") for number, part in enumerate(many)])


@given(lines)
def test_never_more_is_said_than_the_intervals_allow(evidence):
    decided = verdict(evidence)
    for answer in decided.answers:
        low, high, margin = answer.decision.low, answer.decision.high, answer.line.margin
        assert (answer.word == "better") == (low > 0 or (math.isclose(low, 0, abs_tol=1e-12) and answer.decision.p < 0.05))
        assert (answer.word == "worse") == (high < 0 or (math.isclose(high, 0, abs_tol=1e-12) and answer.decision.p < 0.05))
        if answer.word == "equal":
            assert -margin < answer.low <= answer.high < margin
        if answer.word == "not worse":
            assert -margin < answer.low
    words = {answer.word for answer in decided.answers}
    if decided.outcome == "better":
        assert "better" in words
        assert "worse" not in words
    if decided.outcome == "conflict":
        assert words >= {"better", "worse"}
    if decided.outcome == "equal":
        assert words == {"equal"}


@given(lines)
def test_changing_the_systems_round_changes_the_words_round(evidence):
    turned = [part._replace(difference=part.difference._replace(value=-part.difference.value)) for part in evidence]
    other_way = {"better": "worse", "worse": "better", "not worse": "not better", "not better": "not worse"}
    first, second = verdict(evidence), verdict(turned)
    assert second.outcome == other_way.get(first.outcome, first.outcome)
    assert [answer.word for answer in second.answers] == [other_way.get(answer.word, answer.word) for answer in first.answers]


@given(lines, st.integers(0, 4))
def test_an_equal_line_is_two_one_sided_tests(evidence, place):
    part = evidence[place % len(evidence)]
    (answer,) = verdict([part]).answers
    value, error, freedom = part.difference[:3]
    p = max(stats.t.sf((value + part.margin) / error, freedom), stats.t.cdf((value - part.margin) / error, freedom))
    if answer.word in ("equal", "not worse", "not better", "unknown") and abs(p - 0.05) > 1e-6:
        assert (answer.word == "equal") == (p < 0.05)


BETTER = "new is better than old, by grades"
CONFLICT = "The evidence conflicts: by grades new is better, by clicks old is."
NOT_WORSE = "is not worse than {} by more than what matters. Whether it is better is not known yet."


@pytest.mark.parametrize(
    ("evidence", "outcome", "words"),
    [
        ([line(0.05), line(0.001, kind="clicks")], "better", f"{BETTER}; by clicks there is no difference that matters."),
        ([line(0.05), line(0.05, 0.1, kind="clicks")], "better", f"{BETTER}; clicks cannot tell yet."),
        ([line(0.05), line(0.012, kind="clicks")], "better", f"{BETTER}; by clicks new is not worse."),
        ([line(0.05), line(-0.012, kind="clicks")], "better", f"{BETTER}; by clicks old is not worse."),
        ([line(-0.05)], "worse", "old is better than new, by grades."),
        ([line(0.05), line(-0.05, kind="clicks")], "conflict", CONFLICT),
        ([line(0.001), line(-0.001, kind="clicks")], "equal", "There is no difference that matters between old and new."),
        ([line(0.012)], "not worse", f"new {NOT_WORSE.format('old')}"),
        ([line(-0.012)], "not better", f"old {NOT_WORSE.format('new')}"),
        ([line(0.012), line(0.0, 0.1, kind="clicks")], "unknown", "Which of old and new is better is not known yet."),
        ([line(0.0, 0.001), line(0.0, math.nan, kind="clicks")], "unknown", "Which of old and new is better is not known yet."),
    ],
)  # fmt: skip
def test_each_outcome_has_its_sentence(evidence, outcome, words):
    answer = verdict(evidence)
    assert answer.outcome == outcome
    assert sentence(answer, "old", "new") == words


def test_the_sentence_is_short():
    many = [line(0.05, kind=f"grades of {who}") for who in ("experts", "workers", "machines")]
    more = [line(0.0, 0.1, kind=kind) for kind in ("side by side", "interleaving", "the A/B test", "clicks")]
    assert len(sentence(verdict([*many, *more]), "bm25", "dense").split()) <= 60


@pytest.mark.parametrize(
    ("evidence", "why"),
    [
        ([], "no evidence"),
        ([line(0.1), line(0.1)], "comes twice"),
        ([line(0.1, margin=0)], "expected a number above 0"),
        ([line(0.1, margin=math.nan)], "expected a number above 0"),
    ],
)
def test_what_is_no_question_is_refused(evidence, why):
    with pytest.raises(BadVerdict, match=why):
        verdict(evidence)


def test_with_looks_planned_the_decision_holds_at_every_look():
    once, always = (verdict([line(0.025, planned=planned)]).answers[0] for planned in (None, 41))
    assert once.word == "better"
    assert always.word != "better"
    assert always.decision.high - always.decision.low > once.decision.high - once.decision.low


@given(st.lists(st.integers(0, 4), min_size=3, max_size=40), st.lists(st.integers(0, 4), min_size=3, max_size=40))
def test_superiority_is_brunner_and_munzels(first, second):
    estimate = superiority_of_arms((first, np.ones(len(first))), (second, np.ones(len(second))))
    u = stats.mannwhitneyu(second, first).statistic
    assert estimate.value == pytest.approx(u / len(first) / len(second))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the groups do not overlap
        oracle = stats.brunnermunzel(first, second)
    if np.isfinite(oracle.statistic):
        assert (estimate.value - 0.5) / estimate.error == pytest.approx(oracle.statistic)
        assert 2 * stats.t.sf(abs(oracle.statistic), estimate.freedom) == pytest.approx(oracle.pvalue, abs=1e-9)


def test_superiority_of_counts_is_that_of_the_units():
    rng = np.random.default_rng(3)
    groups = [rng.poisson(2, size) for size in (50, 80)]
    tables = [np.unique(group, return_counts=True) for group in groups]
    assert superiority_of_arms(*tables) == superiority_of_arms(*((group, np.ones(len(group))) for group in groups))


def test_two_kinds_are_as_heterogeneous_as_their_contrast_is_large():
    """With two kinds Welch's F is the square of Welch's t."""
    first, second = Estimate(0.6, 0.03, 20), Estimate(0.5, 0.04, 10)
    answer = heterogeneity({"a": first, "b": second})
    freedom = (0.03**2 + 0.04**2) ** 2 / (0.03**4 / 20 + 0.04**4 / 10)
    t = 0.1 / math.hypot(0.03, 0.04)
    assert answer.q == pytest.approx(t**2)
    assert answer.p == pytest.approx(2 * stats.t.sf(t, freedom), rel=0.02)
    assert (answer.contrasts[0].high + answer.contrasts[0].low) / 2 == pytest.approx(-0.1)


def test_kinds_that_agree_perfectly_are_not_heterogeneous():
    answer = heterogeneity({kind: Estimate(0.6, 0.05, 100) for kind in "abc"})
    assert (answer.q, answer.i2, answer.i2_low) == (pytest.approx(0), 0, 0)
    assert heterogeneity({"a": HALF, "b": Estimate(0.5, math.nan, math.nan)}) is None


@pytest.mark.parametrize("evidence", [graded(), graded(workers=6), voted(for_b=0.8), interleaved(), arms_of()])
def test_planted_differences_are_found_by_every_sort(evidence):
    answer = evidence.line()
    assert answer.difference.value > 0
    assert answer.share.value > 0.5
    assert verdict([answer]).outcome == "better"


@pytest.mark.parametrize("scored", [False, True])
def test_intervals_of_interleaving_that_hold_at_every_look_are_those_of_its_own_analysis(scored):
    """Where queries differ much, the variance of the sum counts, and not the number of votes."""
    evidence = replace(interleaved(), planned=300)
    shown = evidence.impressions
    alone = compare_interleaved(shown, systems=["b", "a"], planned=300)
    if scored:
        score, error, freedom = alone.score.value, alone.score.error, alone.score.freedom
        evidence = Scored("interleaving", 0.02, score, error, freedom or None, alone.n, planned=300)
    (answer,) = verdict([evidence.line()]).answers
    assert answer.line.n == alone.n
    assert (answer.share.low, answer.share.high) == pytest.approx((0.5 + alone.always_low, 0.5 + alone.always_high))
    assert answer.decision.p == pytest.approx(alone.always_p)


@pytest.mark.parametrize("summed", [False, True])
def test_shares_of_users_differ_by_no_more_than_all_of_them(summed):
    arms = replace(arms_of(users=6), planned=5000)
    evidence = arms
    if summed:
        did = arms.counts.sort("arm", "value")["units"].to_list()[1::2]
        sums = as_sums(experiment_from_counts(["a", "b"], [6, 6], {"clicked": did}))
        evidence = Summed("A/B test", "clicked", 0.02, sums, "a", "b", planned=5000)
    (answer,) = verdict([evidence.line()]).answers
    assert (answer.decision.low, answer.decision.high) == (-1, 1)
    assert always_valid(*evidence.line().difference[:2], 12, planned=5000).low < -1


def test_arms_with_the_same_mean_have_a_share_with_an_error():
    """A step away the error is almost the same; a line without one would drop out of the heterogeneity."""
    errors = []
    for last in (5, 5.001):
        arm, values = np.repeat([0, 1], 4), Observed([1, 2, 3, 6, 1, 2, 4, last])
        sums = as_sums(experiment_from(arm, ["a", "b"], {"time": values}))
        share = Summed("A/B test", "time", 0.1, sums, "a", "b").line().share
        errors.append(share.error)
    assert share.value == pytest.approx(0.5, abs=0.001)
    assert errors[0] == pytest.approx(errors[1], rel=0.001) and errors[0] > 0


def test_a_measure_of_which_less_is_better_is_turned():
    evidence = graded(ahead=3)
    searched = replace(evidence, measure="SL@10", margin=1.0)
    assert searched.parsed.kind.better == "lower"
    assert evidence.line().difference.value > 0
    assert searched.line().difference.value > 0


@pytest.mark.parametrize(
    "without_worker", [None, {"w1": {0: 0.3 - 0.2, 1: 0.9 - 0.8}, "w2": {1: 0.5 - 0.4, 3: 0.1}}], ids=["topics", "workers"]
)
def test_differences_that_are_equal_but_for_rounding_decide_nothing(without_worker):
    equal = [0.3 - 0.2, 0.5 - 0.4, 0.9 - 0.8, 0.2 - 0.1]
    assert len(set(equal)) > 1
    line = line_of_topics("grades", "AP", equal, margin=0.02, without_worker=without_worker)
    assert math.isnan(line.difference.error)
    assert line.difference.undefined == "all topics say the same"
    assert verdict([line]).outcome == "unknown"


def test_workers_who_differ_are_an_error_where_topics_are_equal():
    without_worker = {"w1": dict.fromkeys(range(4), 0.2), "w2": dict.fromkeys(range(4), 0.1)}
    equal = [0.3 - 0.2, 0.5 - 0.4, 0.9 - 0.8, 0.2 - 0.1]
    line = line_of_topics("grades", "AP", equal, margin=0.02, without_worker=without_worker)
    assert line.difference.error == pytest.approx(0.05)


def test_the_error_over_workers_is_the_jackknifes():
    """By hand: leaving out each worker of one who changes everything and others who change nothing."""
    evidence = graded(topics=6, workers=3)
    table = evidence.differences(evidence.qrels, evidence.a, evidence.b)
    without = evidence.without_workers(table)
    assert {worker: len(cells) for worker, cells in without.items()} == {"w0": 6, "w1": 6, "w2": 6}
    for worker, cells in without.items():
        votes = evidence.votes.filter(evidence.votes["worker"] != worker)
        for place, topic in enumerate(table["topic"]):
            mine = evidence.qrels.filter(evidence.qrels["topic"] == topic)
            grades = []
            for docno, grade in mine.select("docno", "grade").iter_rows():
                left = votes.filter((votes["topic"] == topic) & (votes["docno"] == docno))["grade"].to_list()
                every = evidence.votes.filter((evidence.votes["topic"] == topic) & (evidence.votes["docno"] == docno))[
                    "grade"
                ].to_list()
                changed = majority(left) != majority(every)
                grades.append(majority(left) if changed else grade)
            again = evidence.differences(mine.with_columns(grade=np.array(grades)), evidence.a, evidence.b)
            assert cells[place] == pytest.approx(again["difference"].item())
    line = evidence.line()
    values = table["difference"].to_numpy()
    means = np.array([np.mean([without[worker][place] for place in range(6)]) for worker in without])
    by_workers = 2 / 3 * ((means - means.mean()) ** 2).sum()
    assert line.difference.error**2 >= max(values.var(ddof=1) / 6, by_workers) - 1e-12
    assert line.difference.freedom >= 2


@pytest.mark.parametrize("measure", ["ERR@10", "RBP", "SDCG@10", "nDCG@10"])
def test_without_a_worker_the_scale_is_still_that_of_all_topics(measure):
    """The highest grade is on a single topic, and the only changed majority on another."""
    names, order = [f"t{number}" for number in range(12)], [f"d{number}" for number in range(4)]
    votes = [(topic, docno, worker, int(docno < "d2")) for topic in names for docno in order for worker in ("w0", "w1", "w2")]
    votes += [("t0", "top", worker, 3) for worker in ("w0", "w1", "w2")]
    votes += [("t5", "split", worker, grade) for worker, grade in (("w0", 1), ("w1", 0), ("w2", 1))]
    votes = frame(votes, ["topic", "docno", "worker", "grade"])
    qrels = votes.group_by("topic", "docno").agg(pl.col("grade").median().cast(pl.Int64)).sort("topic", "docno")
    run = [(topic, docno, float(-rank)) for topic in names for rank, docno in enumerate(["split", *order, "top"])]
    a = frame(run, ["topic", "docno", "score"])
    b = a.with_columns(-pl.col("score"))
    evidence = Grades("grades", measure, 0.02, qrels, a, b, votes)
    table = evidence.differences(qrels, a, b)
    changed = pl.when(topic="t5", docno="split").then(0).otherwise("grade").alias("grade")
    expected = evidence.differences(qrels.with_columns(changed), a, b).filter(topic="t5")["difference"].item()
    place = table["topic"].to_list().index("t5")
    without = evidence.without_workers(table)
    assert without["w0"][place] == without["w2"][place] == pytest.approx(expected)
    assert without["w1"][place] == table["difference"][place] != pytest.approx(expected)


def test_a_ratio_of_two_means_is_no_measure_of_a_verdict():
    evidence = replace(graded(), measure="nDCG(average='micro')@10")
    with pytest.raises(BadComparison, match="is a ratio of two means"):
        evidence.line()


def majority(votes):
    counts = np.bincount(votes)
    tied = np.flatnonzero(counts == counts.max())
    return int(np.floor(np.median(tied)))


def test_differences_of_several_pairs_are_no_line():
    with pytest.raises(BadInput, match=r"^differences are of 2 pairs; expected those of one, a number a topic$"):
        line_of_topics("grades", "nDCG", [[0.1, 5], [0.2, 6]], margin=0.02)
