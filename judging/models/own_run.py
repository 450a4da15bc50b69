from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from judging.models.collection import Collection
from judging.models.phrases import PhraseField
from judging.models.run import Run


class OwnRun(models.Model):
    """A run that a ranker of ours is to make of a collection's documents and topics, and how far it is."""

    class State(models.TextChoices):
        WAITING = "waiting", "Under way"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="own_runs")
    ranker = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    documents = models.PositiveIntegerField(default=0, help_text="How many have been read.")
    topics = models.PositiveIntegerField(default=0, help_text="How many have been ranked for.")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="What came of it.")
    error = PhraseField(blank=True)
    asked = models.DateTimeField(default=timezone.now, help_text="When it was last sent to Celery.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "ranker"], condition=Q(state="waiting"), name="one_waiting_own_run_a_ranker"
            )
        ]

    def __str__(self) -> str:
        return f"{self.ranker} over {self.collection}"
