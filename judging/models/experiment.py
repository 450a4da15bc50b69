import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from judging.models.run import Run
from judging.models.site import Site


def new_salt() -> str:
    return secrets.token_hex(8)


def default_metrics() -> list[str]:
    return ["ctr", "first-click-rr", "abandonment", "long-clicks", "reformulation", "successful-sessions"]


class Group(models.Model):
    """Experiments of a site of which a unit is in one at most. They share out its hundred parts among themselves."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="groups", db_index=False)
    name = models.CharField(max_length=60)
    salt = models.CharField(max_length=16, default=new_salt, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["site", "name"], name="one_group_a_name")]

    def __str__(self) -> str:
        return self.name


class Experiment(models.Model):
    """Two or more ways to search, given to users by lot: one to each user (A/B), or to everybody a list of all (interleaving)."""

    class Kind(models.TextChoices):
        AB = "ab", _("A/B test")
        INTERLEAVING = "interleaving", _("Interleaving")

    class Method(models.TextChoices):
        TEAM_DRAFT = "team_draft", _("Team draft")
        BALANCED = "balanced", _("Balanced")
        PROBABILISTIC = "probabilistic", _("Probabilistic")

    class Unit(models.TextChoices):
        CLIENT = "client", _("Browser (client_id)")
        USER = "user", _("User (user_id)")

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        RUNNING = "running", _("Running")
        STOPPED = "stopped", _("Stopped")

    class Looks(models.TextChoices):
        FIXED = "fixed", _("Once, at the end")
        ALWAYS_VALID = "always_valid", _("At any time (always-valid)")

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="experiments", db_index=False)
    name = models.SlugField(max_length=60, help_text=_("As it stands in query_attributes.experiment."))
    hypothesis = models.TextField(blank=True, help_text=_("What you expect, and why: written before the data."))
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.AB)
    method = models.CharField(max_length=13, choices=Method, default=Method.TEAM_DRAFT)
    depth = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(100)], help_text=_("Of interleaved lists.")
    )
    unit = models.CharField(max_length=6, choices=Unit, default=Unit.CLIENT)
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    salt = models.CharField(max_length=16, default=new_salt, editable=False)
    traffic = models.PositiveSmallIntegerField(
        default=100, validators=[MinValueValidator(1), MaxValueValidator(100)], help_text="Percent of users that are in it."
    )
    group = models.ForeignKey(
        Group,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="experiments",
        help_text="No unit is in two of a group.",
    )
    metrics = models.JSONField(default=default_metrics, help_text="The first one decides.")
    segments = models.JSONField(default=list, blank=True, help_text="Names of query_attributes to report apart.")
    looks = models.CharField(max_length=12, choices=Looks, default=Looks.FIXED)
    planned = models.PositiveIntegerField(
        default=5000, validators=[MinValueValidator(10)], help_text="How many users it is to have, in all arms together."
    )
    alpha = models.FloatField(default=0.05, validators=[MinValueValidator(0.001), MaxValueValidator(0.5)])
    before_days = models.PositiveSmallIntegerField(
        default=14,
        validators=[MaxValueValidator(90)],
        help_text="How many days before its start tell what users were like (CUPED).",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    stopped = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["site", "name"], name="one_experiment_a_name"),
            models.CheckConstraint(condition=Q(state="draft") | Q(started__isnull=False), name="what_runs_has_started"),
            models.CheckConstraint(condition=~Q(state="stopped") | Q(stopped__gte=F("started")), name="what_ended_has_stopped"),
            models.CheckConstraint(condition=Q(traffic__gte=1, traffic__lte=100), name="traffic_is_percent"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def interleaves(self) -> bool:
        return self.kind == self.Kind.INTERLEAVING


class Arm(models.Model):
    """One of an experiment's ways to search."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="arms", db_index=False)
    name = models.SlugField(max_length=60)
    weight = models.FloatField(
        default=1, validators=[MinValueValidator(0.001)], help_text="How many users it gets, beside the others'."
    )
    is_control = models.BooleanField(default=False)
    version = models.ForeignKey(
        "judging.Version", null=True, blank=True, on_delete=models.SET_NULL, related_name="arms", help_text="Of which system."
    )
    ranker = models.CharField(max_length=60, blank=True, help_text="On a search page of ours: by what it ranks.")
    run = models.ForeignKey(
        Run,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="On a search page of ours: whose results.",
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "name"], name="one_arm_a_name"),
            models.UniqueConstraint(fields=["experiment"], condition=Q(is_control=True), name="one_control"),
            models.CheckConstraint(condition=Q(weight__gt=0), name="arms_have_weight"),
        ]

    def __str__(self) -> str:
        return self.name


class Allotment(models.Model):
    """One of a group's hundred parts, and whose it is."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE, related_name="allotments", db_index=False)
    part = models.PositiveSmallIntegerField()
    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="allotments")

    class Meta:
        ordering = ["part"]
        constraints = [
            models.UniqueConstraint(fields=["group", "part"], name="one_experiment_a_part"),
            models.CheckConstraint(condition=Q(part__lt=100), name="a_hundred_parts"),
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.part}"
