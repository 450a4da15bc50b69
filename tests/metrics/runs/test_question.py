"""Asking: the same question has one report, a wrong one leaves nothing behind."""

import pytest

from ireval import ENGINE_VERSION
from judging.collections.storage import store_qrels, store_run
from judging.errors import BadFields
from judging.models import Outbox
from metrics.models import Part, Report
from metrics.pipeline import fail

pytestmark = pytest.mark.django_db


def test_a_question_becomes_parts_and_one_message(ask, runs, qrels):
    report = ask(measures="nDCG@10 MAP")
    assert report.spec["measures"] == ["nDCG@10", "AP"]
    assert [(part.run, part.qrels) for part in report.parts.all()] == [(run, qrels) for run in runs]
    assert list(Outbox.objects.values_list("task", "arguments")) == [("metrics.tasks.begin_report", {"report": report.pk})]


@pytest.mark.parametrize(
    "same",
    [{}, {"measures": "RR map"}, {"measures": ["AP", "recip_rank", "MRR"]}, {"title": "Another title"}],
    ids=["again", "other names in another order", "a list with repetitions", "another title"],
)
def test_the_same_question_has_the_same_report(ask, runs, same):
    first = ask(measures="AP RR")
    assert ask(**{"measures": "AP RR", "runs": runs[::-1] + runs} | same) == first
    assert Report.objects.count() == 1
    assert Outbox.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"measures": "AP"},
        {"topics": "qrels"},
        {"relevant_from": 2},
        {"profile": "textbook"},
        {"depth": 5},
        {"judged_only": True},
        {"ties": "best"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_question_has_another_report(ask, other):
    assert ask(**{"measures": "AP RR"} | other) != ask(measures="AP RR")


def test_a_rule_that_there_is_not_is_refused(ask):
    with pytest.raises(TypeError, match="there is no rule relevant_fom"):
        ask(relevant_fom=2)
    assert not Report.objects.exists()


def test_fewer_runs_are_another_question(ask, runs):
    assert ask(runs=runs[:1]) != ask()


def test_a_new_engine_computes_anew(ask, monkeypatch):
    first = ask()
    monkeypatch.setattr("metrics.kinds.runs.question.ENGINE_VERSION", ENGINE_VERSION + "+")
    assert ask() != first


def test_a_title_is_suggested_or_taken(ask, runs):
    assert ask().title == "2 runs under ornithologists"
    assert ask(runs=runs[1:]).title == "beta under ornithologists"
    assert ask(measures="AP", title=" Owls ").title == "Owls"


def test_a_failed_question_is_tried_again(ask):
    report = ask()
    fail(report.pk, "the disk was full")
    assert ask() == report
    report.refresh_from_db()
    assert (report.state, report.error) == (Report.State.WAITING, "")
    assert Outbox.objects.count() == 2


@pytest.mark.parametrize(
    ("question", "field", "says"),
    [
        ({"measures": "ndgc@10"}, "measures", "did you mean nDCG"),
        ({"measures": " , "}, "measures", "at least one measure"),
        ({"measures": [f"P@{k}" for k in range(1, 62)]}, "measures", "61 measures are too many"),
        ({"measures": "P@0"}, "measures", "expected a whole number"),
        ({"runs": []}, "runs", "at least one run"),
        ({"qrels": []}, "qrels", "at least one qrels"),
        ({"profile": "trec_eval-8"}, "profile", "trec_eval-9"),
        ({"topics": "all"}, "topics", "both, qrels"),
        ({"relevant_from": 0}, "relevant_from", "from 1 to"),
        ({"depth": 0}, "depth", "from 1 to 1,000,000, or none"),
        ({"ties": "random"}, "ties", "profile, best, worst"),
    ],
)
def test_a_wrong_question_says_what_is_wrong_and_stores_nothing(ask, question, field, says):
    with pytest.raises(BadFields) as refused:
        ask(**question)
    assert list(refused.value.message_dict) == [field]
    assert says in refused.value.message_dict[field][0]
    assert not Report.objects.exists()
    assert not Outbox.objects.exists()


def test_everything_wrong_is_said_at_once(ask):
    with pytest.raises(BadFields) as refused:
        ask(runs=[], measures="nonsense", topics="none")
    assert set(refused.value.message_dict) == {"runs", "measures", "topics"}


def test_evidence_of_another_collection_is_refused(ask, runs, qrels, stranger):
    from judging.collections.storage import qrels_frame, run_frame
    from judging.models import Collection

    other = Collection.objects.create(name="Fish", owner=stranger)
    trout = store_run(run_frame(runs[0]), collection=other, name="trout", by=stranger)
    pike = store_qrels(qrels_frame(qrels), collection=other, name="pike", by=stranger)
    with pytest.raises(BadFields) as refused:
        ask(runs=[*runs, trout], qrels=[pike])
    assert refused.value.message_dict == {
        "runs": ["The run “trout” belongs to another collection than “Birds”."],
        "qrels": ["The qrels version “pike” belongs to another collection than “Birds”."],
    }


def test_without_its_message_a_report_is_not_stored(ask, monkeypatch):
    """Else nobody would ever compute it."""

    def refuse(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr(Outbox.objects, "post", refuse)
    with pytest.raises(OSError, match="full"):
        ask()
    assert not Report.objects.exists()
    assert not Part.objects.exists()
