"""From a first visit to a finished report, and to another one when more has come."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from judging.logs.archive import moves
from judging.logs.log_import import import_file
from judging.models import ArchiveFile
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.models import Report
from tests.judging.logs.sent import query
from tests.metrics.experiments.worlds import searches, send, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(site, researcher):
    experiment = started(site, researcher, metrics=["ctr"], planned=40)
    send(site, searches(experiment, {"control": 30, "new": 30}))
    return experiment


def test_the_first_visit_asks_and_waits(running, rita, compute):
    address = f"/experiments/{running.pk}/report/"
    page = rita.get(address).content.decode()
    assert Report.objects.get().state == "waiting"
    assert "Waiting to be computed" in page
    assert 'hx-trigger="every 1s"' in page
    rita.get(address)
    compute(running)
    assert Report.objects.count() == 1
    assert "new is better" in rita.get(address).content.decode()


def test_it_tells_how_far_it_is_and_then_to_show_the_page(running, rita, compute, monkeypatch):
    from metrics import tasks
    from metrics.kinds.ab import evidence

    monkeypatch.setattr(evidence, "ROWS_A_PART", 60)
    address, htmx = f"/experiments/{running.pk}/report/", {"HX-Request": "true", "HX-Target": "report-progress"}
    rita.get(address)
    report = Report.objects.get()
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, "0")
    html = rita.get(address, headers=htmx).content.decode()
    assert f"1 of {report.parts.count()}" in html
    assert "<html" not in html
    compute(running)
    assert rita.get(address, headers=htmx)["HX-Refresh"] == "true"


def test_what_came_since_is_told_and_asked_for(running, site, rita, reader, compute, read, researcher):
    compute(running)
    assert "nothing has come since" in read(running, researcher)
    send(site, searches(running, {"control": 1}, each=2, chances={"control": 0}, first=500))
    page = read(running, researcher)
    assert "2 records came since" in page
    assert "Compute again" in page
    assert moves.archive(site, before=timezone.now() + timedelta(days=1))  # into the files with what came before
    assert "2 records came since" in read(running, researcher)
    for_readers = read(running, reader)
    assert "records have come since" in for_readers
    assert "Compute again" not in for_readers
    rita.force_login(reader)
    assert rita.post(f"/experiments/{running.pk}/report/again/").status_code == 404
    assert rita.post(f"/api/v1/experiments/{running.pk}/report/").status_code == 403
    rita.force_login(researcher)
    rita.post(f"/experiments/{running.pk}/report/again/")
    assert Report.objects.filter(state="waiting").count() == 1
    page = read(running, researcher)
    assert "new is better" in page  # the earlier one is shown meanwhile
    assert "Compute again" not in page


def test_what_was_being_loaded_while_it_was_computed_came_since_and_what_moved_did_not(
    running, site, compute, read, researcher, tmp_path
):
    """Both are in files that are younger than the report, and were received before it."""
    (tmp_path / "log").write_text(json.dumps(query(timestamp=timezone.now().isoformat())))
    import_file(site, tmp_path / "log", into_archive=True)
    loaded = ArchiveFile.objects.get()
    assert loaded.last < loaded.loaded
    compute(running)
    Report.objects.update(as_of=loaded.last)
    assert "1 record came since" in read(running, researcher)
    ArchiveFile.objects.update(loaded=None)
    assert "nothing has come since" in read(running, researcher)


def test_what_came_after_its_end_does_not_matter(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=40)
    send(site, searches(experiment, {"control": 30, "new": 30}))
    compute(experiment)
    moves.archive(site, before=timezone.now() + timedelta(days=1))
    late = searches(experiment, {"control": 1}, first=700)
    send(site, [record | {"timestamp": timezone.now().isoformat()} for record in late])
    assert "nothing has come since" in read(experiment, researcher)
    assert moves.archive(site, before=timezone.now() + timedelta(days=1))
    assert "nothing has come since" in read(experiment, researcher)


def test_another_filter_of_programs_is_a_reason_to_compute_again(running, site, compute, read, researcher):
    from judging.logs import bots

    compute(running)
    bots.save(site, bots.Limits(records_a_minute=5), by=researcher)
    page = read(running, researcher)
    assert "the bot filter has changed" in page
    assert "Compute again" in page


def test_why_it_failed_is_told_until_somebody_asks_again(running, rita, read, researcher):
    from metrics.pipeline import fail

    fail(request_experiment_report(running).pk, "The disk is full.")
    page = read(running, researcher)
    assert "It could not be computed" in page
    assert "The disk is full." in page
    rita.force_login(researcher)
    rita.post(f"/experiments/{running.pk}/report/again/")
    assert "The disk is full." not in read(running, researcher)


def test_a_draft_cannot_be_asked_about(site, researcher, rita):
    from judging.experiments import drafts

    draft = drafts.create(site, by=researcher, name="later", arms=[])
    assert rita.post(f"/experiments/{draft.pk}/report/again/").status_code == 404


def test_strangers_find_nothing(report, experiment, stranger, client):
    client.force_login(stranger)
    for more in ("", "effects.csv"):
        assert client.get(f"/experiments/{experiment.pk}/report/{more}").status_code == 404
    assert client.post(f"/experiments/{experiment.pk}/report/again/").status_code == 404
