"""A study's report in steps: each may run twice, in any order, or die; it counts once and is of one moment."""

import pytest
import time_machine
from django.utils import timezone

from judging.models import Item, Outbox, Worker
from judging.work import exclusions
from judging.work.checks import designate
from metrics import resuming, tasks
from metrics.kinds.quality import asking, computing
from metrics.kinds.quality.asking import request_study_report
from metrics.kinds.quality.evidence import Part
from metrics.kinds.quality.kinds import GRADED
from metrics.models import StudyReport, StudyReportPart
from tests.metrics.quality.conftest import answer

pytestmark = pytest.mark.django_db


def sent() -> list[tuple[str, dict]]:
    return list(Outbox.objects.filter(task__startswith="metrics").order_by("pk").values_list("task", "arguments"))


def stored(report) -> list[tuple]:
    report.refresh_from_db()
    parts = report.parts.order_by("step").values_list("step", "result", "rows")
    return [report.state, report.finished, *((step, result, rows and bytes(rows)) for step, result, rows in parts)]


def test_asked_twice_it_is_one_report_and_one_message(crowd):
    assert request_study_report(crowd) == request_study_report(crowd)
    assert sent() == [("metrics.tasks.compute_study_report", {"report": StudyReport.objects.get().pk})]


def test_it_fans_out_into_its_steps(crowd):
    report = request_study_report(crowd)
    Outbox.objects.all().delete()
    tasks.compute_study_report(report.pk)
    assert sent() == [("metrics.tasks.compute_study_step", {"report": report.pk, "step": step}) for step in GRADED.steps]
    assert asking.unfinished(crowd).done_steps == 0
    tasks.compute_study_step(report.pk, "items")
    assert (asking.unfinished(crowd).done_steps, asking.unfinished(crowd).steps) == (1, len(GRADED.steps))


def test_every_step_twice_counts_once(report, compute):
    before, messages = stored(report), sent()
    assert report.is_done
    compute(report)
    assert (stored(report), sent()) == (before, messages)


def test_two_at_one_step_store_one_answer(crowd):
    report = request_study_report(crowd)
    tasks.compute_study_report(report.pk)
    part = computing.open_parts(report.pk).get(step="items")
    computing.store(part, Part({"items": 1}))
    computing.store(part, Part({"items": 2}))
    assert StudyReportPart.objects.get(pk=part.pk).result == {"items": 1}


def test_a_step_that_was_killed_is_sent_again_and_the_others_stay(crowd):
    report = request_study_report(crowd)
    tasks.compute_study_report(report.pk)
    tasks.compute_study_step(report.pk, "agreement")
    Outbox.objects.all().delete()  # the broker forgot everything
    assert tasks.resume_reports() == 0
    with time_machine.travel(timezone.now() + resuming.PATIENCE * 1.1):
        assert tasks.resume_reports() == 1
        assert tasks.resume_reports() == 0
        tasks.compute_study_report(report.pk)
        steps = [arguments["step"] for _, arguments in sent() if "step" in arguments]
        assert steps == [step for step in GRADED.steps if step != "agreement"]
        for step in steps:
            tasks.compute_study_step(report.pk, step)
    assert asking.newest(crowd) == report


def test_one_killed_just_before_the_end_is_published_when_sent_again(crowd):
    report = request_study_report(crowd)
    tasks.compute_study_report(report.pk)
    for step in GRADED.steps:
        computing.compute_step(report.pk, step)
    assert asking.newest(crowd) is None
    tasks.compute_study_report(report.pk)
    assert asking.newest(crowd) == report


def test_one_that_is_given_up_can_be_asked_for_anew(crowd):
    report = request_study_report(crowd)
    tasks.compute_study_step.give_up("it kills every process", report=report.pk, step="agreement")
    assert asking.failed(crowd) == report
    assert asking.failed(crowd).error == "it kills every process"
    again = request_study_report(crowd)
    assert again != report
    assert asking.failed(crowd) is None


def test_all_steps_see_what_stood_when_computing_began(crowd, make_worker):
    report = request_study_report(crowd)
    tasks.compute_study_report(report.pk)
    tasks.compute_study_step(report.pk, "agreement")
    exclusions.exclude(crowd.workers.first(), reason="x")
    for step in GRADED.steps:
        tasks.compute_study_step(report.pk, step)
    report.refresh_from_db()
    assert report.is_done
    assert report.parts.get(step="agreement").result["votes"] == 18
    assert not asking.is_current(report)


def test_the_same_evidence_keeps_its_report(crowd, report):
    assert asking.is_current(report)
    assert request_study_report(crowd) == report
    assert asking.judged_since(report) == 0


def another_judgement(study):
    answer(Worker.objects.create(study=study), study.items.first(), 3)


def a_revision(study):
    answer(study.workers.first(), study.items.first(), 1)


def an_exclusion(study):
    exclusions.exclude(study.workers.first(), reason="x")


def a_check(study):
    designate([study.items.first()], Item.Role.GOLD, right=[3])


def a_rule(study):
    study.rules.create(signal="gold", threshold=0.5, action="blocked", created_by=study.created_by)


@pytest.mark.parametrize("change", [another_judgement, a_revision, an_exclusion, a_check, a_rule])
def test_changed_evidence_makes_it_out_of_date(crowd, report, compute, change):
    change(crowd)
    assert not asking.is_current(report)
    assert asking.judged_since(report) == (change in {another_judgement, a_revision})
    again = compute(request_study_report(crowd))
    assert again != report
    assert asking.is_current(again)
    assert list(StudyReport.objects.all()) == [again]  # what it supersedes is gone


def test_a_warning_changes_no_number(crowd, report):
    exclusions.exclude(crowd.workers.first(), reason="x", standing=Worker.Standing.WARNED)
    assert asking.is_current(report)


def test_what_changed_and_was_taken_back_needs_no_second_report(crowd, report, researcher):
    exclusion = exclusions.exclude(crowd.workers.first(), reason="x")
    again = request_study_report(crowd)
    exclusions.lift(exclusion, by=researcher)
    tasks.compute_study_report(again.pk)
    assert list(StudyReport.objects.all()) == [report]


def test_a_new_step_makes_earlier_reports_out_of_date(crowd, report, monkeypatch):
    monkeypatch.setitem(GRADED.steps, "more", lambda evidence: Part({}))
    assert not asking.is_current(report)


def test_another_engine_fails_it(crowd, compute):
    report = request_study_report(crowd)
    StudyReport.objects.update(engine_version="0")
    assert "version 0 of the engine" in compute(report).error


def test_without_a_vote_left_it_says_so(crowd, compute):
    for worker in crowd.workers.all():
        exclusions.exclude(worker, reason="x")
    report = compute(request_study_report(crowd))
    assert report.is_done
    assert report.parts.get(step="agreement").result["coefficients"] == []


def test_a_deleted_report_computes_nothing(crowd):
    report = request_study_report(crowd)
    pk = report.pk
    report.delete()
    tasks.compute_study_report(pk)
    tasks.compute_study_step(pk, "items")
    assert not StudyReport.objects.exists()
