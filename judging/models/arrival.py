from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.models.channel import Channel
from judging.models.worker import Worker


class Arrival(models.Model):
    """A marketplace's participant in a study. What says who they are there lies here alone, and can be erased."""

    class Outcome(models.TextChoices):
        WORKING = "working", _("Working")
        COMPLETED = "completed", _("Completed")
        SCREENED_OUT = "screened_out", _("Screened out")
        NO_CONSENT = "no_consent", _("No consent")
        FAILED_CHECK = "failed_check", _("Failed a check")
        RETURNED = "returned", _("Returned")
        TIMED_OUT = "timed_out", _("Timed out")
        REJECTED = "rejected", _("Rejected")

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="arrivals")
    worker = models.OneToOneField(
        Worker, null=True, blank=True, on_delete=models.CASCADE, related_name="arrival", help_text="Empty: did not consent."
    )
    participant_hash = models.CharField(max_length=64, unique=True, help_text="Keyed, and other in every study.")
    submission_hash = models.CharField(max_length=64, unique=True)
    participant = models.CharField(max_length=64, blank=True, help_text="The marketplace's id of the person; empty once erased.")
    submission = models.CharField(max_length=64, blank=True, help_text="The marketplace's id of what is paid; empty once erased.")
    their_study = models.CharField(max_length=64, blank=True, help_text="The marketplace's id of the study.")
    rewarded = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="Earlier submissions that were completed.")
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.WORKING)
    readmission = models.CharField(
        max_length=64, blank=True, help_text="Hash of the unused link that lets them in again; empty: there is none."
    )
    arrived = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True)
    erased = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(erased__isnull=True) | Q(participant="", submission="", their_study=""), name="erased_is_erased"
            ),
            models.CheckConstraint(
                condition=Q(outcome="working", ended__isnull=True) | (~Q(outcome="working") & Q(ended__isnull=False)),
                name="an_end_has_a_time",
            ),
            models.CheckConstraint(condition=Q(worker__isnull=False) | Q(outcome="no_consent"), name="who_consents_is_a_worker"),
        ]

    def __str__(self) -> str:
        return f"arrival {self.pk}"
