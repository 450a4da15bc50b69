import logging

from celery import current_app
from django.conf import settings
from django.db import models, transaction
from kombu.exceptions import OperationalError

from ireval_site import request_ids

log = logging.getLogger(__name__)


class OutboxManager(models.Manager["Outbox"]):
    def post(self, task: str, **arguments) -> "Outbox":
        """Leave a message for Celery in the current transaction; it is sent once that has committed."""
        message = self.create(task=task, arguments=arguments, request_id=request_ids.request_id())
        transaction.on_commit(message.send)
        return message


class Outbox(models.Model):
    """A message for Celery, written in the transaction of the change that calls for it; deleted once sent.

    Sent twice is possible (a sweep beside the sender), so every task counts once however often it runs.
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

    objects = OutboxManager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "outbox"

    def __str__(self) -> str:
        return f"{self.task}({self.arguments})"

    def send(self) -> bool:
        """Hand the message to the broker and delete it; without a broker it stays for the sweep."""
        if not settings.REDIS_URL:
            return False
        try:
            headers = {"request_id": self.request_id}
            current_app.send_task(self.task, kwargs=self.arguments, headers=headers, ignore_result=True)
        except (OperationalError, OSError) as error:
            log.warning("%s waits in the outbox: %s", self, error)
            return False
        type(self).objects.filter(pk=self.pk).delete()
        return True
