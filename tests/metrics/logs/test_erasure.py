"""What reports no longer say once a user was erased, or their records are too old."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.experiments.arms import forget as forget_running
from judging.experiments.interleaving import merge
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.models import Arm, Experiment, Outbox
from metrics import tasks
from metrics.kinds.ab.parts import result_of
from metrics.kinds.clicks.freshness import request_click_report
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
    from metrics.kinds.experiments.freshness import request_experiment_report

    request_click_report(site)
    request_experiment_report(experiment)
    erase(site, client="a", by=researcher)
    carried_out(site)
    assert list(Report.objects.all()) == [crossed]


def test_old_reports_say_nothing_of_few(site, researcher, compute):
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
    report = compute(experiment)
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
