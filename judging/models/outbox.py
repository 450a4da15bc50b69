import logging
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError

from ireval_site import request_ids
from judging.models.execution import digest, forgive

log = logging.getLogger(__name__)

# A message is handed over with the commit; a sweep does so only if that has not happened so long after.
SETTLED = timedelta(seconds=3)
# A message of which nothing was heard for so long may be lost, or wait in a long queue. Each further wait is twice as long, so
# that a long queue is not made much longer.
PATIENCE = timedelta(seconds=8)
MOST_DOUBLINGS = 7  # then it is sent again every 17 minutes
LONGEST = PATIENCE * 2**MOST_DOUBLINGS


class OutboxQuerySet(models.QuerySet["Outbox"]):
    def due(self) -> "OutboxQuerySet":
        """Those to hand over now; also whatever is due later than can be, since the clock was put back."""
        now = timezone.now()
        return self.filter(models.Q(due__lt=now) | models.Q(due__gt=now + LONGEST))

    def called_by(self, message: str, task: str, arguments: dict[str, Any]) -> "OutboxQuerySet":
        """The row of a message that a Celery worker got."""
        if not message.startswith(MESSAGE):
            return self.none()
        key = message.removeprefix(MESSAGE).partition("-")[0]
        row = self.filter(pk=key, task=task).first()
        return self.filter(pk=row.pk) if row and row.arguments == arguments else self.none()


class OutboxManager(models.Manager["Outbox"]):
    def post(self, task: str, **arguments) -> "Outbox":
        """Leave a message for Celery in the current transaction; it is sent once that has committed."""
        facts = {"request_id": request_ids.request_id(), "due": timezone.now() + SETTLED}
        message = self.create(task=task, arguments=arguments, **facts)
        transaction.on_commit(message.send)
        return message

    def post_anew(self, task: str, **arguments) -> "Outbox":
        """The same for somebody who asks for it now. That it was parked before counts no more, unlike where a sweep asks."""
        forgive(digest(task, arguments))
        return self.post(task, **arguments)


MESSAGE = "outbox-"  # the beginning of the names of messages that have a row


class Outbox(models.Model):
    """A message for Celery, written in the transaction of the change that calls for it; deleted once its task has ended.

    Until then a sweep sends it again: Redis, or a Celery worker that has taken it, may die at any moment. So a task may be
    begun twice, and counts once however often it runs.
    """

    task = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    request_id = models.CharField(
        max_length=request_ids.LONGEST,
        blank=True,
        db_default="",
        help_text="The request that called for it, as the log names it.",
    )
    created = models.DateTimeField(auto_now_add=True)
    sent = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="How often it was handed to the broker.")
    due = models.DateTimeField(
        default=timezone.now, db_default=Now(), help_text="When it is sent next, unless its task is being run."
    )

    objects = OutboxManager.from_queryset(OutboxQuerySet)()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "outbox"

    def __str__(self) -> str:
        return f"{self.task}({self.arguments})"

    def send(self) -> bool:
        """Hand the message to the broker; False without one, for then it stays for the sweep.

        Of several who send it at once, as sweeps do that waited together, one does: each copy would count as a start of its own.
        """
        if not settings.REDIS_URL:
            return False
        later = {"due": timezone.now() + PATIENCE * 2 ** min(self.sent, MOST_DOUBLINGS), "sent": min(self.sent + 1, 99)}
        mine = type(self).objects.filter(pk=self.pk)
        if not mine.filter(sent=self.sent).update(**later):
            return True
        try:
            how = {"task_id": f"{MESSAGE}{self.pk}-{self.sent + 1}", "headers": {"request_id": self.request_id}}
            current_app.send_task(self.task, kwargs=self.arguments, ignore_result=True, **how)
        except (OperationalError, OSError) as error:
            log.warning("%s waits in the outbox: %s", self, error)
            mine.filter(sent=later["sent"]).update(due=self.due, sent=self.sent)
            return False
        return True

    def wait(self, time: timedelta) -> None:
        """Leave it alone for so long; nothing where its task has ended meanwhile."""
        type(self).objects.filter(pk=self.pk).update(due=timezone.now() + time)
