import uuid

from django.conf import settings
from django.db import models

from judging.models.collection import Collection
from judging.models.phrases import PhraseField


def qrels_path(qrels: "Qrels", filename: str) -> str:
    return f"qrels/{qrels.collection_id}/{uuid.uuid4().hex}.parquet"


class Qrels(models.Model):
    """Settled grades: an immutable version, with who made it, how, and from what. The grades themselves are rows (Grade)."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="qrels")
    name = models.CharField(max_length=120)
    version = models.PositiveIntegerField(default=1)
    description = PhraseField(blank=True)
    file = models.FileField(
        upload_to=qrels_path, blank=True, help_text="Of earlier versions: holds the grades that could not be read into rows yet."
    )
    sha256 = models.CharField(max_length=64, help_text="Of the grades as the Parquet file that was first made of them.")
    columns = models.JSONField(default=list, help_text="What is known of each grade, in the order in which it is exported.")
    cache = models.CharField(max_length=64, blank=True, help_text="The SHA-256, and name, of the Parquet file kept of the rows.")
    source_name = models.CharField(max_length=255, blank=True, help_text="The file it was read from.")
    study = models.ForeignKey("judging.Study", null=True, blank=True, on_delete=models.PROTECT, related_name="qrels")
    recipe = models.JSONField(default=dict, help_text="How it came to be: method, number of judgements, ties, until when.")
    rows = models.PositiveIntegerField()
    topic_count = models.PositiveIntegerField()
    grade_counts = models.JSONField(help_text='How many rows have each grade: {"0": 12, "1": 3}.')
    sparse = models.BooleanField(
        default=False, help_text="Most relevant documents are not in it, so a missing document says nothing."
    )
    simulated_judgements = models.PositiveIntegerField(default=0, help_text="Of its judgements, how many no person made.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "-version"]
        verbose_name_plural = "qrels"
        constraints = [models.UniqueConstraint(fields=["collection", "name", "version"], name="one_qrels_a_version")]

    def __str__(self) -> str:
        name = f"{self.name} v{self.version}" if self.version > 1 or self.study_id else self.name
        return f"{name} · {self.settled_by}" if self.settled_by else name

    @property
    def settled_by(self) -> str:
        """The method that a study was settled by, where it was another than the majority: versions are told apart by it."""
        method = self.recipe.get("method", "") if self.study_id else ""
        return "" if method.startswith("majority") else method

    @property
    def binary(self) -> bool:
        """Whether it knows only one grade of relevance (negative grades are not relevant)."""
        return len([grade for grade in self.grade_counts if int(grade) > 0]) <= 1
