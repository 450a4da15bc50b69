from django.conf import settings
from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.models import Collection, Experiment, Qrels, Run, Site, Study


class ReportQuerySet(models.QuerySet["Report"]):
    def with_progress(self) -> "ReportQuerySet":
        """Each report with `done_steps`, how many of its steps are computed; without its differences, which may be megabytes."""
        done = ReportPart.objects.filter(report=OuterRef("pk"), values__isnull=False).order_by().values("report")
        return self.annotate(done_steps=Coalesce(Subquery(done.annotate(n=Count("pk")).values("n")), 0)).defer("differences")


class Computed(models.Model):
    """What Celery computes in steps: how far it is, and since when nothing was heard of it."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        RUNNING = "running", "Computing"
        DONE = "done", "Ready"
        FAILED = "failed", "Failed"

    UNFINISHED = (State.WAITING, State.RUNNING)

    engine_version = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    active = models.DateTimeField(default=timezone.now, help_text="The last sign of life while it is unfinished.")
    resent = models.PositiveSmallIntegerField(default=0, help_text="How often it was sent again since its last sign of life.")
    error = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def is_failed(self) -> bool:
        return self.state == self.State.FAILED


class Report(Computed):
    """What was asked, of which evidence, how far it is, what came out. Can be deleted and computed again."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="reports")
    title = models.CharField(max_length=200)
    spec = models.JSONField(help_text="Runs, qrels and measures by id and name; the rules, but for those that are usual.")
    digest = models.CharField(
        max_length=64, unique=True, help_text="Of the spec, the hashes of the evidence and the engine's version."
    )
    steps = models.PositiveIntegerField(help_text="Its parts: runs × qrels.")
    result = models.JSONField(null=True, blank=True)
    differences = models.BinaryField(null=True, help_text="Between all pairs of runs, as Parquet; empty with a single run.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        return self.title


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


class StudyReportQuerySet(models.QuerySet["StudyReport"]):
    def with_progress(self) -> "StudyReportQuerySet":
        """Each with `done_steps` and `steps`; without the evidence, which may be megabytes."""
        done = Count("parts", filter=Q(parts__result__isnull=False))
        return self.annotate(steps=Count("parts"), done_steps=done).defer("votes", "signals")


class StudyReport(Computed):
    """How far the labels of a study can be trusted, or which system its workers prefer, by what stood at one moment. Can be
    deleted and computed again.

    The evidence is read once, when computing begins, and kept with it: all steps see the same.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    spec = models.JSONField(help_text="Its steps, and how intervals come about.")
    digest = models.CharField(
        max_length=64, blank=True, help_text="Of spec, the evidence's fingerprint and engine version; empty until it was read."
    )
    evidence = models.JSONField(default=dict, help_text="The fingerprint of what it was computed from.")
    as_of = models.DateTimeField(null=True, help_text="When the evidence was read.")
    votes = models.BinaryField(
        null=True, help_text="What was judged, as Parquet: the votes on labels, or every answer about two lists."
    )
    signals = models.BinaryField(
        null=True, help_text="What each worker's work looks like, as Parquet; not of studies that compare lists."
    )

    steps: int  # annotated by with_progress
    done_steps: int

    objects = StudyReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"], condition=Q(state__in=["waiting", "running"]), name="one_unfinished_report_a_study"
            ),
            models.UniqueConstraint(fields=["digest"], condition=~Q(digest=""), name="one_study_report_a_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.study_id}: {self.state}"


class StudyReportPart(models.Model):
    """One step of a study's report, computed independently, empty until it is done."""

    report = models.ForeignKey(StudyReport, on_delete=models.CASCADE, related_name="parts")
    step = models.CharField(max_length=20)
    result = models.JSONField(null=True)
    rows = models.BinaryField(null=True, help_text="What is too much for the result, as Parquet.")

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["report", "step"], name="one_part_a_report_and_step")]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.step}"


class LogReportQuerySet(models.QuerySet["LogReport"]):
    def with_progress(self) -> "LogReportQuerySet":
        done = Count("parts", filter=Q(parts__sums__isnull=False))
        return self.annotate(steps=Count("parts"), done_steps=done)


class LogReport(Computed):
    """What a site's log says of an experiment, or of its clicks, by what stood at one moment. Can be deleted and computed again.

    It is computed in parts: of units (or, of clicks, of queries) whose hashes leave the same remainder.
    """

    class Kind(models.TextChoices):
        AB = "ab", "A/B test"
        INTERLEAVING = "interleaving", "Interleaving"
        CLICKS = "clicks", "Clicks"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="reports")
    experiment = models.ForeignKey(Experiment, null=True, on_delete=models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=12, choices=Kind)
    spec = models.JSONField(help_text="Metrics, window, segments, bot filter, looks and other choices.")
    as_of = models.DateTimeField(null=True, help_text="Records received until then count.")
    result = models.JSONField(null=True, help_text="What came out, put together from the parts.")

    steps: int  # annotated by with_progress
    done_steps: int

    objects = LogReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["experiment"], condition=Q(state__in=["waiting", "running"]), name="one_unfinished_report_an_experiment"
            ),
            models.UniqueConstraint(
                fields=["site"],
                condition=Q(state__in=["waiting", "running"], experiment__isnull=True),
                name="one_unfinished_report_of_clicks",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.experiment or self.site}"


class LogReportPart(models.Model):
    """A part of a log's report, computed independently, empty until it is done."""

    report = models.ForeignKey(LogReport, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField(help_text="The remainder of the hashes of those whom it counts.")
    sums = models.JSONField(null=True, help_text="What it found, to be added up.")
    rows = models.BinaryField(null=True, help_text="What is too much for the sums, as Parquet.")

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["report", "number"], name="one_part_a_report_and_number")]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.number}"
