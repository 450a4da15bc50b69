"""Starts of tasks are counted, and what never ends well is parked: told to whoever waits for it, and run no more."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from celery import current_app, shared_task
from django.urls import reverse
from django.utils import timezone

from judging.background import executions
from judging.background.executions import MOST_STARTS, Held, NotNow, OutboxTask
from judging.models import Execution, Outbox, ParkedTask, TaskEnd
from tests.servers import free_port

pytestmark = pytest.mark.django_db

calls: list[tuple[str, dict]] = []
done: list[int] = []


@shared_task(
    base=OutboxTask, name="tests.work", give_up=staticmethod(lambda reason, **arguments: calls.append((reason, arguments)))
)
def work(number: int, fails: bool = False) -> None:
    done.append(number)
    if fails:
        raise ZeroDivisionError("by nought")


@shared_task(base=OutboxTask, name="tests.waits")
def waits(number: int) -> None:
    raise NotNow("The mail server is away.")


taken: set[int] = set()


@shared_task(base=OutboxTask, name="tests.held")
def held(number: int) -> None:
    if number in taken:
        raise Held


@pytest.fixture(autouse=True)
def nothing_yet():
    taken.update({1})
    calls.clear()
    done.clear()


def deliver(message: str = "m", **arguments) -> None:
    """As a Celery worker runs it."""
    work.apply(kwargs=arguments, task_id=message)


def die(message: str, **arguments) -> None:
    """As a Celery worker begins it whose process is killed then."""
    work.push_request(id=message)
    try:
        work.begin(arguments)
    finally:
        work.pop_request()


def test_what_ends_well_leaves_nothing_but_the_time():
    deliver(number=1)
    assert done == [1]
    assert not Execution.objects.exists()
    assert TaskEnd.objects.get().task == "tests.work"


def test_a_message_that_kills_every_process_is_parked_at_once():
    for _ in range(MOST_STARTS):
        die("m", number=1)
    deliver(number=1)
    deliver(number=1)  # and whoever sends it again is told again
    assert done == []
    parked = ParkedTask.objects.get()
    assert (parked.task, parked.arguments, parked.starts) == ("tests.work", {"number": 1}, MOST_STARTS)
    assert calls == [(parked.reason, {"number": 1})] * 2
    assert "killed every time" in parked.reason
    assert not Execution.objects.exists()
    deliver(number=2)
    assert done == [2]


def test_other_messages_for_the_same_count_only_once_nothing_is_heard_of_them():
    """A long queue may hold the same request several times, and several workers may begin it together."""
    for message in ("a", "b", "c"):
        die(message, number=1)
    deliver("d", number=1)
    assert done == [1]

    for message in ("a", "a", "a", "b"):
        die(message, number=1)
    Execution.objects.update(active=timezone.now() - executions.SILENT * 2)
    deliver("b", number=1)
    assert done == [1]
    assert ParkedTask.objects.exists()


def test_what_dies_along_with_its_whole_worker_is_hardly_to_blame():
    """The outbox sends it again, by another message: somebody killed Celery, or PostgreSQL, which says nothing of the task."""
    for number in range(MOST_STARTS * executions.SHARED - 1):
        die(f"m{number}", number=1)
    Execution.objects.update(active=timezone.now() - executions.SILENT * 2)
    deliver("then", number=1)
    assert done == [1]
    assert not Execution.objects.exists()

    for number in range(MOST_STARTS * executions.SHARED):
        die(f"m{number}", number=1)
    Execution.objects.update(active=timezone.now() - executions.SILENT * 2)
    deliver("then", number=1)
    assert done == [1]
    assert "begun 9 times and its process was killed every time" in ParkedTask.objects.get().reason


def test_a_worker_that_hands_a_message_back_says_that_only_its_process_died():
    die("m", number=1)
    assert executions.is_alive(Outbox(task="tests.work", arguments={"number": 1}))
    die("m", number=1)
    assert [start.error for start in Execution.objects.all()] == [executions.KILLED, ""]
    Execution.objects.update(active=timezone.now() - executions.SILENT * 2)
    assert not executions.is_alive(Outbox(task="tests.work", arguments={"number": 1}))


def test_what_raises_every_time_is_parked_with_what_it_raised():
    for _ in range(MOST_STARTS + 1):
        deliver(number=1, fails=True)
    assert done == [1] * MOST_STARTS
    assert "begun 3 times without success, the last time: ZeroDivisionError: by nought." in ParkedTask.objects.get().reason


def test_a_success_forgives_what_was_before():
    die("m", number=1)
    die("m", number=1)
    deliver(number=1)
    die("m", number=1)
    deliver(number=1)
    assert done == [1, 1]


def test_what_is_parked_runs_again_for_who_asks_anew_and_for_no_sweep():
    for _ in range(MOST_STARTS + 1):
        deliver(number=1, fails=True)
    Outbox.objects.post("tests.work", number=1, fails=True)
    deliver(number=1, fails=True)
    assert done == [1] * MOST_STARTS
    Outbox.objects.post_anew("tests.work", number=1, fails=True)
    deliver(number=1, fails=True)
    assert done == [1] * (MOST_STARTS + 1)
    assert not ParkedTask.objects.exists()


def test_deaths_of_another_day_do_not_count():
    for _ in range(MOST_STARTS):
        die("m", number=1)
    with time_machine.travel(timezone.now() + executions.REMEMBERED + timedelta(minutes=1)):
        deliver(number=1)
        assert done == [1]
        die("m", number=2)
    with time_machine.travel(timezone.now() + 3 * executions.REMEMBERED):
        executions.forget_old()
        assert not Execution.objects.exists()


def test_what_an_orderly_stop_breaks_off_is_begun_again_and_counts_as_no_death(broker):
    Outbox.objects.post("tests.work", number=1).send()
    for day_part in range(MOST_STARTS + 1):
        die(broker[-1]["task_id"], number=1)
        executions.excuse([broker[-1]["task_id"]])
        assert executions.is_alive(Outbox.objects.get())  # until it is killed
        with later(hours=day_part + 1):
            executions.sweep_outbox()
    assert len(broker) == MOST_STARTS + 2
    deliver(broker[-1]["task_id"], number=1)
    assert done == [1]
    assert not Execution.objects.exists()


def test_what_somebody_else_has_is_kept_until_it_is_done(broker):
    """The other may be dead: how often that happened stays known, and the message stays."""
    Outbox.objects.post("tests.held", number=1).send()
    message = broker[0]["task_id"]
    die("m", number=1)
    Execution.objects.update(digest=executions.digest("tests.held", {"number": 1}))
    for _ in range(2):
        held.apply(kwargs={"number": 1}, task_id=message)
        assert [start.message for start in Execution.objects.all()] == ["m"]
        assert timezone.now() < Outbox.objects.get().due < timezone.now() + 2 * executions.PATIENCE
    taken.clear()
    held.apply(kwargs={"number": 1}, task_id=message)
    assert not Execution.objects.exists()
    assert not Outbox.objects.exists()


def test_a_direct_call_only_runs_it():
    work(1)
    assert done == [1]
    assert not TaskEnd.objects.exists()


def test_an_administrator_sees_what_is_parked_and_has_it_run_again(client, admin):
    for _ in range(MOST_STARTS):
        die("m", number=1)
    deliver(number=1)
    client.force_login(admin)
    address = reverse("admin:judging_parkedtask_changelist")
    assert b"killed every time" in client.get(address).content
    parked = ParkedTask.objects.get()
    client.post(address, {"action": "run_again", "_selected_action": [parked.pk]})
    assert not ParkedTask.objects.exists()
    message = Outbox.objects.get()
    assert (message.task, message.arguments) == ("tests.work", {"number": 1})


def test_only_an_administrator_has_it_run_again(rita):
    assert rita.get(reverse("admin:judging_parkedtask_changelist")).status_code == 302


# What is in the outbox stays there until its task has ended.


@pytest.fixture
def broker(monkeypatch, settings):
    """A broker that takes messages; whoever asks gets those that it was handed."""
    settings.REDIS_URL = "redis://anywhere"
    handed: list[dict] = []
    monkeypatch.setattr(current_app, "send_task", lambda task, **message: handed.append(message))
    return handed


def later(**time):
    return time_machine.travel(timezone.now() + timedelta(**time), tick=False)


def test_a_message_that_was_handed_over_and_forgotten_is_sent_again_ever_more_seldom(broker):
    moments, start = [], timezone.now()
    with time_machine.travel(start, tick=False):
        Outbox.objects.post("tests.work", number=1).send()
    for seconds in range(0, 600, 3):
        with time_machine.travel(start + timedelta(seconds=seconds), tick=False):
            if executions.sweep_outbox():
                moments.append(seconds)
    assert len(broker) == 1 + len(moments)
    assert moments == [9, 27, 60, 126, 255, 513]


def test_sweeps_that_waited_together_send_a_message_once(broker):
    message = Outbox.objects.post("tests.work", number=1)
    copies = [Outbox.objects.get(pk=message.pk) for _ in range(4)]
    assert all(copy.send() for copy in copies)
    assert [sent["task_id"] for sent in broker] == [f"outbox-{message.pk}-1"]


def test_what_no_broker_took_is_sent_by_the_next_sweep(broker, monkeypatch):
    message = Outbox.objects.post("tests.work", number=1)
    with monkeypatch.context() as patched:
        patched.setattr(current_app, "send_task", away)
        assert not message.send()
    with later(seconds=4):
        assert executions.sweep_outbox() == 1
    assert [sent["task_id"] for sent in broker] == [f"outbox-{message.pk}-1"]


def test_nobody_waits_for_a_broker_that_is_away(settings, monkeypatch):
    """Not for Celery's own tries, between which it sleeps for two and for four seconds."""
    slept = []
    monkeypatch.setattr("kombu.utils.functional.sleep", slept.append)
    settings.REDIS_URL = "redis://anywhere"
    address = f"redis://127.0.0.1:{free_port()}/0"
    with current_app.connection_for_write(url=address) as connection:
        monkeypatch.setattr(current_app, "send_task", partial(current_app.send_task, connection=connection))
        assert not Outbox.objects.post("tests.work", number=1).send()
    assert not slept


