from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from judging.models.collection import Collection
from judging.models.phrases import PhraseField


class NearDuplicates(models.Model):
    """One search of a collection for near-duplicates, and the groups that it found; what it found never changes."""

    class State(models.TextChoices):
        WAITING = "waiting", "Looking"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="near_duplicates")
    threshold = models.FloatField(help_text="The Jaccard coefficient of two documents' shingles from which they are the same.")
    words = models.PositiveSmallIntegerField(help_text="Words in a shingle.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    documents = models.PositiveIntegerField(default=0, help_text="How many were compared.")
    members = models.PositiveIntegerField(default=0, help_text="How many of them are in a group.")
    groups = models.PositiveIntegerField(default=0)
    content = models.BinaryField(default=bytes, help_text="Each member and its group as Parquet, in the order of the documents.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the content; the same groups give the same hash.")
    error = PhraseField(blank=True)
    asked = models.DateTimeField(default=timezone.now, help_text="When it was last sent to Celery.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "near-duplicates"
        constraints = [
            models.UniqueConstraint(
                fields=["collection"], condition=Q(state="waiting"), name="one_search_for_duplicates_a_collection"
            )
        ]

    def __str__(self) -> str:
        return f"near-duplicates of {self.collection}"
