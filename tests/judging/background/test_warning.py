"""Researchers and administrators read on every page that background work is stopped; workers have nothing to do with it."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging import tasks
from judging.background import heartbeat, status
from judging.collections import orphans
from judging.logs import retention
from judging.logs.archive import moves
from judging.models import TaskEnd, User
from tests.site.processes import wait_until

pytestmark = pytest.mark.django_db

WORDS = "Background work is stopped: reports and imports wait."


def page(client) -> str:
    return client.get(reverse("home"), follow=True).content.decode()


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_it_is_said_until_a_sweep_runs_and_after_a_minute_without(researcher, admin):
    people = [signed_in(researcher), signed_in(admin)]
    assert all(WORDS in page(person) for person in people)
    tasks.sweep_outbox()
    assert not any(WORDS in page(person) for person in people)
    with time_machine.travel(timezone.now() + status.SILENT + timedelta(seconds=1)):
        people = [signed_in(researcher), signed_in(admin)]
        assert all(WORDS in page(person) for person in people)


def test_workers_do_not_read_it(joined, running):
    wim = signed_in(User.objects.create_user("wim"))
    assert WORDS not in page(wim)
    assert WORDS not in joined.get(reverse("judge", args=[running.pk])).content.decode()
    assert WORDS not in page(Client())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("task", "work"),
    [(tasks.sweep_logs, (retention, "sweep")), (tasks.sweep_archive, (moves, "sweep")), (tasks.sweep_files, (orphans, "sweep"))],
)
def test_a_sweep_that_takes_long_is_a_sign_of_life(task, work, monkeypatch):
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.01)

    def take_long():
        TaskEnd.objects.update(ended=timezone.now() - 2 * status.SILENT)
        assert wait_until(lambda: not status.is_stopped())

    assert status.is_stopped()
    monkeypatch.setattr(*work, take_long)
    task()
    assert not status.is_stopped()


def test_sweeps_write_the_time_at_most_every_ten_seconds(django_assert_num_queries):
    status.note_end("a sweep")
    with django_assert_num_queries(1):
        status.note_end("a sweep")
    later = timezone.now() + status.NOTED_EVERY + timedelta(seconds=1)
    with time_machine.travel(later):
        status.note_end("a sweep")
    assert TaskEnd.objects.get().ended >= later
