"""Reports of every kind are computed again at night, if their evidence has changed and somebody looks at them."""

from datetime import timedelta

import polars as pl
import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ireval_site import condition
from judging.collections.storage import store_qrels
from judging.logs.intake import receive
from judging.models import Experiment, Study, User
from metrics import tasks
from metrics.kinds import renewal
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.renewal import renew_reports
from metrics.kinds.studies import request_study_report
from metrics.models import Report
from tests.judging.logs.conftest import site  # noqa: F401
from tests.metrics.conftest import GRADES
from tests.metrics.experiments.worlds import searches, send, started
from tests.metrics.logs.clicked_log import computed, search
from tests.metrics.quality.conftest import answer, crowd  # noqa: F401

pytestmark = pytest.mark.django_db


def finish(report):
    tasks.begin_report(report.pk)
    for name in report.parts.values_list("name", flat=True).distinct():
        tasks.compute_part(report.pk, name)
    report.refresh_from_db()
    assert report.is_done, report.error
    return report


def waiting():
    return Report.objects.filter(state="waiting")


def more_grades(collection, by, name="ornithologists"):
    rows = [(topic, docno, 1) for topic, grades in GRADES.items() for docno in grades]
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    return store_qrels(frame, collection=collection, name=name, by=by)


@pytest.fixture
def change_runs(report, researcher):
    return report, lambda: more_grades(report.collection, researcher)


@pytest.fixture
def change_quality(crowd, make_worker):  # noqa: F811
    report = finish(request_study_report(QUALITY, crowd))
    return report, lambda: answer(make_worker(crowd), crowd.items.first(), 1)


@pytest.fixture
def change_ab(site, researcher):  # noqa: F811
    experiment = started(site, researcher, metrics=["ctr"], planned=400)
    send(site, searches(experiment, {"control": 3, "new": 3}))
    report = finish(request_experiment_report(experiment))
    return report, lambda: send(site, searches(experiment, {"control": 3, "new": 3}, first=50))


@pytest.fixture
def change_clicks(site):  # noqa: F811
    receive(site, search(1, clicked="b"))
    return computed(site), lambda: receive(site, search(2, clicked="b"))


@pytest.fixture(params=["change_runs", "change_quality", "change_ab", "change_clicks"])
def changing(request):
    """A finished report, and what changes its evidence."""
    return request.getfixturevalue(request.param)


def test_it_is_asked_anew_once_its_evidence_has_changed(changing):
    report, change = changing
    assert renew_reports(timezone.now()) == 0
    change()
    assert renew_reports(timezone.now()) == 1
    newer = waiting().get()
    assert (newer.kind, newer.subject) == (report.kind, report.subject)
    assert renew_reports(timezone.now()) == 0
    finish(newer)
    assert renew_reports(timezone.now()) == 0


def test_only_as_long_as_somebody_looks(changing):
    report, change = changing
    change()
    Report.objects.update(looked=timezone.now() - timedelta(days=31))
    assert renew_reports(timezone.now()) == 0
    Report.objects.update(looked=timezone.now() - timedelta(days=29))
    report.refresh_from_db()
    assert renew_reports(timezone.now()) == 1
    assert waiting().get().looked == report.looked, "to renew is no look"


def test_to_open_its_page_is_a_look_and_writes_once_a_day(changing, rita):
    report, _ = changing
    Report.objects.update(looked=timezone.now() - timedelta(days=20))
    assert looks_written(rita, report) == 1
    report.refresh_from_db()
    assert timezone.now() - report.looked < timedelta(minutes=1)
    assert looks_written(rita, report) == 0


def looks_written(browser, report) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(report.get_absolute_url()).status_code == 200
    return sum(query["sql"].startswith('UPDATE "metrics_report"') for query in queries)


@pytest.mark.parametrize("fixture", ["change_ab", "change_clicks"])
def test_of_a_site_with_readers_only_its_owner_asks_again(fixture, request, site):  # noqa: F811
    """The difference of two nights could be what one user did."""
    _, change = request.getfixturevalue(fixture)
    change()
    site.readers.add(User.objects.create_user("reed", is_researcher=True))
    assert renew_reports(timezone.now()) == 0
    site.readers.clear()
    assert renew_reports(timezone.now()) == 1


def test_the_newer_report_on_runs_is_of_whoever_asked_and_the_older_one_stays(report, researcher):
    newest = more_grades(report.collection, researcher)
    renew_reports(timezone.now())
    newer = waiting().get()
    assert newer.created_by == researcher
    assert [version["id"] for version in newer.spec["qrels"]] == [newest.pk]
    assert Report.objects.filter(pk=report.pk, state="done").exists()


def test_grades_that_whoever_asked_may_not_read_are_no_reason(report, researcher):
    """Of a study that they are no member of."""
    other = User.objects.create_user("olga", is_researcher=True)
    newest = more_grades(report.collection, other)
    study = Study.objects.create(collection=report.collection, name="Hers", created_by=other)
    type(newest).objects.filter(pk=newest.pk).update(study=study)
    assert renew_reports(timezone.now()) == 0


def test_a_question_that_can_no_longer_be_asked_stops_no_other(report, researcher, crowd, make_worker):  # noqa: F811
    Report.objects.filter(pk=report.pk).update(spec=report.spec | {"relevant_from": 500})
    more_grades(report.collection, researcher)
    finish(request_study_report(QUALITY, crowd))
    answer(make_worker(crowd), crowd.items.first(), 1)
    assert renew_reports(timezone.now()) == 1
    assert waiting().get().kind == "quality"


def test_a_report_that_is_not_possible_any_more_stops_no_other(change_ab, change_runs):
    for _, change in (change_ab, change_runs):
        change()
    Experiment.objects.update(state="draft", started=None)
    assert renew_reports(timezone.now()) == 1
    assert waiting().get().kind == "runs"


def test_a_night_that_failed_is_begun_no_second_time_and_admins_read_why(monkeypatch):
    """It would ask for fifty reports more each time."""
    begun = []

    def fail(now):
        begun.append(now)
        raise OSError("The bucket is away.")

    with monkeypatch.context() as patched:
        patched.setattr(renewal, "renew_reports", fail)
        with pytest.raises(OSError, match="away"):
            tasks.renew_reports()
        tasks.renew_reports()
    assert len(begun) == 1
    assert "evidence has changed: OSError: The bucket is away." in condition.failing_sweeps().says
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        tasks.renew_reports()
        assert condition.failing_sweeps().well


def test_a_night_that_was_killed_is_begun_no_second_time(monkeypatch):
    begun = []

    def die(now):
        begun.append(now)
        raise SystemExit

    monkeypatch.setattr(renewal, "renew_reports", die)
    with pytest.raises(SystemExit):
        tasks.renew_reports()
    tasks.renew_reports()
    assert len(begun) == 1
