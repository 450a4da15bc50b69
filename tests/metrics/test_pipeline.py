"""Computing in steps: each may run twice, in any order, or die; what comes out is the same and counted once."""

from datetime import timedelta
from itertools import pairwise

import polars as pl
import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from judging.background import executions
from judging.background.executions import MOST_STARTS
from judging.background.status import note_end
from judging.collections import qrels_cache
from judging.models import Outbox, ParkedTask
from metrics import pipeline, tasks
from metrics.kinds.runs import evidence
from metrics.kinds.runs.parts import RUNS
from metrics.kinds.runs.results import contents, values
from metrics.models import Part, Report
from metrics.pipeline import Findings

pytestmark = pytest.mark.django_db


def messages() -> list[tuple[str, dict]]:
    return list(Outbox.objects.order_by("pk").values_list("task", "arguments"))


def snapshot(report) -> tuple:
    report.refresh_from_db()
    parts = [(run, name, bytes(content)) for run, name, content in report.tables.values_list("part__run", "name", "content")]
    return report.state, report.result, report.finished, parts


def test_a_report_fans_out_into_its_runs(ask, runs):
    report = ask()
    Outbox.objects.all().delete()
    tasks.begin_report(report.pk)
    report.refresh_from_db()
    assert report.state == Report.State.RUNNING
    assert messages() == [("metrics.tasks.compute_part", {"report": report.pk, "part": str(run.pk)}) for run in runs]


def test_progress_is_counted_in_the_database(ask, runs):
    report = ask()
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, str(runs[0].pk))
    report = Report.objects.with_progress().get(pk=report.pk)
    assert (report.done_steps, report.steps, report.state) == (1, 2, Report.State.RUNNING)


def test_the_last_step_publishes(report, runs, qrels):
    assert report.state == Report.State.DONE
    assert report.finished
    assert [(row["run"], row["qrels"], row["topics"]) for row in report.result["rows"]] == [(run.pk, qrels.pk, 2) for run in runs]


def test_every_step_twice_counts_once(report, compute):
    before = snapshot(report)
    sent = len(messages())
    compute(report)
    assert snapshot(report) == before
    assert len(messages()) == sent


def test_interleaved_workers_come_to_the_same_result(ask, report, runs):
    expected = [row["means"] for row in report.result["rows"]]
    report.delete()
    again = ask()
    tasks.begin_report(again.pk)
    tasks.compute_part(again.pk, str(runs[1].pk))
    tasks.begin_report(again.pk)  # delivered twice, in the middle
    tasks.compute_part(again.pk, str(runs[1].pk))
    tasks.compute_part(again.pk, str(runs[0].pk))
    tasks.compute_part(again.pk, str(runs[0].pk))
    state, result, *_ = snapshot(again)
    assert state == Report.State.DONE
    assert [row["means"] for row in result["rows"]] == expected


def test_two_workers_at_one_step_store_one_answer(ask, runs):
    """Both have read that the step is open before either stores."""
    report = ask()
    tasks.begin_report(report.pk)
    part = pipeline.open_parts(report.pk).get(run=runs[0])
    pipeline.store(part, Findings({"topics": 1}, {"values": pl.DataFrame({"topic": ["first"]})}))
    pipeline.store(part, Findings({"topics": 2}, {"values": pl.DataFrame({"topic": ["second"]})}))
    assert Part.objects.get(pk=part.pk).result == {"topics": 1}
    assert values(report, qrels=part.qrels_id, run=part.run_id)["topic"].to_list() == ["first"]


def test_two_publishers_publish_once(ask, runs):
    report = ask()
    tasks.begin_report(report.pk)
    for run in runs:
        pipeline.compute_part(RUNS, report.pk, str(run.pk))
    pipeline.publish_if_complete(RUNS, report.pk)
    first = snapshot(report)
    pipeline.publish_if_complete(RUNS, report.pk)
    assert snapshot(report) == first


def test_a_worker_that_dies_before_it_publishes_loses_nothing(ask, runs):
    report = ask()
    tasks.begin_report(report.pk)
    for run in runs:
        pipeline.compute_part(RUNS, report.pk, str(run.pk))  # killed here, its message is delivered again
    tasks.compute_part(report.pk, str(runs[-1].pk))
    assert snapshot(report)[0] == Report.State.DONE


def test_a_step_stored_before_a_death_is_not_computed_again(ask, runs, compute, monkeypatch):
    report = ask()
    tasks.begin_report(report.pk)
    pipeline.compute_part(RUNS, report.pk, str(runs[0].pk))
    read = []
    ranking = evidence.ranking
    monkeypatch.setattr(evidence, "ranking", lambda run: read.append(run) or ranking(run))
    assert compute(report).is_done
    assert read == [runs[1], *runs]  # publishing compares the rankings of all


def test_a_run_is_evaluated_in_one_reading_whatever_it_is_held_against(ask, runs, qrels, settled, compute, monkeypatch):
    read = []
    ranking = evidence.ranking
    monkeypatch.setattr(evidence, "ranking", lambda run: read.append(run) or ranking(run))
    assert compute(ask(qrels=[qrels, settled])).is_done
    assert read == [*runs, *runs]  # to evaluate, and to compare


