"""What the administrators' page finds well and not well, and what it can do about a task that was given up."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from celery import current_app
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from ireval_site import administration, condition, disk_use
from judging.background.executions import park
from judging.background.status import note_end
from judging.models import Collection, Execution, Installation, Outbox, ParkedTask, Quarantined, Site
from metrics.models import Report
from tests import servers
from tests.visible_words import visible_words

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client, admin):
    client.force_login(admin)
    return client


@pytest.fixture(autouse=True)
def nobody_is_waited_for(monkeypatch, settings):
    monkeypatch.setattr(condition, "ANSWER_SECONDS", 0.02)
    settings.REDIS_URL = ""
    cache.delete("rooms")


@pytest.fixture
def broker(settings, monkeypatch):
    """A broker in memory that nobody listens to."""
    settings.REDIS_URL = "memory://"
    monkeypatch.setattr(current_app.conf, "broker_write_url", "memory://")


@pytest.fixture
def running():
    """Background work goes on."""
    note_end("judging.tasks.sweep_outbox")


def seen(ada) -> str:
    return " ".join(visible_words(ada.get("/administration/").content.decode()).words)


def unwell() -> dict[str, str]:
    return {finding.part: finding.says for finding in condition.findings() if not finding.well}


def said(part: str) -> str:
    return next(finding.says for finding in condition.findings() if finding.part == part)


def test_where_nothing_is_wrong_it_says_so(ada, running):
    assert unwell() == {}
    assert "All is well" in seen(ada)


def test_work_that_stopped_is_named_with_what_to_do(ada):
    assert unwell() == {"Background work": "It has never run.", "Sweeps": "None has ended yet."}
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
    assert unwell() == {"Tasks to send": "1 task to send, the oldest for 5\N{NO-BREAK SPACE}minutes."}


def test_absent_celery_workers_are_not_well_unless_tasks_are_done(broker, monkeypatch):
    assert {"Background work", "Celery workers", "Sweeps"} == set(unwell())
    assert said("Redis") == "It answers." and said("Celery workers") == "None answers, and none is at work."
    note_end("judging.tasks.sweep_outbox")
    assert unwell() == {} and said("Celery workers").startswith("None answered within half a second, but")
    monkeypatch.setattr(condition, "queued", lambda: 3)
    assert said("Celery workers").endswith("tasks are being done. 3 tasks wait for one.")


def test_the_broker_says_what_it_is(settings, monkeypatch):
    try:
        with servers.valkey() as settings.REDIS_URL:
            monkeypatch.setattr(current_app.conf, "broker_write_url", settings.REDIS_URL)
            assert re.fullmatch(r"(Valkey|Redis) \d+(\.\d+)+ answers\.", condition.broker().says)
    except servers.NoServer as problem:
        pytest.skip(str(problem))


def test_celery_workers_that_answer_are_counted(broker, monkeypatch):
    monkeypatch.setattr(current_app.control, "ping", lambda **_options: [{"a": {"ok": "pong"}}, {"b": {"ok": "pong"}}])
    assert said("Celery workers").startswith("Answered within half a second: 2.")


def test_what_failed_or_was_refused_of_late_needs_a_look(ada, running, collection, researcher):
    failed = Report.objects.create(
        kind="runs", collection=collection, title="Bad", spec={}, state="failed", finished=timezone.now()
    )
    text = seen(ada)
    assert unwell() == {} and "Failed within a week: 1." in text and "All is well" not in text
    assert 'href="/reports/?state=failed"' in ada.get("/administration/").content.decode()
    failed.delete()
    site, long_ago = Site.objects.create(name="Shop", slug="shop", owner=researcher), timezone.now() - timedelta(days=8)
    old = Quarantined.objects.create(site=site, kind="rejected", why="no time", identity=uuid4(), raw="{}", received=long_ago)
    assert "All is well" in seen(ada)
    Quarantined.objects.filter(pk=old.pk).update(received=timezone.now())
    text = seen(ada)
    assert "Within a week: Shop 1." in text and "All is well" not in text
    assert f'href="/sites/{site.pk}/quarantine/"' in ada.get("/administration/").content.decode()


def test_a_broker_that_is_away_is_not_well(running, settings):
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
    rooms, counted = disk_use.counted()
    assert [(room.what, room.files, room.bytes) for room in rooms[:2]] == [("Images of documents", 1, 2000), ("Runs", 2, 1500)]
    default_storage.save("runs/3/d.parquet", ContentFile(b"x"))
    assert disk_use.counted() == (rooms, counted)  # no walk through all files each time
    assert "Counted 0 minutes ago" in seen(ada)
    assert disk_use.database_bytes() > 100_000


def test_tasks_that_were_given_up_come_in_pages(ada, running, monkeypatch):
    monkeypatch.setattr(administration, "A_PAGE", 2)
    now = timezone.now()
    for number in range(3):
        park("a task", {"site": number}, starts=3, between=(now, now), reason="It was killed.")
    pages = [seen(ada), " ".join(visible_words(ada.get("/administration/?page=2").content.decode()).words)]
    assert [[f"site={number}" in page for number in range(3)] for page in pages] == [[False, True, True], [True, False, False]]


def test_a_site_says_how_long_its_records_are_kept(ada, running, researcher):
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, keep_days=45)
    page = ada.get("/administration/").content.decode()
    assert "Queries and events of Shop" in page
    assert f'href="/sites/{site.pk}/settings/"' in page


def test_it_says_how_long_messages_and_requests_for_links_are_kept(ada, running):
    words = seen(ada)
    assert "Messages with news 30 after they were written" in words
    assert "Requests for a link to an account 7 after they were made" in words


def test_it_takes_as_many_queries_whatever_there_is(ada, running, researcher, django_assert_max_num_queries):
    for number in range(20):
        Site.objects.create(name=f"Shop {number}", slug=f"shop-{number}", owner=researcher)
        Collection.objects.create(name=f"C {number}", owner=researcher)
    with django_assert_max_num_queries(30):
        ada.get("/administration/")
