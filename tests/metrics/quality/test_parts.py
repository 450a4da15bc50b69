"""A study's report in steps: each may run twice, in any order, or die; it counts once and is of one moment."""

import pytest
import time_machine
from django.utils import timezone

from judging.models import Item, Outbox, Worker
from judging.work import exclusions
from judging.work.checks import designate
from metrics import pipeline, tasks
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.studies import is_current, judged_since, newest, request_study_report
from metrics.models import Part, Report
from metrics.pipeline import Findings, latest_reports
from tests.metrics.quality.conftest import answer

pytestmark = pytest.mark.django_db


def sent() -> list[tuple[str, dict]]:
    return list(Outbox.objects.filter(task__startswith="metrics").order_by("pk").values_list("task", "arguments"))


def stored(report) -> list[tuple]:
    report.refresh_from_db()
    tables = [(part, name, bytes(content)) for part, name, content in report.tables.values_list("part", "name", "content")]
    return [report.state, report.finished, *report.parts.values_list("name", "result"), *tables]


def latest(study):
    return latest_reports(Report.Kind.QUALITY, study)


def test_asked_twice_it_is_one_report_and_one_message(crowd):
    assert request_study_report(QUALITY, crowd) == request_study_report(QUALITY, crowd)
    assert sent() == [("metrics.tasks.begin_report", {"report": Report.objects.get().pk})]


def test_it_fans_out_into_its_steps(crowd):
    report = request_study_report(QUALITY, crowd)
    Outbox.objects.all().delete()
    tasks.begin_report(report.pk)
    assert sent() == [("metrics.tasks.compute_part", {"report": report.pk, "part": step}) for step in QUALITY.steps]
    assert latest(crowd).waiting.done_steps == 0
    tasks.compute_part(report.pk, "items")
    assert (latest(crowd).waiting.done_steps, latest(crowd).waiting.steps) == (1, len(QUALITY.steps))


def test_every_step_twice_counts_once(report, compute):
    before, messages = stored(report), sent()
    assert report.is_done
    compute(report)
    assert (stored(report), sent()) == (before, messages)


def test_two_at_one_step_store_one_answer(crowd):
    report = request_study_report(QUALITY, crowd)
    tasks.begin_report(report.pk)
    part = pipeline.open_parts(report.pk).get(name="items")
    pipeline.store(part, Findings({"items": 1}))
    pipeline.store(part, Findings({"items": 2}))
    assert Part.objects.get(pk=part.pk).result == {"items": 1}


def test_a_step_that_was_killed_is_sent_again_and_the_others_stay(crowd):
    report = request_study_report(QUALITY, crowd)
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, "agreement")
    Outbox.objects.all().delete()  # the broker forgot everything
    assert tasks.resume_reports() == 0
    with time_machine.travel(timezone.now() + pipeline.PATIENCE * 1.1):
        assert tasks.resume_reports() == 1
        assert tasks.resume_reports() == 0
        tasks.begin_report(report.pk)
        steps = [arguments["part"] for _, arguments in sent() if "part" in arguments]
        assert steps == [step for step in QUALITY.steps if step != "agreement"]
        for step in steps:
            tasks.compute_part(report.pk, step)
    assert newest(QUALITY, crowd) == report


def test_one_killed_just_before_the_end_is_published_when_sent_again(crowd):
    report = request_study_report(QUALITY, crowd)
    tasks.begin_report(report.pk)
    for step in QUALITY.steps:
        pipeline.compute_part(QUALITY.kind, report.pk, step)
    assert newest(QUALITY, crowd) is None
    tasks.begin_report(report.pk)
    assert newest(QUALITY, crowd) == report


def test_one_that_is_given_up_can_be_asked_for_anew(crowd):
    report = request_study_report(QUALITY, crowd)
    tasks.compute_part.give_up("it kills every process", report=report.pk, part="agreement")
    assert latest(crowd).failed == report
    assert latest(crowd).failed.error == "it kills every process"
    again = request_study_report(QUALITY, crowd)
    assert again != report
    assert latest(crowd).failed is None


def test_all_steps_see_what_stood_when_computing_began(crowd, make_worker):
    report = request_study_report(QUALITY, crowd)
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, "agreement")
    exclusions.exclude(crowd.workers.first(), reason="x")
    for step in QUALITY.steps:
        tasks.compute_part(report.pk, step)
    report.refresh_from_db()
    assert report.is_done
    assert report.parts.get(name="agreement").result["votes"] == 18
    assert not is_current(QUALITY, report)


def test_the_same_evidence_keeps_its_report(crowd, report):
    assert is_current(QUALITY, report)
    assert request_study_report(QUALITY, crowd) == report
    assert judged_since(report) == 0


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
    assert not is_current(QUALITY, report)
    assert judged_since(report) == (change in {another_judgement, a_revision})
    again = compute(request_study_report(QUALITY, crowd))
    assert again != report
    assert is_current(QUALITY, again)
    assert list(Report.objects.all()) == [again]  # what it supersedes is gone


def test_a_warning_changes_no_number(crowd, report):
    exclusions.exclude(crowd.workers.first(), reason="x", standing=Worker.Standing.WARNED)
    assert is_current(QUALITY, report)


def test_what_changed_and_was_taken_back_needs_no_second_report(crowd, report, researcher):
    exclusion = exclusions.exclude(crowd.workers.first(), reason="x")
    again = request_study_report(QUALITY, crowd)
    exclusions.lift(exclusion, by=researcher)
    tasks.begin_report(again.pk)
    assert list(Report.objects.all()) == [report]


def test_a_new_step_makes_earlier_reports_out_of_date(crowd, report, monkeypatch):
    monkeypatch.setitem(QUALITY.steps, "more", lambda evidence: Findings({}))
    assert not is_current(QUALITY, report)


def test_another_engine_fails_it(crowd, compute):
    report = request_study_report(QUALITY, crowd)
    Report.objects.update(engine_version="0")
    assert "version 0 of the engine" in compute(report).error


def test_without_a_vote_left_it_says_so(crowd, compute):
    for worker in crowd.workers.all():
        exclusions.exclude(worker, reason="x")
    report = compute(request_study_report(QUALITY, crowd))
    assert report.is_done
    assert report.parts.get(name="agreement").result["coefficients"] == []


def test_a_deleted_report_computes_nothing(crowd):
    report = request_study_report(QUALITY, crowd)
    pk = report.pk
    report.delete()
    tasks.begin_report(pk)
    tasks.compute_part(pk, "items")
    assert not Report.objects.exists()