def test_lost_messages_are_sent_again_after_a_wait(ask, runs):
    """The broker forgot everything: whatever was sent is as if it had never been."""
    report = ask()
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, str(runs[0].pk))
    Outbox.objects.all().delete()
    assert tasks.resume_reports() == 0
    with time_machine.travel(timezone.now() + pipeline.PATIENCE * 1.1):
        assert tasks.resume_reports() == 1
        assert tasks.resume_reports() == 0
        assert messages() == [("metrics.tasks.begin_report", {"report": report.pk})]
        tasks.begin_report(report.pk)
        assert messages()[1:] == [("metrics.tasks.compute_part", {"report": report.pk, "part": str(runs[1].pk)})]
        tasks.compute_part(report.pk, str(runs[1].pk))
    assert snapshot(report)[0] == Report.State.DONE


def test_one_stopped_just_before_the_end_is_published_when_sent_again(ask, runs):
    report = ask()
    tasks.begin_report(report.pk)
    for run in runs:
        pipeline.compute_part(RUNS, report.pk, str(run.pk))
    tasks.begin_report(report.pk)
    assert snapshot(report)[0] == Report.State.DONE


@pytest.mark.one_database
def test_each_wait_is_twice_as_long_and_none_gives_up(ask):
    """A queue of hours looks no different from here."""
    report = ask()
    now = timezone.now()
    sent = []
    for second in range(0, 15_000, 10):
        with time_machine.travel(now + timedelta(seconds=second)):
            if tasks.resume_reports():
                sent.append(second)
    waits = [later - earlier for earlier, later in pairwise([0, *sent])]
    longest = pipeline.PATIENCE.seconds * 2**pipeline.MOST_DOUBLINGS
    assert all(wait <= following for wait, following in pairwise(waits))
    assert longest <= waits[-1] == waits[-2] <= longest + 20
    report.refresh_from_db()
    assert report.state == Report.State.WAITING
    assert Outbox.objects.filter(task="metrics.tasks.begin_report").count() == 1 + len(sent)


def parked(task, **arguments):
    """As after three starts of which each killed its process."""
    for _ in range(MOST_STARTS):
        task.push_request(id="a message")
        task.begin(arguments)
        task.pop_request()
    task.apply(kwargs=arguments, task_id="a message")


def test_what_kills_its_process_fails_the_report_and_is_not_sent_again(ask, runs, rita):
    report = ask()
    tasks.begin_report(report.pk)
    parked(tasks.compute_part, report=report.pk, part=str(runs[0].pk))
    report.refresh_from_db()
    assert report.is_failed
    address = reverse("report", args=[report.pk])
    assert "begun 3 times and its process was killed every time" in rita.get(address).content.decode()
    assert "3-mal begonnen, und jedes Mal" in rita.get(address, headers={"Accept-Language": "de"}).content.decode()
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        assert tasks.resume_reports() == 0


def test_what_an_administrator_runs_again_is_waited_for(ask, runs, admin, compute):
    report = ask()
    parked(tasks.compute_part, report=report.pk, part=str(runs[0].pk))
    assert Report.objects.get(pk=report.pk).is_failed
    executions.run_again(ParkedTask.objects.get(), by=admin)
    assert compute(report).is_done


def test_trying_again_runs_what_was_parked(ask, runs, compute):
    report, other = ask(), ParkedTask(task="judging.tasks.check_upload", digest="x", starts=3, reason="killed")
    tasks.begin_report(report.pk)
    parked(tasks.compute_part, report=report.pk, part=str(runs[0].pk))
    other.arguments, other.first_start, other.last_start = {"report": report.pk}, report.created, report.created
    other.save()
    pipeline.try_again(report)
    assert ParkedTask.objects.get() == other
    tasks.compute_part.apply(kwargs={"report": report.pk, "part": str(runs[0].pk)})
    assert report.parts.filter(result__isnull=False).count() == 1


def test_a_page_says_how_many_were_asked_for_before(ask, runs, rita):
    first, second = ask(runs=runs[:1]), ask()
    address = reverse("report", args=[second.pk])
    assert "as soon as it is ready" in rita.get(address).content.decode()
    Report.objects.filter(pk=second.pk).update(active=timezone.now() - pipeline.QUIET * 2)
    note_end("judging.tasks.sweep_outbox")
    assert "1 report or import was asked for before it" in rita.get(address).content.decode()
    pipeline.fail(first.pk, "gone")
    assert "asked for before" not in rita.get(address).content.decode()


def test_a_page_says_when_nobody_is_there_to_compute_it(ask, rita):
    report = ask()
    Report.objects.filter(pk=report.pk).update(active=timezone.now() - pipeline.QUIET * 2)
    page = rita.get(reverse("report", args=[report.pk])).content.decode()
    assert "Background work is stopped. This goes on" in page
    assert "Celery" not in page


