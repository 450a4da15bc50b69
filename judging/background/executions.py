"""Counts how often a task was begun, and parks it when it never ends well.

The broker delivers a message again when its process was killed. A task that kills it each time would come for ever, and take the
tasks beside it along.
"""

import contextlib
import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery import Task, current_app, shared_task
from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ireval.translatable import Phrase
from judging.background.heartbeat import beating, silent
from judging.background.status import note_end
from judging.models import Execution, Outbox, ParkedTask, User
from judging.models.execution import digest, forgive
from judging.models.outbox import MESSAGE, MOST_DOUBLINGS, PATIENCE, OutboxQuerySet

log = logging.getLogger(__name__)

MOST_STARTS = 3
# A task is hardly to blame where its whole worker died, or the database went away: so many such ends count as one.
SHARED = 3
KILLED = "killed"  # the note on a start whose process died, while the worker that it belonged to lived on
# Without a sign of life for so long, whoever ran a task is dead.
SILENT = timedelta(seconds=30)
# Older starts count no more: within a day, three deaths are hardly chance.
REMEMBERED = timedelta(days=1)
LEAST_TRIES = 10  # of what cannot be done now: they take an hour

Arguments = dict[str, Any]


class NotNow(Exception):
    """Something is away or full that will be back: the task is tried for a day, ever more seldom, before it counts as failed."""


class Held(Exception):
    """Somebody else is at it, who may be dead: the message is kept until it has been done."""


class OutboxTask(Task):
    """A task that comes through the outbox, by keyword arguments. A direct call only runs it."""

    give_up: Callable[..., None] | None = None  # told the reason and the arguments when the task is parked
    again: Callable[..., None] | None = None  # told the arguments before the parked task is run again: undoes what give_up did

    def __call__(self, *positional: Any, **arguments: Any) -> Any:
        if self.request.called_directly:
            return super().__call__(*positional, **arguments)
        execution = self.begin(arguments)
        if execution is None:
            return None
        mine = Execution.objects.filter(pk=execution.pk)
        try:
            with beating(mine, "active"):
                result = self.run(**arguments)
        except Held:
            execution.delete()
            self.posted(arguments).update(due=timezone.now() + PATIENCE)
            return None
        except NotNow as reason:
            if not self.put_off(execution):
                mine.update(error=str(reason)[:1000])
                raise
            return None
        except Exception as error:
            with contextlib.suppress(DatabaseError):  # without the note it counts as killed
                mine.update(error=f"{type(error).__name__}: {error}"[:1000])
            raise
        self.end(execution)
        return result

    @transaction.atomic
    def begin(self, arguments: Arguments) -> Execution | None:
        """Note the start; None for what has ended already, or is parked, after whoever waits for it was told."""
        key, message = digest(self.name, arguments), self.request.id
        # A worker whose process died on it hands the message back, which comes again at once. Otherwise the outbox sends another.
        Execution.objects.filter(digest=key, message=message, error="").update(error=KILLED)
        if message.startswith(MESSAGE) and not self.posted(arguments).exists():
            return None  # it was sent twice
        parked = ParkedTask.objects.filter(digest=key).first() or park_if_hopeless(failures(key))
        if parked is None:
            return Execution.objects.create(task=self.name, arguments=arguments, digest=key, message=message)
        self.posted(arguments).delete()
        if self.give_up:
            self.give_up(parked.reason, **arguments)
        return None

    @transaction.atomic
    def end(self, execution: Execution) -> None:
        Execution.objects.filter(digest=execution.digest).delete()
        self.posted(execution.arguments).delete()
        note_end(self.name)

    @transaction.atomic
    def put_off(self, execution: Execution) -> bool:
        """Leave it to a later start, as if this one had not been. False where it has been put off for a day, or nothing calls.

        A message that waited for a day without being sent, for whatever reason, is tried as often as any other.
        """
        message = self.posted(execution.arguments).first()
        if message is None or (message.created < timezone.now() - REMEMBERED and message.sent >= LEAST_TRIES):
            return False
        execution.delete()
        message.wait(PATIENCE * 2 ** min(message.sent + 2, MOST_DOUBLINGS))  # a minute first, then up to 17
        return True

    def posted(self, arguments: Arguments) -> OutboxQuerySet:
        """The row in the outbox that called for this run."""
        return Outbox.objects.called_by(self.request.id, self.name, arguments)


