"""The clock is put back or forward by an hour, as NTP may do to a machine that was wrong.

Nothing waits an hour for what will not come, and what seems to be an hour old goes on.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone

from ireval_site import beat, celery_app
from judging.background import executions, status
from judging.collections import upload_check
from judging.logs.intake import receive
from judging.models import Event, Execution, Judgement, Outbox, Site, Slot, TaskEnd, Upload
from judging.tasks import sweep_slots
from judging.work.assignment import next_slots
from metrics import pipeline
from metrics.models import Report
from tests.judging.logs.sent import click
from tests.judging.recruiting.participants import hidden, text

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
STARTED = {"task": "a task", "message": "m"}


AHEAD, BEHIND = HOUR, -HOUR
put_back_or_forward = pytest.mark.parametrize("wrong", [AHEAD, BEHIND], ids=["put back", "put forward"])


def clock_is(wrong: timedelta):
    return time_machine.travel(timezone.now() + wrong, tick=False)


class Beat(beat.Scheduler):
    """Says what it sends, instead of sending it."""

    def apply_entry(self, entry, producer=None):
        self.sent.append(entry.name)

    def sends(self, clock, seconds: int) -> Counter[str]:
        """How often it sends what, within so many seconds."""
        self.sent: list[str] = []
        for _ in range(seconds):
            while self.tick() == 0:
                pass
            clock.shift(1)
        return Counter(self.sent)


@pytest.mark.parametrize("step", [timedelta(), -HOUR, HOUR, -timedelta(seconds=2)])
def test_sweeps_are_called_for_as_often_as_ever(step):
    """What is due every minute is sent twice within two, and what is due within the hour at its time."""
    with time_machine.travel(datetime(2026, 11, 26, 12, tzinfo=UTC), tick=False) as clock:
        scheduler = Beat(celery_app)
        scheduler.sends(clock, 1500)
        clock.shift(step)
        sent = scheduler.sends(clock, 120)
        assert 30 <= sent["sweep-outbox"] <= 42
        assert sent["sweep-slots"] == sent["sweep-rules"] == 2
        sent += scheduler.sends(clock, 1990)
        assert sent["sweep-backups"] in (2, 3)
        assert sent["sweep-logs"] == 1


def test_where_nothing_runs_for_long_each_sweep_is_called_for_at_the_start():
    with time_machine.travel(datetime(2026, 11, 26, 12, tzinfo=UTC), tick=False) as clock:
        assert Beat(celery_app).sends(clock, 10).keys() >= settings.CELERY_BEAT_SCHEDULE.keys()


def test_hosts_whose_clocks_differ_by_half_a_minute_drop_no_sweep():
    """And few wait for workers that were away, however long that was."""
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        lasts = entry["options"]["expires"]
        assert lasts >= 30, name
        assert lasts <= 10 * entry["schedule"], name


@put_back_or_forward
def test_signs_of_life_by_the_wrong_clock_are_none(wrong):
    with clock_is(wrong):
        status.note_end("a sweep")
        start = Execution.objects.create(**STARTED, arguments={}, digest=executions.digest("a task", {}))
        assert not status.is_stopped()
    assert status.is_stopped()
    assert status.under_way() == []
    assert not executions.is_alive(Outbox(task=start.task, arguments={}))
    status.note_end("a sweep")
    assert not status.is_stopped()
    assert abs(TaskEnd.objects.get().ended - timezone.now()) < HOUR / 2


def test_who_goes_on_when_the_clock_was_put_forward_is_alive_by_the_next_sign():
    """Until then the message may be sent again: whoever gets it begins, and none of the starts counts as a death too many."""
    arguments = {"upload": "u"}
    with clock_is(BEHIND):
        message = Outbox.objects.create(task="a task", arguments=arguments)
        start = Execution.objects.create(**STARTED, arguments=arguments, digest=executions.digest("a task", arguments))
    assert executions.park_if_hopeless(executions.failures(start.digest)) is None
    Execution.objects.update(active=timezone.now())
    assert executions.is_alive(message)
    assert list(executions.failures(start.digest)) == []


@put_back_or_forward
def test_a_message_is_sent_at_its_time(wrong, settings):
    settings.REDIS_URL = ""  # the commit hands nothing over
    with clock_is(wrong):
        message = Outbox.objects.post("a task")
    assert list(Outbox.objects.due()) == [message]


@put_back_or_forward
def test_an_upload_and_a_report_whose_process_died_then_are_taken_up_again(wrong, collection, researcher):
    with clock_is(wrong):
        facts = {"collection": collection, "filename": "a.txt", "size": 3, "created_by": researcher}
        upload = Upload.objects.create(kind="run", state=Upload.State.CHECKING, touched=timezone.now(), **facts)
        report = Report.objects.create(kind="runs", collection=collection, spec={}, state="running", active=timezone.now())
    upload_check.sweep()
    assert pipeline.resume_stopped() == 1
    assert [message.arguments for message in Outbox.objects.all()] == [{"upload": str(upload.pk)}, {"report": report.pk}]


@put_back_or_forward
def test_a_slot_is_not_held_for_an_hour_longer(wrong, running, make_worker):
    """Put forward, it is free at once."""
    gone, other = make_worker(running), make_worker(running)
    with clock_is(wrong):
        (slot,) = next_slots(gone)
    next_slots(other)
    sweep_slots()
    limit = timezone.now() + timedelta(minutes=running.lease_minutes)
    assert list(Slot.objects.filter(leased_until__gt=limit)) == []
    slot.refresh_from_db()
    assert slot.worker == gone or wrong == BEHIND
    assert (slot.leased_until > timezone.now()) is (wrong == AHEAD or slot.worker == other)


@put_back_or_forward
def test_a_page_and_a_session_from_before_still_count(wrong, request, running):
    """The browser came, and was given its page, by the wrong clock."""
    address = f"/judge/{running.pk}/"
    with clock_is(wrong):
        joined = request.getfixturevalue("joined")
        page = text(joined.get(address))
    form = {name: hidden(page, name) for name in ("key", "offer")} | {"grade": "1"}
    assert joined.post(address, form).status_code == 302
    assert Judgement.objects.count() == 1


def test_the_hour_that_summer_time_repeats_is_two_hours(researcher):
    site = Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
    with time_machine.travel(datetime(2026, 10, 25, 12, tzinfo=UTC)):
        moments = [f"2026-10-25T02:30:00+0{offset}:00" for offset in (2, 1)]
        receive(site, [click(event_id=moment, timestamp=moment) for moment in moments])
    first, second = Event.objects.order_by("time").values_list("time", flat=True)
    assert second - first == HOUR


def test_who_was_asleep_with_the_machine_is_not_taken_for_dead():
    """Whoever works gives a sign of life every five seconds; what is due waits for the first."""
    with time_machine.travel(datetime(2026, 11, 26, 12, tzinfo=UTC), tick=False) as clock:
        scheduler = Beat(celery_app)
        scheduler.sends(clock, 600)
        clock.shift(10 * HOUR)
        assert scheduler.sends(clock, 7) == {}
        assert scheduler.sends(clock, 3).keys() >= settings.CELERY_BEAT_SCHEDULE.keys()
