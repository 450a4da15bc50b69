"""What the administrators' page finds well and not well, and what it can do about a task that was given up."""

from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from ireval_site import condition, disk_use
from judging.background.executions import park
from judging.background.status import note_end
from judging.models import Collection, Execution, Installation, Outbox, ParkedTask, Site
from metrics.models import Report
from tests.visible_words import visible_words

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client, admin):
    client.force_login(admin)
    return client


@pytest.fixture(autouse=True)
def nobody_is_waited_for(monkeypatch):
    monkeypatch.setattr(condition, "ANSWER_SECONDS", 0.02)


@pytest.fixture
def running():
    """Background work goes on."""
    note_end("judging.tasks.sweep_outbox")


def seen(ada) -> str:
    return " ".join(visible_words(ada.get("/administration/").content.decode()).words)


def unwell() -> dict[str, str]:
    return {finding.part: finding.says for finding in condition.findings() if not finding.well}


def test_where_nothing_is_wrong_it_says_so(ada, running):
    assert unwell() == {}
    assert "All is well" in seen(ada)


def test_work_that_stopped_is_named_with_what_to_do(ada):
    assert unwell() == {"Background work": "It has never run."}
    text = seen(ada)
    assert "All is well" not in text
    assert "Start Celery’s workers" in text


def test_what_runs_now_is_named(running):
    Execution.objects.create(task="judging.tasks.make_own_run", arguments={"own": 7}, digest="x", message="m")
    assert "1 task under way: judging.tasks.make_own_run(own=7)" in {finding.says for finding in condition.findings()}


def test_a_message_that_waits_for_minutes_is_not_well(running):
    message = Outbox.objects.create(task="judging.tasks.check_upload")
    assert unwell() == {}
    Outbox.objects.filter(pk=message.pk).update(created=timezone.now() - timedelta(minutes=5))
    assert unwell() == {"Messages": "1 message to send, the oldest for 5\N{NO-BREAK SPACE}minutes."}


def test_a_broker_that_is_away_is_not_well(running, settings):
    from celery import current_app

    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(current_app.conf, "broker_write_url", settings.REDIS_URL)
        assert list(unwell()) == ["Redis"]


def test_a_full_disk_is_not_well(running, monkeypatch):
    monkeypatch.setattr(condition, "LITTLE_SPACE", 2**70)
    assert list(unwell()) == ["Disk"]


def test_files_of_another_database_are_not_well(running):
    Installation.objects.update_or_create(pk=1, defaults={"problem": "These files are another’s."})
    assert unwell() == {"Stored files": "These files are another’s."}


def test_a_report_that_takes_long_is_listed_with_its_progress(ada, running, collection):
    report = Report.objects.create(kind="runs", collection=collection, title="Slow one", spec={}, state="running")
    assert unwell() == {}
    Report.objects.filter(pk=report.pk).update(created=timezone.now() - timedelta(minutes=30))
    assert list(unwell()) == ["Reports"]
    text = seen(ada)
    assert "Slow one" in text
    assert "0 of 0" in text


def test_a_task_that_was_given_up_is_tried_again_or_forgotten(ada, running):
    now = timezone.now()
    parked = [park("a task", {"site": n}, starts=3, between=(now, now), reason="It was killed.") for n in (1, 2)]
    assert unwell() == {"Failed tasks": "2 tasks given up after three attempts."}
    assert "It was killed." in ada.get("/administration/").content.decode()
    ada.post(f"/administration/tasks/{parked[0].pk}/again/")
    ada.post(f"/administration/tasks/{parked[1].pk}/give-up/")
    assert not ParkedTask.objects.exists()
    assert list(Outbox.objects.values_list("task", "arguments")) == [("a task", {"site": 1})]


def test_files_are_counted_by_what_they_are(ada, running):
    default_storage.save("runs/1/a.parquet", ContentFile(b"x" * 1000))
    default_storage.save("runs/2/b.parquet", ContentFile(b"x" * 500))
    default_storage.save("images/1/c.png", ContentFile(b"x" * 2000))
    assert disk_use.rooms()[:2] == [("Images of documents", 1, 2000), ("Runs", 2, 1500)]
    assert disk_use.database_bytes() > 100_000


def test_a_site_says_how_long_its_records_are_kept(ada, running, researcher):
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, keep_days=45)
    page = ada.get("/administration/").content.decode()
    assert "Queries and events of Shop" in page
    assert f'href="/sites/{site.pk}/settings/"' in page


def test_it_takes_as_many_queries_whatever_there_is(ada, running, researcher, django_assert_max_num_queries):
    for number in range(20):
        Site.objects.create(name=f"Shop {number}", slug=f"shop-{number}", owner=researcher)
        Collection.objects.create(name=f"C {number}", owner=researcher)
    with django_assert_max_num_queries(30):
        ada.get("/administration/")
