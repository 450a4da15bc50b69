"""The condition of an installation, for its administrators: what works, what waits, what failed, and what to do about it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection
from django.db.models import Count, QuerySet
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import RedisError, ResponseError

from ireval_site import disk_use
from judging.background import status
from judging.backups import nightly
from judging.collections import stamps
from judging.models import Execution, Outbox, ParkedTask, Quarantined
from metrics.models import Report, ReportQuerySet

# A message is sent with the commit, or by the next sweep three seconds later.
LONG_WAIT = timedelta(minutes=1)
LONG_REPORT = timedelta(minutes=10)
RECENTLY = timedelta(days=7)
LITTLE_SPACE = 2 * 2**30
OLD_BACKUP = timedelta(hours=30)
ANSWER_SECONDS = 0.5
NO_ANSWER = "no answer"
MOST_SITES = 3  # those that refuse most


@dataclass(frozen=True)
class Finding:
    """One part of the installation: whether it is well, what there is to say, and what helps where it is not.

    What is well may still have something for somebody to `look` at: `links` are names and addresses of where.
    """

    part: str
    well: bool
    says: str
    remedy: str = ""
    reason: str = ""  # why it is not well, in as much as strangers and programs may know: no names, no numbers of anybody
    look: bool = False
    links: Sequence[tuple[str, str]] = ()


def findings() -> Iterator[Finding]:
    yield database()
    yield background_work()
    redis = broker()
    yield redis
    if settings.REDIS_URL and redis.well:
        yield celery_workers()
    yield sweeps()
    yield failing_sweeps()
    yield messages()
    yield failed_tasks()
    yield reports()
    yield refused_records()
    yield disk()
    yield stored_files()
    yield nightly_backups()


def database() -> Finding:
    """What it is, and how large: whoever reads this has reached it."""
    version = ".".join(map(str, connection.get_database_version()[: 3 if connection.vendor == "sqlite" else 1]))
    return Finding(_("Database"), True, f"{connection.display_name} {version}, {filesizeformat(disk_use.database_bytes())}")


def background_work() -> Finding:
    running = status.under_way()
    says = _("Nothing is being computed.")
    if running:
        tasks = ngettext("%(n)s task under way: %(tasks)s", "%(n)s tasks under way: %(tasks)s", len(running))
        says = tasks % {"n": intcomma(len(running)), "tasks": ", ".join(map(str, running))}
    if status.is_stopped():
        last = status.last_sign()
        says = _("No sign of life for %(time)s.") % {"time": timesince(last)} if last else _("It has never run.")
        reason = f"no sign of life for {status.SILENT.seconds} seconds"
        return Finding(_("Background work"), False, says, start_celery(), reason)
    return Finding(_("Background work"), True, says)


def start_celery() -> str:
    return _("Start Celery’s workers and its beat: nothing is imported or computed without them.")


def broker() -> Finding:
    if not settings.REDIS_URL:
        return Finding("Redis", True, _("None is named here: messages wait until a process that has one sends them."))
    try:
        with current_app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=ANSWER_SECONDS)
            version = broker_version(link)
    except (OperationalError, RedisError, OSError) as error:
        says = _("It does not answer: %(error)s") % {"error": error}
        return Finding("Redis", False, says, _("Start it again: messages wait in the database meanwhile."), NO_ANSWER)
    return Finding("Redis", True, _("%(version)s answers.") % {"version": version} if version else _("It answers."))


def broker_version(link: Connection) -> str:
    """What the broker calls itself, such as Valkey 9.1.0; nothing where it is another kind, or keeps that to itself."""
    client = getattr(link.default_channel, "client", None)
    try:
        facts = client.info("server") if client else {}
    except ResponseError:
        return ""
    if "valkey_version" in facts:
        return f"Valkey {facts['valkey_version']}"
    return f"Redis {facts['redis_version']}" if "redis_version" in facts else ""


def celery_workers() -> Finding:
    """How many answer within half a second. This takes half a second; a busy one answers later, so look at their tasks, too."""
    with current_app.connection_for_write() as link:
        answers = len(current_app.control.ping(timeout=ANSWER_SECONDS, connection=link))
    if answers:
        says = _("Answered within half a second: %(n)s. One that is busy answers later.") % {"n": intcomma(answers)}
    elif status.is_stopped():
        return Finding(_("Celery workers"), False, _("None answers, and none is at work."), start_celery(), NO_ANSWER)
    else:
        says = _("None answered within half a second, but tasks are being done.")
    if waiting := queued():
        says += " " + ngettext("%(n)s task waits for one.", "%(n)s tasks wait for one.", waiting) % {"n": intcomma(waiting)}
    return Finding(_("Celery workers"), True, says)


def sweeps() -> Finding:
    """Whether what the clock calls for is done. While long tasks keep all Celery processes busy, it waits in the queue."""
    last = status.last_sweep()
    says = _("The last one ended %(time)s ago.") % {"time": timesince(last)} if last else _("None has ended yet.")
    if not status.is_unswept():
        return Finding(_("Sweeps"), True, says)
    if not status.is_stopped() and queued():
        busy = _("All Celery workers are busy, and what the clock calls for waits: more of them would help.")
        return Finding(_("Sweeps"), True, f"{says} {busy}", look=True)
    remedy = _("Start Celery’s beat: without it nothing lost is sent again, nothing old is deleted, and no backup is made.")
    return Finding(_("Sweeps"), False, says, remedy, f"none for {status.UNSWEPT.seconds // 60} minutes")


def failing_sweeps() -> Finding:
    """What is done by the clock and fails: nobody waits for it, so nobody else would miss it."""
    work = {
        "judging.tasks.sweep_logs": _("deleting records that are too old"),
        "judging.tasks.sweep_archive": _("moving records into the archive"),
        "judging.tasks.sweep_files": _("clearing away files that nothing names"),
        nightly.SWEEP: _("making the backup of the night"),
        "metrics.tasks.renew_reports": _("asking again for reports whose evidence has changed"),
    }
    failed = [f"{work.get(sweep.task, sweep.task)}: {sweep.failure.rstrip('.')}" for sweep in status.failing()]
    says = _("What failed: %(reasons)s.") % {"reasons": "; ".join(failed)} if failed else _("All went well the last time.")
    remedy = _("It is tried again within the hour, reports the next night. The log of the Celery workers says more.")
    return Finding(_("Work by the clock"), not failed, says, remedy)


def queued() -> int:
    """How many tasks the broker has and no Celery worker has begun; 0 where it does not answer."""
    if not settings.REDIS_URL:
        return 0
    try:
        with current_app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, interval_start=0, timeout=ANSWER_SECONDS)
            return link.default_channel.queue_declare(current_app.conf.task_default_queue).message_count
    except (OperationalError, RedisError, OSError):
        return 0


def messages() -> Finding:
    waiting = unsent()
    oldest = waiting.values_list("created", flat=True).first()
    if oldest is None:
        return Finding(_("Tasks to send"), True, _("None waits to be sent."))
    count = waiting.count()
    says = ngettext("%(n)s task to send, the oldest for %(time)s.", "%(n)s tasks to send, the oldest for %(time)s.", count)
    says %= {"n": intcomma(count), "time": timesince(oldest)}
    remedy, reason = _("Redis, or background work, is away: see above."), f"waiting for more than {LONG_WAIT.seconds} seconds"
    return Finding(_("Tasks to send"), oldest > timezone.now() - LONG_WAIT, says, remedy, reason)


def unsent() -> QuerySet[Outbox]:
    """The messages that the broker has not been given, the oldest first."""
    return Outbox.objects.filter(sent=0).order_by("created")


def failed_tasks() -> Finding:
    parked, again = ParkedTask.objects.count(), Execution.objects.exclude(error="").count()
    says = _("None is given up.")
    if parked:
        says = ngettext("%(n)s task given up after three attempts.", "%(n)s tasks given up after three attempts.", parked)
        says %= {"n": intcomma(parked)}
    if again:
        failed = ngettext(
            "%(n)s attempt failed since yesterday and may be repeated.",
            "%(n)s attempts failed since yesterday and may be repeated.",
            again,
        )
        says = f"{says} {failed % {'n': intcomma(again)}}"
    remedy, reason = _("They are listed below, with the reason."), "given up"
    return Finding(_("Failed tasks"), not parked, says, remedy, reason, look=again > 0)


def reports() -> Finding:
    slow, unfinished = slow_reports().count(), Report.objects.unfinished().count()
    failed = Report.objects.filter(state=Report.State.FAILED, finished__gt=timezone.now() - RECENTLY).count()
    says = _("Being computed: %(n)s. Failed within a week: %(failed)s.") % {"n": intcomma(unfinished), "failed": intcomma(failed)}
    long = ngettext(
        "%(n)s report for more than %(minutes)s minutes, listed below.",
        "%(n)s reports for more than %(minutes)s minutes, listed below.",
        slow,
    )
    minutes = f"{LONG_REPORT.total_seconds() / 60:g}"
    links = [(_("Reports that failed"), f"{reverse('reports')}?state={Report.State.FAILED}")] if failed else []
    return Finding(_("Reports"), not slow, says, long % {"n": intcomma(slow), "minutes": minutes}, look=failed > 0, links=links)


def slow_reports() -> ReportQuerySet:
    """Those that were asked for long ago and have no answer yet."""
    slow = Report.objects.unfinished().filter(created__lt=timezone.now() - LONG_REPORT)
    return slow.with_subject().with_progress().order_by("created")


def refused_records() -> Finding:
    """Records that sites sent and that could not be understood, of the last days."""
    recent = Quarantined.objects.filter(received__gt=timezone.now() - RECENTLY, replayed=None)
    by_site = list(recent.values_list("site", "site__name").annotate(n=Count("pk")).order_by("-n")[:MOST_SITES])
    refused = ", ".join(f"{name} {intcomma(n)}" for _site, name, n in by_site) or _("none")
    says, quarantine = _("Within a week: %(refused)s.") % {"refused": refused}, _("Quarantine of %(site_name)s")
    links = [(quarantine % {"site_name": name}, reverse("site_quarantine", args=[site])) for site, name, _n in by_site]
    return Finding(_("Refused records"), True, says, look=bool(by_site), links=links)


def disk() -> Finding:
    free = shutil.disk_usage(disk_use.folder()).free
    says = _("%(size)s free where the files are.") % {"size": filesizeformat(free)}
    remedy = _("Below %(size)s: make room, or uploads and judgements fail.") % {"size": filesizeformat(LITTLE_SPACE)}
    return Finding(_("Disk"), free > LITTLE_SPACE, says, remedy, f"less than {LITTLE_SPACE // 2**30} GB free")


def stored_files() -> Finding:
    problem = stamps.problem()
    return Finding(_("Stored files"), not problem, problem or _("They belong to this database."))


def nightly_backups() -> Finding:
    made = nightly.last_made()
    if not settings.BACKUP_TO:
        return Finding(_("Backups"), True, _("None is made by itself: IREVAL_BACKUP_TO names a folder for them."))
    says = _("The last one was made %(time)s ago.") % {"time": timesince(made)} if made else _("None was made yet.")
    well = made is not None and made > timezone.now() - OLD_BACKUP
    remedy = _("One is made every night. Where that fails, “Work by the clock” or “Failed tasks” says why.")
    return Finding(_("Backups"), well, says, remedy)


# What the installation needs for its work, by the server that is asked.
NEEDED: dict[str, dict[str, Callable[[], Finding]]] = {
    "database": {"database": database, "background": background_work, "messages": messages},
    "sweeps": {"sweeps": sweeps},  # which may ask the broker, too
    "broker": {"broker": broker},
    "disk": {"disk": disk},
}
