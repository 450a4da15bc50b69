"""An administrator has parked work run again: what it was to make is waited for again, and made."""

import pytest
from django.utils import timezone

from judging import tasks
from judging.background import executions
from judging.models import NearDuplicates, Outbox, OwnRun, ParkedTask
from judging.models.execution import digest

pytestmark = pytest.mark.django_db


def parked(task, **arguments):
    """The task as it was parked; whoever waits for it was told."""
    now = timezone.now()
    row = ParkedTask.objects.create(
        task=task.name,
        arguments=arguments,
        digest=digest(task.name, arguments),
        starts=3,
        first_start=now,
        last_start=now,
        reason="x",
    )
    task.give_up("it was killed three times", **arguments)
    return row


def run_again(row, by):
    Outbox.objects.all().delete()
    executions.run_again(row, by=by)
    message = Outbox.objects.get()
    return message.task, message.arguments


def test_near_duplicates(collection, researcher, admin):
    search = NearDuplicates.objects.create(collection=collection, threshold=0.9, words=3, created_by=researcher)
    row = parked(tasks.find_near_duplicates, search=search.pk)
    search.refresh_from_db()
    assert (search.state, bool(search.error)) == (NearDuplicates.State.FAILED, True)
    assert run_again(row, admin) == ("judging.tasks.find_near_duplicates", {"search": search.pk})
    tasks.find_near_duplicates(search=search.pk)
    search.refresh_from_db()
    assert (search.state, bool(search.error)) == (NearDuplicates.State.DONE, False)


def test_near_duplicates_that_somebody_has_asked_for_again_meanwhile(collection, researcher, admin):
    search = NearDuplicates.objects.create(collection=collection, threshold=0.9, words=3, created_by=researcher)
    row = parked(tasks.find_near_duplicates, search=search.pk)
    NearDuplicates.objects.create(collection=collection, threshold=0.9, words=3, created_by=researcher)
    run_again(row, admin)
    search.refresh_from_db()
    assert search.state == NearDuplicates.State.FAILED


def test_a_run_of_our_own(collection, researcher, admin):
    own = OwnRun.objects.create(collection=collection, ranker="bm25-words", created_by=researcher)
    row = parked(tasks.make_own_run, own=own.pk)
    assert run_again(row, admin) == ("judging.tasks.make_own_run", {"own": own.pk})
    tasks.make_own_run(own=own.pk)
    own.refresh_from_db()
    assert (own.state, bool(own.error)) == (OwnRun.State.DONE, False)
