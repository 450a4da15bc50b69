"""The check of a received file by a Celery worker. It may be started twice or be killed; the file is imported once or not at all.

Who takes an upload from WAITING to CHECKING works on it, and its `attempts` is theirs. Only who still holds the same number at
the end may publish, in the transaction that inserts. A heartbeat tells the sweep that somebody works.

Files of one collection take turns: documents and topics come first, since runs and qrels are compared with them.
"""

import logging
import time
from dataclasses import asdict
from datetime import timedelta
from functools import partial

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ireval.io.files import BadFile, Problem, ignored_input
from ireval.translatable import Phrase
from judging.background.executions import Held, NotNow
from judging.background.heartbeat import beating, silent
from judging.collections import stamps, upload_chunks
from judging.collections.imports import CHECKS
from judging.collections.storage import MissingFile, all_or_nothing
from judging.faults import fault_of
from judging.models import Outbox, ParkedTask, Upload

log = logging.getLogger(__name__)

SILENT = timedelta(seconds=30)
# Longer than CHECKING may be silent: the Celery workers may be busy with what came before.
UNCLAIMED = timedelta(minutes=5)
ABANDONED = timedelta(days=1)
CHECK = "judging.tasks.check_upload"


class Superseded(Exception):
    """Another worker has the upload now, or nobody wants it any more."""


class Attempt:
    """One worker's hold on an upload."""

    def __init__(self, upload: Upload):
        self.upload = upload
        self.mine = Upload.objects.filter(pk=upload.pk, state=Upload.State.CHECKING, attempts=upload.attempts)
        self.written = time.monotonic()

    def progress(self, lines: int) -> None:
        """Show how far it is, at most once a second. Raises Superseded when it is not ours any more."""
        if time.monotonic() - self.written >= 1:
            self.written = time.monotonic()
            if not self.mine.update(lines_read=lines, touched=timezone.now()):
                raise Superseded

    def settle(self, state: Upload.State, **fields) -> None:
        if not self.mine.update(state=state, finished=timezone.now(), touched=timezone.now(), **fields):
            raise Superseded
        # What is confirmed before that still finds this one checking, and waits.
        transaction.on_commit(partial(call_next, self.upload))

    def fail(self, problems: list[Problem]) -> None:
        self.settle(Upload.State.FAILED, problems=[asdict(problem) for problem in problems])

    def put_back(self) -> None:
        """Leave it to a later attempt, as if this one had not begun."""
        self.mine.update(state=Upload.State.WAITING, attempts=F("attempts") - 1, lines_read=0, touched=timezone.now())


def begin(pk: str) -> Attempt | None:
    """Take a waiting upload; None where there is nothing to do (any more). Raises Held while somebody else has it."""
    with transaction.atomic():
        upload = unlocked_uploads().filter(pk=pk, state=Upload.State.WAITING).first()
        if upload is None:
            if Upload.objects.filter(pk=pk, state__in=[Upload.State.WAITING, Upload.State.CHECKING]).exists():
                raise Held
            return None
        if turn_of(upload) > min(map(turn_of, on_their_way(upload.collection_id))):
            return None  # whoever comes first calls it
        upload.state = Upload.State.CHECKING
        upload.attempts += 1
        upload.lines_read = 0
        upload.touched = timezone.now()
        upload.save(update_fields=["state", "attempts", "lines_read", "touched"])
    return Attempt(upload)


def turn_of(upload: Upload) -> int:
    """Runs and qrels come after documents and topics, and before documents of which only those are wanted that they mention."""
    if upload.options.get("only_mentioned"):
        return 2
    return 0 if upload.kind in (Upload.Kind.DOCUMENTS, Upload.Kind.TOPICS) else 1


def on_their_way(collection: int) -> QuerySet[Upload]:
    return Upload.objects.filter(collection=collection, state__in=[Upload.State.WAITING, Upload.State.CHECKING])


def call_next(ended: Upload) -> None:
    """Send those again that have waited for this one to end, if it was the last of its turn."""
    waiting = sorted(on_their_way(ended.collection_id), key=turn_of)
    if waiting and turn_of(ended) < turn_of(waiting[0]):
        for upload in waiting:
            if turn_of(upload) == turn_of(waiting[0]):
                Outbox.objects.post(CHECK, upload=str(upload.pk))


def unlocked_uploads() -> QuerySet[Upload]:
    """Uploads that no other transaction is busy with. On SQLite there is no other."""
    skip = connection.features.has_select_for_update_skip_locked
    return Upload.objects.select_for_update(skip_locked=skip, of=("self",)).select_related("collection", "created_by")


