"""Reports, their parts and their tables: questions, progress and results, which can be computed again. And what cannot:
earlier answers, and links to reports.
"""

from functools import reduce
from operator import or_
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.models import Collection, Experiment, Hypothesis, Qrels, Run, Site, Study
from judging.models.invite import Link
from judging.models.phrases import PhraseField

Subject = Collection | Study | Site | Experiment | Hypothesis
# The page that shows a report of each kind, by the report's own key or by that of what it is about.
PAGES = {
    "runs": "report",
    "quality": "study_quality",
    "preferences": "study_preferences",
    "ab": "experiment_report",
    "interleaving": "experiment_report",
    "clicks": "site_clicks",
    "verdict": "verdict",
}
# The field that says what a report of each kind is about.
SUBJECTS = {
    "runs": "collection",
    "quality": "study",
    "preferences": "study",
    "ab": "experiment",
    "interleaving": "experiment",
    "clicks": "site",
    "verdict": "hypothesis",
}
# Where a newer report takes the place of those before; each report on runs answers a question of its own.
SUPERSEDING = {kind: subject for kind, subject in SUBJECTS.items() if kind != "runs"}
SUPERSEDING_SUBJECTS = sorted(set(SUPERSEDING.values()))
UNFINISHED = ["waiting", "running"]


def about_its_subject(subjects: dict[str, str]) -> Q:
    """The condition that a row is about exactly what its kind is about: one subject field is set, the others are null."""
    fields = sorted(set(subjects.values()))
    return Q(*(
        Q(kind=kind, **{f"{field}__isnull": field != subject for field in fields}) for kind, subject in subjects.items()
    ), _connector=Q.OR)  # fmt: skip


class ReportQuerySet(models.QuerySet["Report"]):
    def of(self, kind: str, subject: Subject) -> Self:
        """Reports of a kind about a collection, a study, a site or an experiment."""
        return self.filter(kind=kind, **{SUBJECTS[kind]: subject})

    def of_collection(self, key: int | str) -> Self:
        """Reports on a collection's runs, studies and sites, and on systems of the one or the others."""
        about = ("collection", "study__collection", "site__collection", "experiment__site__collection")
        systems = ("hypothesis__a__collection", "hypothesis__a__site__collection")
        return self.filter(reduce(or_, (Q(**{path: key}) for path in (*about, *systems))))

    def unfinished(self) -> Self:
        return self.filter(state__in=UNFINISHED)

    def with_subject(self) -> Self:
        return self.select_related("collection", "study", "site", "experiment__site", "hypothesis__a", "hypothesis__b")

    def with_progress(self) -> Self:
        """Annotate each report with `steps`, the number of its parts, and `done_steps`, the number computed."""
        parts = Part.objects.filter(report=OuterRef("pk")).order_by().values("report")
        done = parts.filter(result__isnull=False)
        return self.annotate(**{
            name: Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0)
            for name, counted in {"steps": parts, "done_steps": done}.items()
        })  # fmt: skip


