import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.models.collection import Collection
from judging.models.phrases import JSONWithPhrases


class Upload(models.Model):
    """A file on its way into a collection: received in chunks, checked whole, then imported at once or not at all.

    One that came without a kind is recognised first, and waits until somebody confirms what it is.
    """

    class Kind(models.TextChoices):
        DOCUMENTS = "documents", _("Documents")
        TOPICS = "topics", _("Topics")
        QRELS = "qrels", _("Qrels")
        RUN = "run", _("Run")
        RESULTS = "results", _("Result lists")
        IMAGES = "images", _("Images")

    class State(models.TextChoices):
        RECEIVING = "receiving", _("Receiving")
        RECOGNISED = "recognised", _("To confirm")
        WAITING = "waiting", _("Waiting")
        CHECKING = "checking", _("Checking")
        DONE = "done", _("Imported")
        FAILED = "failed", _("Not imported")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=10, choices=Kind, blank=True, help_text="Empty: to be recognised, then confirmed.")
    format = models.CharField(max_length=20, default="auto")
    name = models.CharField(max_length=120, blank=True, help_text="Of the run or qrels; empty: the file's.")
    options = models.JSONField(default=dict, blank=True)
    filename = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Bytes that will come.")
    received = models.PositiveBigIntegerField(default=0, help_text="Bytes that have come.")
    state = models.CharField(max_length=10, choices=State, default=State.RECEIVING)
    touched = models.DateTimeField(default=timezone.now, help_text="When something last came or was read of it.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often checking has begun; again if a process died.")
    recognition = JSONWithPhrases(default=dict, blank=True, help_text="What a file without a kind was taken for, and why.")
    lines_read = models.PositiveBigIntegerField(default=0)
    problems = JSONWithPhrases(default=list, blank=True, help_text="What was wrong, up to 100.")
    summary = JSONWithPhrases(default=dict, blank=True, help_text="What was imported.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return self.filename
