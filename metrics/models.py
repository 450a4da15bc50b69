from django.conf import settings
from django.db import models
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.models import Collection, Qrels, Run


class ReportQuerySet(models.QuerySet["Report"]):
    def with_progress(self) -> "ReportQuerySet":
        """Each report with `done_steps`, how many of its steps are computed; without its differences, which may be megabytes."""
        done = ReportPart.objects.filter(report=OuterRef("pk"), values__isnull=False).order_by().values("report")
        return self.annotate(done_steps=Coalesce(Subquery(done.annotate(n=Count("pk")).values("n")), 0)).defer("differences")


class Report(models.Model):
    """What was asked, of which evidence, how far it is, what came out. Can be deleted and computed again."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Computing"
        DONE = "done", "Ready"
        FAILED = "failed", "Failed"

    UNFINISHED = (State.WAITING, State.RUNNING)

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="reports")
    title = models.CharField(max_length=200)
    spec = models.JSONField(help_text="Runs, qrels and measures by id and name; the rules, but for those that are usual.")
    digest = models.CharField(
        max_length=64, unique=True, help_text="Of the spec, the hashes of the evidence and the engine's version."
    )
    engine_version = models.CharField(max_length=20)
    steps = models.PositiveIntegerField(help_text="Its parts: runs × qrels.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    active = models.DateTimeField(default=timezone.now, help_text="The last sign of life while it is unfinished.")
    resent = models.PositiveSmallIntegerField(default=0, help_text="How often it was sent again since its last sign of life.")
    result = models.JSONField(null=True, blank=True)
    differences = models.BinaryField(null=True, help_text="Between all pairs of runs, as Parquet; empty with a single run.")
    error = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        return self.title

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def is_failed(self) -> bool:
        return self.state == self.State.FAILED


def with_the_report(collector, field, parts, using) -> None:
    """Deleted evidence takes its reports along: nobody could tell any more what their numbers rest on."""
    models.CASCADE(collector, field, parts, using)
    collector.collect(Report.objects.using(using).filter(parts__in=parts).distinct())


class ReportPart(models.Model):
    """One run under one qrels: a step of a report, computed independently, empty until it is done."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="parts")
    run = models.ForeignKey(Run, on_delete=with_the_report, related_name="+")
    qrels = models.ForeignKey(Qrels, on_delete=with_the_report, related_name="+")
    values = models.BinaryField(null=True, help_text="Per-topic values, as Parquet: topic and a column for each measure.")
    curves = models.BinaryField(null=True, help_text="Means over topics by rank, as Parquet: curve, rank and value.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["report", "run", "qrels"], name="one_part_a_run_and_qrels")]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.run_id} × {self.qrels_id}"