def away(*_, **__):
    raise ConnectionRefusedError("nobody listens")


def test_a_task_that_ended_is_sent_no_more_and_a_message_too_many_does_nothing(broker):
    message = Outbox.objects.post("tests.work", number=1)
    message.send()
    message.refresh_from_db()
    message.send()
    for sent in broker:
        deliver(sent["task_id"], **sent["kwargs"])
    assert done == [1]
    assert not Outbox.objects.exists()


def test_a_task_whose_process_was_killed_is_sent_again_once_nothing_is_heard_of_it(broker):
    Outbox.objects.post("tests.work", number=1).send()
    die(broker[0]["task_id"], number=1)
    Execution.objects.update(active=timezone.now() + timedelta(seconds=20))
    with later(seconds=40):
        assert executions.sweep_outbox() == 0
    with later(seconds=80):
        assert executions.sweep_outbox() == 1
        deliver(broker[1]["task_id"], number=1)
    assert done == [1]
    assert not Outbox.objects.exists()


def test_a_task_that_raises_is_tried_three_times_and_then_parked_and_sent_no_more(broker):
    Outbox.objects.post("tests.work", number=1, fails=True).send()
    for minutes in range(60):
        with later(minutes=minutes):
            executions.sweep_outbox()
            while broker:
                sent = broker.pop(0)
                deliver(sent["task_id"], **sent["kwargs"])
    assert done == [1] * MOST_STARTS
    assert ParkedTask.objects.exists()
    assert not Outbox.objects.exists()


