"""The condition of an installation, for its administrators: what works, what waits, what failed, and what to do about it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection
from django.db.models import Count
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.timesince import timesince
from kombu.exceptions import OperationalError

from ireval_site import disk_use
from judging.background import status
from judging.collections import stamps
from judging.models import Execution, Outbox, ParkedTask, Quarantined
from metrics.models import Report, ReportQuerySet

# A message is sent with the commit, or by the next sweep three seconds later.
LONG_WAIT = timedelta(minutes=1)
LONG_REPORT = timedelta(minutes=10)
RECENTLY = timedelta(days=7)
LITTLE_SPACE = 2 * 2**30
ANSWER_SECONDS = 0.5


@dataclass(frozen=True)
class Finding:
    """One part of the installation: whether it is well, what there is to say, and what helps where it is not."""

    part: str
    well: bool
    says: str
    remedy: str = ""


def findings() -> Iterator[Finding]:
    yield database()
    yield background_work()
    yield broker()
    yield messages()
    yield failed_tasks()
    yield reports()
    yield refused_records()
    yield disk()
    yield stored_files()


def database() -> Finding:
    """What it is, and how large: whoever reads this has reached it."""
    version = ".".join(map(str, connection.get_database_version()[: 3 if connection.vendor == "sqlite" else 1]))
    return Finding("Database", True, f"{connection.display_name} {version}, {filesizeformat(disk_use.database_bytes())}")


def background_work() -> Finding:
    running = status.under_way()
    says = (
        "Nothing is being computed."
        if not running
        else f"{number(len(running), 'task')} under way: {', '.join(map(str, running))}"
    )
    if status.is_stopped():
        last = status.last_sign()
        says = f"No sign of life for {timesince(last)}." if last else "It has never run."
        return Finding(
            "Background work", False, says, "Start Celery’s workers and its beat: nothing is imported or computed without them."
        )
    return Finding("Background work", True, says)


def broker() -> Finding:
    """Whether Redis answers, and how many Celery workers do within half a second. One that is busy answers later."""
    if not settings.REDIS_URL:
        return Finding("Redis", True, "None is named here: messages wait until a process that has one sends them.")
    try:
        with current_app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=ANSWER_SECONDS)
            answers = current_app.control.ping(timeout=ANSWER_SECONDS, connection=link)
    except (OperationalError, OSError) as error:
        return Finding("Redis", False, f"It does not answer: {error}", "Start it again: messages wait in the database meanwhile.")
    return Finding("Redis", True, f"It answers. Celery workers that do: {len(answers)}.")


def messages() -> Finding:
    waiting = Outbox.objects.order_by("created")
    oldest = waiting.values_list("created", flat=True).first()
    if oldest is None:
        return Finding("Messages", True, "None waits to be sent.")
    says = f"{number(waiting.count(), 'message')} to send, the oldest for {timesince(oldest)}."
    return Finding("Messages", oldest > timezone.now() - LONG_WAIT, says, "Redis, or background work, is away: see above.")


def failed_tasks() -> Finding:
    parked, again = ParkedTask.objects.count(), Execution.objects.exclude(error="").count()
    says = f"{number(parked, 'task')} given up after three attempts." if parked else "None is given up."
    if again:
        says += f" {number(again, 'attempt')} failed since yesterday and may be repeated."
    return Finding("Failed tasks", not parked, says, "They are listed below, with the reason.")


def reports() -> Finding:
    slow, unfinished = slow_reports().count(), Report.objects.unfinished().count()
    failed = Report.objects.filter(state=Report.State.FAILED, finished__gt=timezone.now() - RECENTLY).count()
    says = f"Being computed: {intcomma(unfinished)}. Failed within a week: {intcomma(failed)}."
    return Finding("Reports", not slow, says, f"{number(slow, 'report')} for more than {minutes(LONG_REPORT)}, listed below.")


def slow_reports() -> ReportQuerySet:
    """Those that were asked for long ago and have no answer yet."""
    slow = Report.objects.unfinished().filter(created__lt=timezone.now() - LONG_REPORT)
    return slow.with_subject().with_progress().order_by("created")


def refused_records() -> Finding:
    """Records that sites sent and that could not be understood, of the last days."""
    recent = Quarantined.objects.filter(received__gt=timezone.now() - RECENTLY, replayed=None)
    by_site = recent.values_list("site__name").annotate(n=Count("pk")).order_by("-n")[:3]
    says = ", ".join(f"{name} {intcomma(n)}" for name, n in by_site) or "none"
    return Finding("Refused records", True, f"Within a week: {says}.")


def disk() -> Finding:
    free = shutil.disk_usage(disk_use.folder()).free
    says = f"{filesizeformat(free)} free where the files are."
    return Finding(
        "Disk", free > LITTLE_SPACE, says, f"Below {filesizeformat(LITTLE_SPACE)}: make room, or uploads and judgements fail."
    )


def stored_files() -> Finding:
    problem = stamps.problem()
    return Finding("Stored files", not problem, problem or "They belong to this database.")


def number(n: int, noun: str) -> str:
    """
    >>> number(1, "task"), number(2000, "task"), number(0, "task")
    ('1 task', '2,000 tasks', 'no tasks')
    """
    return f"{intcomma(n) if n else 'no'} {noun}{'' if n == 1 else 's'}"


def minutes(span: timedelta) -> str:
    return f"{span.total_seconds() / 60:g} minutes"