# How tasks are made that the outbox sends; and those that the clock calls for, which need not be delivered again.
from_outbox = partial(shared_task, base=OutboxTask)
periodic = shared_task(acks_late=False)


def failures(key: str) -> QuerySet[Execution]:
    """The task's starts that ended badly."""
    over = ~Q(error="") | silent("active", SILENT)
    return Execution.objects.filter(over, digest=key, started__gt=timezone.now() - REMEMBERED)


def park_if_hopeless(failed: QuerySet[Execution]) -> ParkedTask | None:
    starts = list(failed)
    blame = sum(SHARED if start.error else 1 for start in starts)
    if blame < SHARED * MOST_STARTS:
        return None
    first, last = starts[0], starts[-1]
    reason = reason_of(len(starts), "" if last.error == KILLED else last.error.rstrip("."))
    failed.delete()
    return park(last.task, last.arguments, starts=len(starts), between=(first.started, last.started), reason=reason)


def reason_of(starts: int, error: str) -> Phrase:
    if error:
        return Phrase(
            "It was begun %(n)s times without success, the last time: %(error)s. The server’s log says more.",
            n=starts,
            error=error,
        )
    return Phrase(
        "It was begun %(n)s times and its process was killed every time: it may need more memory than there is. The "
        "server’s log says more.",
        n=starts,
    )


def park(task: str, arguments: Arguments, *, starts: int, between: tuple[datetime, datetime], reason: str) -> ParkedTask:
    """Keep a task from being run again, where an administrator sees it."""
    first, last = between
    facts = {"starts": starts, "first_start": first, "last_start": last, "reason": reason}
    parked, new = ParkedTask.objects.get_or_create(
        digest=digest(task, arguments), defaults={"task": task, "arguments": arguments, **facts}
    )
    if new:
        log.error("%s is parked. %s", parked, reason)
    return parked


def sweep_outbox(*, most: int = 500) -> int:
    """Send what was written and never sent, or of whose task nothing is heard any more. Returns how many."""
    sent = 0
    for message in Outbox.objects.due()[:most]:
        if is_alive(message):
            message.wait(PATIENCE)
        elif message.send():
            sent += 1
        else:
            break
    return sent


def is_alive(message: Outbox) -> bool:
    """Whether somebody runs its task."""
    starts = Execution.objects.filter(digest=digest(message.task, message.arguments), error="")
    return starts.exclude(silent("active", SILENT)).exists()


@transaction.atomic
def run_again(parked: ParkedTask, *, by: User) -> None:
    """Send a parked task once more, with all its starts before it. What was told to whoever waits for it is taken back."""
    log.warning("%s is run again by %s", parked, by)
    forgive(parked.digest)
    current_app.loader.import_default_modules()  # a web process knows no task yet
    if again := getattr(current_app.tasks.get(parked.task), "again", None):
        again(**parked.arguments)
    Outbox.objects.post(parked.task, **parked.arguments)


@transaction.atomic
def drop(parked: ParkedTask, *, by: User) -> None:
    """Give a parked task up; whoever asks for it next has it run as if it had never failed."""
    log.warning("%s is given up by %s", parked, by)
    forgive(parked.digest)


def excuse(messages: Iterable[str]) -> None:
    """Count these starts no more: their processes are being stopped in order, and may be killed before the tasks have ended."""
    Execution.objects.filter(message__in=messages).update(started=timezone.now() - REMEMBERED)


def forget_old() -> None:
    """Forget the starts that count no more."""
    Execution.objects.filter(active__lt=timezone.now() - REMEMBERED).delete()
