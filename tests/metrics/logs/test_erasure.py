"""What reports no longer say once a user was erased, or their records are too old."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from judging.experiments.arms import forget as forget_running
from judging.experiments.interleaving import merge
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import Arm, Experiment, Outbox
from metrics import pipeline, tasks
from metrics.kinds.ab import evidence as ab
from metrics.kinds.ab.parts import result_of
from metrics.kinds.clicks import evidence as clicks
from metrics.kinds.clicks.freshness import request_click_report
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.kinds.interleaving import evidence as interleaving
from metrics.kinds.registry import kind_of
from metrics.logs.erasure import begin_anew
from metrics.models import Report
from tests.metrics.logs.conftest import START

pytestmark = pytest.mark.django_db


@pytest.fixture
def crossed(site, experiment, visit, compute):
    """A finished report with a client who was in both arms, and two who were not."""
    receive(site, visit("both", ["d1"], arm="new") + visit("both", ["d1"], arm="control", hour=5))
    receive(site, visit("a", ["d1"], arm="control") + visit("b", ["d2"], arm="new"))
    return compute(experiment)


def carried_out(site) -> None:
    """What an erasure has left for Celery."""
    messages = Outbox.objects.filter(task="metrics.tasks.forget_users")
    assert [message.arguments for message in messages] == [{"site": site.pk}]
    tasks.forget_users(site=site.pk)


def test_an_erasure_takes_names_and_leaves_sums(site, crossed, researcher):
    assert len(result_of(crossed).behaviour.counts.crossed_units) == 1
    erase(site, client="both", by=researcher)
    carried_out(site)
    crossed.refresh_from_db()
    counts = result_of(crossed).behaviour.counts
    assert (counts.crossed, counts.crossed_units) == (1, ())
    assert result_of(crossed).experiment.n.tolist() == [1, 1]
    assert [part.result for part in crossed.parts.all()] == [{}]


def test_an_erasure_takes_click_reports_and_what_is_being_computed(site, crossed, experiment, researcher):
    request_click_report(site)
    request_experiment_report(experiment)
    erase(site, client="a", by=researcher)
    carried_out(site)
    assert list(Report.objects.all()) == [crossed]


@pytest.fixture
def merged(site, researcher):
    """An experiment of interleaving in which eleven users searched, one of them for something rare."""
    experiment = Experiment.objects.create(
        site=site, name="merged", kind="interleaving", created_by=researcher, state="running", started=START
    )
    for name in ("control", "new"):
        Arm.objects.create(experiment=experiment, name=name, is_control=name == "control")
    forget_running(site)
    lists = {"control": ["d1", "d2"], "new": ["d2", "d3"]}
    for number in range(11):
        text = "something rare" if number == 0 else "owls"
        merge(site, "merged", lists, user_query=text, client_id=f"c{number}", timestamp=(START + timedelta(hours=1)).isoformat())
    return experiment


def test_old_reports_say_nothing_of_few(site, merged, compute):
    report = compute(merged)
    assert [query["query"] for query in report.result["queries"]] == ["owls", "something rare"]
    tasks.sweep_log_reports()
    report.refresh_from_db()
    assert len(report.result["queries"]) == 2
    Report.objects.update(as_of=timezone.now() - timedelta(days=site.keep_days + 1))
    tasks.sweep_log_reports()
    report.refresh_from_db()
    assert [query["query"] for query in report.result["queries"]] == ["owls"]


def test_old_click_reports_go(site, visit):
    receive(site, visit("a", ["d1"]))
    report = request_click_report(site)
    Report.objects.filter(pk=report.pk).update(state="done", as_of=timezone.now() - timedelta(days=site.keep_days + 1))
    tasks.sweep_log_reports()
    assert not Report.objects.exists()


@pytest.fixture(params=["ab", "interleaving", "clicks"])
def failed(request, site, visit, monkeypatch):
    """A report on eleven users that failed before its last part, of which there are two at least."""
    for module in (ab, interleaving, clicks):
        monkeypatch.setattr(module, "ROWS_A_PART", 6)
    experiment = request.getfixturevalue("merged" if request.param == "interleaving" else "experiment")
    if request.param != "interleaving":
        for number in range(11):
            receive(site, visit(f"c{number}", ["d1"]))
    every = request.param == "clicks"
    report = request_click_report(site, days=None) if every else request_experiment_report(experiment)
    tasks.begin_report(report.pk)
    for name in list(report.parts.values_list("name", flat=True))[:-1]:
        tasks.compute_part(report.pk, name)
    pipeline.fail(report.pk, "Its process was killed.")
    report.refresh_from_db()
    return report


def users_of(report) -> int:
    if report.kind == Report.Kind.AB:
        return result_of(report).experiment.n.sum()
    return report.result["counts"]["units"] if report.kind == Report.Kind.INTERLEAVING else report.result["users"]


def computed(report):
    tasks.begin_report(report.pk)
    for name in list(report.parts.values_list("name", flat=True)):
        tasks.compute_part(report.pk, name)
    report.refresh_from_db()
    return report


def knows(report) -> bool:
    """Whether it holds anything of what it read."""
    return report.parts.exists() or report.tables.exists()


def age(report) -> None:
    Report.objects.filter(pk=report.pk).update(as_of=timezone.now() - timedelta(days=report.log_site.keep_days + 1))


def test_an_erasure_leaves_of_a_failed_report_why_it_failed(site, failed, researcher):
    """And whoever runs it again has it computed from what is left."""
    assert knows(failed)
    erase(site, client="c1", by=researcher)
    carried_out(site)
    failed.refresh_from_db()
    assert (failed.state, failed.error, knows(failed)) == ("failed", "Its process was killed.", False)
    pipeline.wait_again(failed.pk)
    tasks.compute_part(failed.pk, "0")  # what was parked
    with time_machine.travel(timezone.now() + pipeline.PATIENCE * 1.1):
        assert tasks.resume_reports() == 1
    assert computed(failed).is_done
    assert users_of(failed) == 10


def test_old_failed_reports_keep_only_why_they_failed(failed):
    tasks.sweep_log_reports()
    assert knows(failed)
    age(failed)
    tasks.sweep_log_reports()
    failed.refresh_from_db()
    assert (failed.state, failed.error, knows(failed)) == ("failed", "Its process was killed.", False)


def test_an_old_report_that_still_waits_begins_anew(failed):
    pipeline.wait_again(failed.pk)
    age(failed)
    tasks.sweep_log_reports()
    failed.refresh_from_db()
    assert (failed.state, knows(failed)) == ("waiting", False)
    assert computed(failed).is_done
    assert users_of(failed) == 11


def test_whoever_still_computes_from_erased_records_stores_nothing(failed):
    pipeline.wait_again(failed.pk)
    kind, part = kind_of(failed.pk), failed.parts.get(result__isnull=True)
    (findings,) = kind.compute([part])
    pipeline.store(part, findings)
    failed.refresh_from_db()
    whole = kind.whole(failed)
    begin_anew(failed)
    pipeline.store(part, findings)
    pipeline.publish(kind, failed, whole)
    failed.refresh_from_db()
    assert (failed.state, failed.result, knows(failed)) == ("waiting", None, False)