def check(pk: str) -> None:
    """Read the file of an upload and import it, or say what is wrong with it."""
    attempt = begin(pk)
    if attempt is None:
        return
    try:
        try:
            work(attempt)
        except BadFile as bad:
            attempt.fail(bad.problems)
        except MissingFile as gone:  # of a run or of qrels that the file is held against
            log.warning("Upload %s failed: %s", pk, gone)
            attempt.fail([Problem(attempt.upload.filename, 0, gone.why)])
        except Exception as error:
            if not (fault := fault_of(error)):
                raise
            log.warning("Upload %s waits until this has passed: %s", pk, fault)
            attempt.put_back()
            raise NotNow(str(fault)) from error
    except Superseded:
        return
    upload_chunks.discard(pk)


def work(attempt: Attempt) -> None:
    upload = attempt.upload
    options = dict(upload.options)
    if upload.kind in (Upload.Kind.QRELS, Upload.Kind.RUN, Upload.Kind.RESULTS):
        options["name"] = upload.name
    with upload_chunks.put_together(upload) as path:
        with beating(attempt.mine, "touched"), ignored_input() as remarks:
            insert = CHECKS[upload.kind](
                upload.collection,
                path,
                by=upload.created_by,
                filename=upload.filename,
                format=upload.format,
                progress=attempt.progress,
                **options,
            )
        with all_or_nothing():
            attempt.settle(Upload.State.DONE)  # first: whoever comes second waits here, and then sees that it is done
            summary = insert().as_summary()
            summary["notes"] += [Phrase("%(remark)s.", remark=remark) for remark in remarks]
            Upload.objects.filter(pk=upload.pk).update(summary=summary)


def sweep() -> None:
    """Send again what nobody works on, forget what was abandoned."""
    requeue_silent()
    forget_abandoned()


def requeue_silent() -> None:
    now = timezone.now()
    given_up = Q(silent("touched", SILENT), state=Upload.State.CHECKING)
    unclaimed = Q(silent("touched", UNCLAIMED), state=Upload.State.WAITING)
    with transaction.atomic():
        for upload in unlocked_uploads().filter(given_up | unclaimed):
            upload.state, upload.touched = Upload.State.WAITING, now
            upload.save(update_fields=["state", "touched"])
            arguments = {"upload": str(upload.pk)}
            if not Outbox.objects.filter(task=CHECK, arguments__upload=arguments["upload"]).update(due=now):
                Outbox.objects.post(CHECK, **arguments)


def give_up(reason: str, *, upload: str) -> None:
    """Say of an upload that it is not read any more, and why. Its pieces stay as long as an admin may have it read again."""
    stopped = Upload.objects.filter(pk=upload, state__in=[Upload.State.WAITING, Upload.State.CHECKING]).first()
    if stopped:
        stopped.state, stopped.finished = Upload.State.FAILED, timezone.now()
        stopped.problems = [asdict(Problem(stopped.filename, 0, reason))]
        stopped.save(update_fields=["state", "finished", "problems"])
        call_next(stopped)


def again(*, upload: str) -> None:
    """Let an upload that was given up wait to be read again, where its pieces are still here."""
    if upload_chunks.pieces(upload):
        afresh = {"attempts": 0, "lines_read": 0, "problems": [], "finished": None, "touched": timezone.now()}
        Upload.objects.filter(pk=upload, state=Upload.State.FAILED).update(state=Upload.State.WAITING, **afresh)


def forget_abandoned() -> None:
    """Uploads that stopped coming or were left unconfirmed a day ago, and pieces whose upload is gone."""
    long_ago = timezone.now() - ABANDONED
    Upload.objects.filter(state__in=[Upload.State.RECEIVING, Upload.State.RECOGNISED], touched__lt=long_ago).delete()
    unfinished = Upload.objects.exclude(state__in=[Upload.State.DONE, Upload.State.FAILED])
    wanted = {str(pk) for pk in unfinished.values_list("pk", flat=True)}
    wanted |= {parked.arguments["upload"] for parked in ParkedTask.objects.filter(task=CHECK)}
    for pk in upload_chunks.staged_ids():
        if pk not in wanted and upload_chunks.nothing_came_since(pk, long_ago) and stamps.belongs():
            upload_chunks.discard(pk)
    upload_chunks.forget_scratch(long_ago)