def test_who_runs_the_installation_is_told_what_to_start(ask, client, admin):
    report = ask()
    Report.objects.filter(pk=report.pk).update(active=timezone.now() - pipeline.QUIET * 2)
    client.force_login(admin)
    page = client.get(reverse("report", args=[report.pk])).content.decode()
    assert f'<a href="{reverse("administration")}">Administration</a> says what to do' in page


def test_a_sign_of_life_starts_the_waiting_anew(ask, runs):
    report = ask()
    with time_machine.travel(timezone.now() + pipeline.PATIENCE * 1.1):
        tasks.resume_reports()
        tasks.begin_report(report.pk)
        tasks.compute_part(report.pk, str(runs[0].pk))
    report.refresh_from_db()
    assert report.resent == 0


def test_a_missing_file_fails_the_report_with_its_name(ask, runs, compute):
    report = ask()
    runs[1].file.delete(save=False)
    compute(report)
    assert report.is_failed
    assert "stored file of run “beta” is missing" in report.error
    assert report.result is None


def test_a_file_that_is_not_what_was_imported_fails_the_report(ask, runs, compute):
    file = runs[1].file
    file.storage.delete(file.name)
    file.storage.save(file.name, ContentFile(b"PAR1 something else"))
    report = compute(ask())
    assert report.is_failed
    assert "run “beta” is not the one that was imported" in report.error


@pytest.mark.parametrize("there", [None, b"PAR1 something else"])
def test_a_lost_or_foreign_file_of_qrels_is_made_anew_and_the_report_is_the_same(ask, qrels, compute, caplog, rita, there):
    expected = compute(ask()).result
    name = qrels_cache.name_of(qrels)
    default_storage.delete(name)
    if there:
        default_storage.save(name, ContentFile(there))
    report = Report.objects.get()
    pipeline.compute_anew(report)
    caplog.clear()
    with caplog.at_level("INFO"):
        assert compute(report).result == expected
    assert caplog.text.count("is made anew from its") == 1
    assert qrels_cache.read(qrels)
    assert "for this report it was made again" in rita.get(report.get_absolute_url()).content.decode()


def test_a_report_without_grades_fails_and_says_so(ask, qrels, compute):
    report = ask()
    qrels_cache.put_file(qrels_cache.name_of(qrels), b"")
    qrels.grades.filter(docno="d1").delete()
    compute(report)
    assert report.is_failed
    assert "lacks grades of qrels “ornithologists”: rows were deleted" in report.error


def test_a_failed_report_can_be_tried_again_and_keeps_what_it_has(ask, runs, qrels, compute):
    report = ask()
    path = runs[1].file.path
    with open(path, "rb") as file:
        content = file.read()
    runs[1].file.storage.delete(runs[1].file.name)
    compute(report)
    stored = contents(report, qrels=qrels.pk, runs=[runs[0].pk])
    Outbox.objects.all().delete()
    with open(path, "wb") as file:
        file.write(content)
    pipeline.try_again(report)
    pipeline.try_again(report)  # two clicks
    assert messages() == [("metrics.tasks.begin_report", {"report": report.pk})]
    assert compute(report).is_done
    assert report.error == ""
    assert contents(report, qrels=qrels.pk, runs=[runs[0].pk]) == stored


def test_steps_of_a_failed_or_deleted_report_do_nothing(ask, runs):
    report = ask()
    pipeline.fail(report.pk, "enough")
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, str(runs[0].pk))
    assert snapshot_of_nothing(report)
    pk = report.pk
    report.delete()
    tasks.begin_report(pk)
    tasks.compute_part(pk, str(runs[0].pk))
    assert not Report.objects.exists()


def snapshot_of_nothing(report) -> bool:
    report.refresh_from_db()
    return report.is_failed and not report.parts.filter(result__isnull=False).exists()


def test_a_report_of_another_engine_is_not_computed_by_this_one(ask, compute):
    report = ask()
    Report.objects.update(engine_version="0")
    compute(report)
    assert report.is_failed
    assert "version 0 of the engine" in report.error


def test_an_engine_that_changes_on_the_way_fails_it_too(ask, runs, compute):
    """Parts of two versions would be put together as if they were of one."""
    report = ask()
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, str(runs[0].pk))
    Report.objects.update(engine_version="0")
    tasks.compute_part(report.pk, str(runs[1].pk))
    report.refresh_from_db()
    assert report.is_failed
    assert report.parts.filter(result__isnull=True).count() == 1


def test_a_deleted_run_takes_its_reports_along(report, ask, runs):
    other = ask(runs=runs[1:])
    runs[0].delete()
    assert list(Report.objects.all()) == [other]
    assert list(Part.objects.values_list("report", flat=True)) == [other.pk]


def test_deleted_qrels_take_their_reports_along(report, qrels):
    qrels.delete()
    assert not Report.objects.exists()
    assert not Part.objects.exists()


def test_a_deleted_collection_takes_its_reports_along(report, collection):
    collection.delete()
    assert not Report.objects.exists()
