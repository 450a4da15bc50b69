from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.models.mail_language import MailLanguage


class Event(models.TextChoices):
    """What somebody can have news of."""

    STUDY_FINISHED = "study_finished", _("A study is finished")
    REPORT_READY = "report_ready", _("A report is ready")
    REPORT_FAILED = "report_failed", _("A report failed")
    BUDGET_REACHED = "budget_reached", _("A study has nearly used up its budget")
    TEST = "test", _("Test")


class Subscription(MailLanguage):
    """Where a researcher has news sent of what they own and run: to their e-mail address, or as signed messages to a program."""

    class Kind(models.TextChoices):
        EMAIL = "email", "E-mail"
        WEBHOOK = "webhook", "Webhook"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="subscriptions")
    kind = models.CharField(max_length=7, choices=Kind)
    url = models.URLField(max_length=500, blank=True)
    nonce = models.CharField(max_length=43, unique=True, help_text="Of which, with the server's secret, messages are signed.")
    events = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="webhook") & ~Q(url="") | Q(kind="email", url=""), name="a_webhook_has_an_address"
            ),
            models.UniqueConstraint(fields=["user"], condition=Q(kind="email"), name="one_subscription_by_mail_a_user"),
        ]

    def __str__(self) -> str:
        return self.url or "E-mail"


class Message(models.Model):
    """A piece of news for one subscription: sent until it arrives, or parked with the reason after some tries."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="messages")
    event = models.CharField(max_length=14, choices=Event)
    key = models.CharField(max_length=100, help_text="What happened; of the same nobody hears twice.")
    text = models.CharField(max_length=300)
    path = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(default=timezone.now, db_index=True, help_text="When it is tried next.")
    delivered = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)
    parked = models.BooleanField(default=False)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["subscription", "event", "key"], name="one_message_an_event"),
            models.CheckConstraint(condition=Q(parked=False) | Q(delivered=None), name="what_arrived_is_not_parked"),
        ]

    def __str__(self) -> str:
        return f"{self.event}: {self.text}"