def test_what_cannot_be_done_now_is_tried_ever_more_seldom_and_parked_after_a_day(broker):
    Outbox.objects.post("tests.waits", number=1).send()
    tries = []
    for minute in range(0, 26 * 60, 2):
        with later(minutes=minute):
            executions.sweep_outbox()
            while broker:
                sent = broker.pop(0)
                waits.apply(kwargs=sent["kwargs"], task_id=sent["task_id"])
                tries.append(minute)
    assert tries[:6] == [0, 2, 6, 12, 22, 40]
    assert 75 < len(tries) < 95
    assert "The mail server is away" in ParkedTask.objects.get().reason
    assert not Outbox.objects.exists()


def test_what_nobody_could_send_for_days_is_tried_as_often_as_anything(broker):
    """The queue stood still over a weekend, and the mail server refuses whoever is new for some minutes."""
    Outbox.objects.post("tests.waits", number=1)
    for minute in range(3 * 24 * 60, 3 * 24 * 60 + 30, 2):
        with later(minutes=minute):
            executions.sweep_outbox()
            while broker:
                sent = broker.pop(0)
                waits.apply(kwargs=sent["kwargs"], task_id=sent["task_id"])
    assert Outbox.objects.get().sent >= 4
    assert not ParkedTask.objects.exists()


def test_a_clock_that_is_put_back_holds_no_message_up(broker):
    with later(hours=1):
        Outbox.objects.post("tests.work", number=1).send()
    assert executions.sweep_outbox() == 1
