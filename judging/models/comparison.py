"""The models that a side-by-side study has besides those of a graded one."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from judging.models.collection import Topic
from judging.models.judgement import Judgement
from judging.models.run import Run
from judging.models.study import Study

MOST_MIRRORED = 0.5
MOST_DEPTH = 50  # results of a list; nobody compares more


def default_reasons() -> list[str]:
    return list(DEFAULT_REASONS)


# Marked, as those of a study's scale.
DEFAULT_QUESTION = gettext_noop("Which list of results is better?")
DEFAULT_REASONS = [
    gettext_noop("More relevant results"),
    gettext_noop("Fewer bad results"),
    gettext_noop("Better first result"),
    gettext_noop("More complete"),
    gettext_noop("Easier to read"),
]


class Comparison(models.Model):
    """How a study compares its runs: what it asks, with which answers, which runs with which, on which topics."""

    class Pairing(models.TextChoices):
        ALL = "all", _("Every run with every other")
        BASELINE = "baseline", _("Every run with the baseline")
        BUDGET = "budget", _("As many pairs as the budget allows, evenly spread")

    class Topics(models.TextChoices):
        ALL = "all", _("All topics")
        SAMPLE = "sample", _("A random sample")
        DIFFERENT = "different", _("Those on which the runs differ most")

    study = models.OneToOneField(Study, primary_key=True, on_delete=models.CASCADE, related_name="comparison")
    question = models.CharField(max_length=200, default=DEFAULT_QUESTION)
    points = models.PositiveSmallIntegerField(
        default=5,
        choices=[
            (2, _("2: left, right")),
            (3, _("3: left, the same, right")),
            (4, _("4: much better or better on each side")),
            (5, _("5: as 4, and the same")),
            (6, _("6: much, clearly or slightly better on each side")),
            (7, _("7: as 6, and the same")),
        ],
        help_text=_("An odd number has “about the same” in the middle."),
    )
    both_bad = models.BooleanField(default=True, help_text="Whether workers may say that neither list is of any use.")
    reasons = models.JSONField(default=default_reasons, blank=True, help_text="What workers can tick as reasons.")
    marks_results = models.BooleanField(default=False, help_text="Whether workers may mark single results as relevant or bad.")
    mirrored = models.FloatField(
        default=0.1,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_MIRRORED)],
        help_text="Which share of a worker's items comes again with the sides swapped, to measure consistency.",
    )
    pairing = models.CharField(max_length=8, choices=Pairing, default=Pairing.ALL)
    baseline = models.ForeignKey(Run, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    budget = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text=_("How many judgements may be asked for.")
    )
    topics = models.CharField(max_length=9, choices=Topics, default=Topics.ALL)
    topic_count = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text=_("Of how many.")
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(points__gte=2, points__lte=7), name="two_to_seven_points"),
            models.CheckConstraint(
                condition=~models.Q(pairing="baseline") | models.Q(baseline__isnull=False),
                name="a_baseline_to_compare_with",
                violation_error_message=_("Choose the baseline that the others are compared with."),
            ),
            models.CheckConstraint(
                condition=~models.Q(pairing="budget") | models.Q(budget__isnull=False),
                name="a_budget_to_keep_to",
                violation_error_message=_("Say how many judgements the budget is."),
            ),
            models.CheckConstraint(
                condition=models.Q(topics="all") | models.Q(topic_count__isnull=False),
                name="a_number_of_topics",
                violation_error_message=_("Say how many topics to take."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.question}"

    @property
    def strength(self) -> int:
        """How many steps one list can be better by."""
        return self.points // 2

    @property
    def has_ties(self) -> bool:
        return self.points % 2 == 1


class Listing(models.Model):
    """What one run shows for one topic of a study, as it was at launch. Or one of a check's two lists, which are no run's."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="listings", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    # Empty for a check's lists, so that no report can count them for a system. Nothing that reads it is asked about those.
    run: models.ForeignKey[Run, Run] = models.ForeignKey(  # type: ignore[misc]
        Run, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    results = models.JSONField(
        help_text="The best first: docno, the document's key if the collection has it, and title, url, snippet if they came."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "topic", "run"], name="one_listing_a_topic_and_run")]

    def __str__(self) -> str:
        return f"{self.run_id or 'a check'} on {self.topic_id}"


class Preference(models.Model):
    """What a judgement of two lists says besides its grade, which is above 0 where the first list is better.

    Rows are only ever added, each with its judgement.
    """

    judgement = models.OneToOneField(Judgement, primary_key=True, on_delete=models.PROTECT, related_name="preference")
    swapped = models.BooleanField(help_text="Whether the worker had the second list on the left.")
    both_bad = models.BooleanField(default=False, help_text="Neither is of any use; the grade is then 0.")
    reasons = models.JSONField(default=list, blank=True, help_text="Which were ticked, in their words.")
    marks = models.JSONField(
        default=list, blank=True, help_text="[[list, place, grade], …]: list 0 or 1, place from 0, grade 1 relevant or 0 bad."
    )
    interactions = models.JSONField(
        default=list, blank=True, help_text="[[milliseconds, what, list, place], …]: what the worker opened, closed, scrolled to."
    )
    seen = models.JSONField(
        null=True,
        blank=True,
        help_text="[[milliseconds, results], …]: how long each list was on the screen, and how many of its results. "
        "Empty: not measured.",
    )

    def __str__(self) -> str:
        return f"{self.judgement_id}"