class Report(models.Model):
    """A question to some evidence, how far computing its answer is, and the result."""

    class Kind(models.TextChoices):
        RUNS = "runs", _("Runs")
        QUALITY = "quality", _("Quality of grades")
        PREFERENCES = "preferences", _("Preferences")
        AB = "ab", _("A/B test")
        INTERLEAVING = "interleaving", _("Interleaving")
        CLICKS = "clicks", _("Clicks")
        VERDICT = "verdict", _("Verdict")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Computing")
        DONE = "done", _("Ready")
        FAILED = "failed", _("Failed")

    kind = models.CharField(max_length=12, choices=Kind)
    collection = models.ForeignKey(Collection, null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    site = models.ForeignKey(Site, null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    experiment = models.ForeignKey(Experiment, null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    hypothesis = models.ForeignKey(Hypothesis, null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    title = models.CharField(max_length=200, blank=True, help_text="Of reports on runs.")
    spec = models.JSONField(help_text="The question: whatever its numbers depend on besides the evidence.")
    digest = models.CharField(
        max_length=64, blank=True, help_text="Of spec, evidence and engine version; empty where nothing is known of the evidence."
    )
    evidence = models.JSONField(default=dict, help_text="The fingerprint of what was read, where that goes on changing.")
    as_of = models.DateTimeField(null=True, blank=True, help_text="When computing began: what came later does not count.")
    engine_version = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    active = models.DateTimeField(default=timezone.now, help_text="The last sign of life while it is unfinished.")
    looked = models.DateTimeField(default=timezone.now, help_text="When somebody last asked or, to the day, looked.")
    resent = models.PositiveSmallIntegerField(default=0, help_text="How often it was sent again since its last sign of life.")
    error = PhraseField(blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+",
        help_text="Who asked; nobody where whoever looks first asks.",
    )  # fmt: skip
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="reports_read", help_text="Who else may see a report on runs."
    )
    result = models.JSONField(null=True, blank=True, help_text="What came out, put together from the parts.")

    steps: int  # annotated by with_progress
    done_steps: int

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=about_its_subject(SUBJECTS), name="a_report_is_about_what_its_kind_says"),
            models.UniqueConstraint(fields=["digest"], condition=~Q(digest=""), name="one_report_a_digest"),
            *(
                models.UniqueConstraint(
                    fields=["kind", field], condition=Q(state__in=UNFINISHED), name=f"one_unfinished_report_by_{field}"
                )
                for field in SUPERSEDING_SUBJECTS
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"{self.get_kind_display()}: {self.subject}"

    def get_absolute_url(self) -> str:
        return reverse(PAGES[self.kind], args=[self.pk if self.kind == self.Kind.RUNS else getattr(self, f"{self.about}_id")])

    @property
    def about(self) -> str:
        """The subject's type, which is also the name of its page: collection, study, site, experiment or hypothesis."""
        return SUBJECTS[self.kind]

    @property
    def subject(self) -> Any:
        return getattr(self, self.about)

    @property
    def log_site(self) -> Site | None:
        """The site whose log it is on, if it is on one."""
        return self.experiment.site if self.experiment else self.site

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def is_failed(self) -> bool:
        return self.state == self.State.FAILED


def with_the_report(collector, field, parts, using) -> None:
    """Delete the reports of deleted evidence too: nobody could tell any more what their numbers rest on."""
    models.CASCADE(collector, field, parts, using)
    collector.collect(Report.objects.using(using).filter(parts__in=parts).distinct())


class Part(models.Model):
    """A step of a report, computed independently; its result is null until it is computed.

    Parts of the same name are computed together: those of one run, which is read once, under each of the qrels.
    """

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="parts")
    name = models.CharField(max_length=20, help_text="A run's key, a step, or the remainder of the hashes of those it counts.")
    run = models.ForeignKey(Run, null=True, on_delete=with_the_report, related_name="+")
    qrels = models.ForeignKey(Qrels, null=True, on_delete=with_the_report, related_name="+")
    result = models.JSONField(null=True, help_text="What it comes to; more is in its tables.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["report", "name"], condition=Q(qrels=None), name="one_part_a_report_and_name"),
            models.UniqueConstraint(fields=["report", "run", "qrels"], name="one_part_a_run_and_qrels"),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.name}"


class Table(models.Model):
    """Rows of a report or of one of its parts, as Parquet: evidence that it keeps, and results too large for JSON."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="tables")
    part = models.ForeignKey(Part, null=True, on_delete=models.CASCADE, related_name="tables")
    name = models.CharField(max_length=20)
    content = models.BinaryField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["report", "name"], condition=Q(part=None), name="one_table_a_report_and_name"),
            models.UniqueConstraint(fields=["part", "name"], name="one_table_a_part_and_name"),
        ]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.name}"


class EarlierAnswer(models.Model):
    """What a report said before its evidence changed. The report itself is gone: a newer one superseded it."""

    kind = models.CharField(max_length=12, choices=Report.Kind)
    study = models.ForeignKey(Study, null=True, on_delete=models.CASCADE, related_name="earlier_answers")
    site = models.ForeignKey(Site, null=True, on_delete=models.CASCADE, related_name="earlier_answers")
    experiment = models.ForeignKey(Experiment, null=True, on_delete=models.CASCADE, related_name="earlier_answers")
    hypothesis = models.ForeignKey(Hypothesis, null=True, on_delete=models.CASCADE, related_name="earlier_answers")
    computed = models.DateTimeField()
    sentence = models.TextField()
    evidence = models.JSONField(help_text="What it rested on: whatever is named when the next answer differs in it.")
    for_readers = models.JSONField(
        null=True, help_text="Sentence and evidence as a site's readers may see them, where its owner sees more."
    )
    engine_version = models.CharField(max_length=20)

    class Meta:
        ordering = ["-computed"]
        constraints = [
            models.CheckConstraint(condition=about_its_subject(SUPERSEDING), name="an_answer_is_about_what_its_kind_says"),
            *(
                models.UniqueConstraint(fields=[field, "computed"], name=f"one_answer_a_moment_by_{field}")
                for field in SUPERSEDING_SUBJECTS
            ),
        ]

    def __str__(self) -> str:
        return self.sentence


class SharedLinkQuerySet(models.QuerySet["SharedLink"]):
    def live(self) -> Self:
        """Links that are neither revoked nor expired."""
        return self.filter(revoked__isnull=True, expires__gt=timezone.now())


class SharedLink(Link):
    """An address that shows whoever has it the newest verdict on a hypothesis, or one report on runs, and nothing else."""

    class Days(models.IntegerChoices):
        """For how many days a link works that is made now."""

        WEEK = 7, _("7 days")
        MONTH = 30, _("30 days")
        QUARTER = 90, _("90 days")

    hypothesis = models.ForeignKey(Hypothesis, null=True, on_delete=models.CASCADE, related_name="shared_links")
    report = models.ForeignKey(Report, null=True, on_delete=models.CASCADE, related_name="shared_links", help_text="On runs.")
    expires = models.DateTimeField()

    objects = SharedLinkQuerySet.as_manager()

    class Meta(Link.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(hypothesis=None, report__isnull=False) | Q(hypothesis__isnull=False, report=None),
                name="a_shared_link_shows_one_thing",
            )
        ]

    def __str__(self) -> str:
        return f"shared link {self.pk} to {self.subject}"

    @property
    def subject(self) -> Any:
        return self.hypothesis or self.report
