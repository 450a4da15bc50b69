"""Reports by other rules than the usual: computed as the engine computes by them, and said wherever the report is shown."""

import json

import polars as pl
import pytest

from ireval import evaluate
from judging.collections.storage import qrels_frame, run_frame, store_run
from metrics.kinds.runs.curves import curves
from metrics.kinds.runs.results import outcomes, values
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

TABS = ["", "curves/", "differences/", "agreement/"]
MEASURES = ["nDCG@2", "AP", "P@2"]
OTHERS = [{"depth": 1}, {"judged_only": True}, {"ties": "best"}, {"ties": "worst"}, {"depth": 2, "judged_only": True}]


@pytest.fixture
def tied(collection, researcher):
    """Equal scores, unjudged documents in between, and for the second topic nothing judged but one with a grade below 0."""
    first = [("1", "d9", 4.0), ("1", "d0", 3.0), ("1", "d1", 3.0), ("1", "d2", 3.0), ("1", "d4", 1.0)]
    frame = pl.DataFrame([*first, ("2", "d4", 2.0), ("2", "d6", 1.0)], schema=["topic", "docno", "score"], orient="row")
    return store_run(frame, collection=collection, name="tied", by=researcher, source_name="tied.txt")


@pytest.fixture
def shown(rita):
    def shown(report, tab=""):
        return rita.get(f"/reports/{report.pk}/{tab}").content.decode()

    return shown


@pytest.mark.parametrize("rules", OTHERS, ids=str)
@pytest.mark.parametrize("topics", ["both", "qrels"])
def test_its_values_are_the_engines_by_the_same_rules(ask, compute, tied, qrels, rules, topics):
    report = compute(ask(runs=[tied], measures=MEASURES, topics=topics, **rules))
    expected = evaluate(run_frame(tied), qrels_frame(qrels), MEASURES, topics=topics, **rules).values
    usual = evaluate(run_frame(tied), qrels_frame(qrels), MEASURES, topics=topics).values
    frame = values(report, qrels=qrels.pk, run=tied.pk).select("topic", *MEASURES)
    assert frame.equals(expected)
    assert not frame.equals(usual)


@pytest.mark.parametrize("rules", [{}, *OTHERS], ids=str)
@pytest.mark.parametrize("topics", ["both", "qrels"])
def test_its_curves_follow_the_same_rules_over_the_same_topics(ask, compute, tied, qrels, rules, topics):
    names = {"CG": "CG@2", "ideal DCG": "IDCG@2", "nDCG": "nDCG@2"}
    report = compute(ask(runs=[tied], topics=topics, **rules))
    traces = curves(report, outcomes(report)[0])
    expected = evaluate(run_frame(tied), qrels_frame(qrels), names.values(), topics=topics, **rules).means()
    assert {name: traces[curve][1][1] for curve, name in names.items()} == pytest.approx(expected)


def test_how_much_is_judged_is_said_of_the_ranking_as_it_was(ask, compute, tied):
    usual, condensed = (compute(ask(runs=[tied], measures="AP Judged@10", judged_only=chosen)) for chosen in (False, True))
    assert outcomes(usual)[0].judged == outcomes(condensed)[0].judged == pytest.approx((3 / 5 + 1 / 2) / 2)


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"depth": 1000}, "Only the first 1,000 of each ranking."),
        ({"judged_only": True}, "Judged documents only."),
        ({"ties": "worst"}, "Of equal scores the highest grade last."),
    ],
)
@pytest.mark.parametrize("tab", TABS)
def test_every_tab_says_by_which_rules(ask, compute, shown, report, rules, says, tab):
    assert says in shown(compute(ask(**rules)), tab)
    assert says not in shown(report, tab)


def test_the_topic_says_that_its_ranking_is_not_what_was_measured(ask, compute, rita, report):
    for subject, is_said in ((compute(ask(judged_only=True)), True), (report, False)):
        html = rita.get(f"/reports/{subject.pk}/topic/?topic=1").content.decode()
        assert ("Shown is the ranking as it is." in html) is is_said


def test_its_origin_says_all_of_them(ask, compute, shown, report):
    html = shown(compute(ask(judged_only=True, depth=5, ties="best")))
    assert "are left out and the others move up (trec_eval -J)" in html
    assert "Only the first 5 of each (trec_eval -M)" in html and "those with the highest grade first" in html
    assert "Whole, as far as they go" in shown(report)


def test_its_title_tells_it_from_others(ask):
    assert ask(judged_only=True).title == "2 runs under ornithologists, judged only"


def test_the_file_has_every_rule_also_the_usual(ask, compute, rita, report):
    for subject, expected in ((report, (None, False, "profile")), (compute(ask(depth=3, ties="best")), (3, False, "best"))):
        content = json.loads(rita.get(f"/reports/{subject.pk}/download/report.json").content)
        assert (content["depth"], content["judged_only"], content["ties"]) == expected


def test_the_usual_question_is_the_one_it_was_before_there_was_a_choice(ask):
    assert ask(depth=None, judged_only=False, ties="profile").spec.keys() == {
        "runs", "qrels", "measures", "profile", "topics", "relevant_from"
    }  # fmt: skip
    assert Report.objects.count() == 1


def test_one_that_is_not_computed_yet_says_them_too(ask, shown):
    assert "trec_eval-9; judged documents only" in shown(ask(judged_only=True))
