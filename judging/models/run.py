import uuid

from django.conf import settings
from django.db import models

from judging.models.collection import Collection


def run_path(run: "Run", filename: str) -> str:
    return f"runs/{run.collection_id}/{uuid.uuid4().hex}.parquet"


class Run(models.Model):
    """One system's output: an immutable Parquet file in the evaluator's order, and facts about it."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="runs")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    version = models.ForeignKey(
        "judging.Version", null=True, blank=True, on_delete=models.SET_NULL, related_name="runs", help_text="Of which system."
    )
    file = models.FileField(upload_to=run_path)
    shown = models.FileField(
        upload_to=run_path, blank=True, help_text="What its site shows of each result (title, url, snippet), if that came along."
    )
    sha256 = models.CharField(max_length=64, help_text="Of the stored file; the same ranking gives the same hash.")
    source_name = models.CharField(max_length=255, blank=True, help_text="The file it was read from.")
    rows = models.PositiveBigIntegerField(help_text="Retrieved documents over all topics.")
    topic_count = models.PositiveIntegerField()
    depth = models.PositiveIntegerField(help_text="Documents in its longest ranking.")
    unknown_documents = models.PositiveBigIntegerField(default=0, help_text="Rows whose document the collection lacks.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="one_run_a_name")]

    def __str__(self) -> str:
        return self.name
