import uuid

from django.db import models
from django.db.models import F, Q

from judging.models.site import Site


def archive_file_path(file: "ArchiveFile", filename: str) -> str:
    return f"logs/{file.site_id}/{uuid.uuid4().hex}.parquet"


class ArchiveFile(models.Model):
    """A Parquet file with records that have left their table. It never changes: erasing makes another one of it.

    A record is in one place: a row of its table, or a row of a file named here. One transaction moves it.
    """

    class Kind(models.TextChoices):
        QUERIES = "queries"
        EVENTS = "events"

    # As in Record: sites are deleted by a verb.
    site = models.ForeignKey(Site, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    kind = models.CharField(max_length=7, choices=Kind)
    first = models.DateTimeField(help_text="When the first of its records was received.")
    last = models.DateTimeField()
    earliest = models.DateTimeField(help_text="The earliest time that one of its records says.")
    latest = models.DateTimeField()
    bucket = models.PositiveSmallIntegerField(null=True, help_text="The last bits of its clients; null: its records name none.")
    buckets = models.PositiveSmallIntegerField(help_text="A power of two.")
    rows = models.PositiveBigIntegerField()
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.FileField(upload_to=archive_file_path, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    loaded = models.DateTimeField(
        null=True, help_text="When its records came to be here, where they were read from files: until then nobody saw them."
    )

    class Meta:
        # As the version before called it, which may run beside this one while an installation moves to it.
        db_table = "judging_archived"
        ordering = ["first", "id"]
        indexes = [models.Index(fields=["site", "kind", "last"], name="archived_as_they_came")]
        constraints = [
            models.CheckConstraint(condition=Q(bucket__isnull=True) | Q(bucket__lt=F("buckets")), name="bucket_of_buckets"),
            models.CheckConstraint(condition=Q(first__lte=F("last")) & Q(rows__gte=1), name="archived_holds_records"),
        ]

    def __str__(self) -> str:
        return f"{self.rows:,} {self.kind} of {self.first:%Y-%m-%d}"
