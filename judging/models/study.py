import secrets
from decimal import Decimal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from judging.models.collection import Collection
from judging.models.question import Question
from judging.models.run import Run

# Of a scale that workers see; the page has a key for each grade.
HIGHEST_GRADE = 10


def default_scale() -> list[dict]:
    return [{"grade": grade, "label": label, "help": help} for grade, (label, help) in enumerate(DEFAULT_LABELS)]


# Marked, so that workers read them in their language while nobody has written others.
DEFAULT_LABELS = [
    (gettext_noop("Not relevant"), gettext_noop("Says nothing that helps with this need.")),
    (gettext_noop("Related"), gettext_noop("Touches the subject, but does not answer.")),
    (gettext_noop("Relevant"), gettext_noop("Answers a part of the need.")),
    (gettext_noop("Highly relevant"), gettext_noop("Answers the need; you would keep this one.")),
]


def leaves_work(gold_every: int) -> None:
    if gold_every == 1:
        raise ValidationError(_("0 for none, or at least 2: with one in one, no work would be left."))


def any_seed() -> int:
    return secrets.randbelow(1_000_000)


class Study(models.Model):
    """A job for workers: which items are judged, by how many, on which scale, with which instructions."""

    class Kind(models.TextChoices):
        GRADED = "graded", _("Graded")
        SIDE_BY_SIDE = "side_by_side", _("Side by side")

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")

    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="studies")
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.GRADED)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    instructions = models.TextField(help_text=_("What workers read before they begin, with examples. Markdown."))
    consent = models.TextField(blank=True, help_text=_("What workers agree to. Markdown; empty: a short standard text."))
    scale = models.JSONField(
        default=default_scale, help_text="The grades, the lowest first: grade, label, help and perhaps an example of each."
    )
    questions = models.JSONField(default=list, blank=True, help_text="What is asked of each document besides its grade.")
    translations = models.JSONField(
        default=dict,
        blank=True,
        help_text="What workers read of it in other languages: by language, each text and its translation.",
    )
    runs = models.ManyToManyField(Run, related_name="studies", blank=True, help_text=_("The runs whose results are pooled."))
    depth = models.PositiveIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(1000)], help_text=_("How deep each run is pooled.")
    )
    chosen = models.JSONField(
        default=list, blank=True, help_text="Documents that are judged instead of the runs' best: topic and docno of each."
    )
    judgement_budget = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="How many judgements may be asked for: the pool is as deep as fits, whatever its depth is. Empty: the depth.",
    )
    money_budget = models.DecimalField(
        max_digits=9,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(Decimal("0.01"))],
        help_text="How much all judgements may cost, fees not included: the pool is as deep as fits. Empty: the depth.",
    )
    topic_tags = models.JSONField(default=list, blank=True, help_text="Only topics with one of these tags. Empty: with any.")
    topic_numbers = models.JSONField(
        default=list, blank=True, help_text="Only these topics, by the collection's own ids. Empty: all."
    )
    topic_count = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="So many of them, drawn at random. Empty: all."
    )
    topic_seed = models.PositiveIntegerField(default=any_seed, help_text=_("The same number draws the same topics."))
    overlap = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(50)], help_text=_("How many workers judge each item.")
    )
    most_overlap = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(2), MaxValueValidator(50)],
        help_text=_("Where workers disagree, up to how many judge an item. Empty: as many as every item."),
    )
    certainty = models.FloatField(
        default=0.9,
        validators=[MinValueValidator(0.5), MaxValueValidator(0.999)],
        help_text=_("How probable its grade must be for an item to get no more judgements."),
    )
    most_judgements = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text=_("How many items one worker may judge. Empty: all.")
    )
    gold_every = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(100), leaves_work],
        help_text=_("About one in so many items has a known grade, and no worker can tell which. 0: none."),
    )
    pass_mark = models.FloatField(
        default=0.7,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=_("Which share of the qualification test must be right."),
    )
    lease_minutes = models.PositiveSmallIntegerField(
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(1440)],
        help_text=_("How long a document is kept for a worker who does not answer."),
    )
    seconds_a_judgement = models.PositiveSmallIntegerField(
        default=25, validators=[MinValueValidator(1)], help_text=_("Expected; the time planned before launch is made from it.")
    )
    least_seconds = models.FloatField(
        default=2,
        validators=[MinValueValidator(0)],
        help_text=_("An answer that comes sooner is too fast: nobody can have read."),
    )
    pay_an_hour = models.DecimalField(
        max_digits=7, decimal_places=2, default=Decimal(0), validators=[MinValueValidator(0)], help_text=_("0 for volunteers.")
    )
    pay_a_judgement = models.DecimalField(
        max_digits=7,
        decimal_places=4,
        default=Decimal(0),
        validators=[MinValueValidator(0)],
        help_text=_("Instead of by the hour."),
    )
    pay_screened_out = models.DecimalField(
        max_digits=7,
        decimal_places=2,
        default=Decimal(0),
        validators=[MinValueValidator(0)],
        help_text=_("For the time of workers who do not pass the qualification test."),
    )
    currency = models.CharField(max_length=3, default="EUR")
    open_call = models.BooleanField(default=False, help_text="Whether people with an account find it among the studies to join.")
    language = models.CharField(max_length=60, blank=True, help_text="Of the documents, as the open call names it: “Italian”.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="studies_owned", help_text="Who says who runs it."
    )
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="studies", help_text="The researchers who run it.")
    experts = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        related_name="studies_adjudicated",
        blank=True,
        help_text="Who else settles its grades.",
    )
    judges = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="studies_judged", help_text="Who may join it without a link."
    )
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="studies_read", help_text="Who may see what came out of it."
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    launched = models.DateTimeField(null=True, blank=True)
    archived = models.DateTimeField(null=True, blank=True, help_text="Since when lists leave it out. Nothing of it is lost.")
    pool_counts = models.JSONField(
        default=dict, blank=True, help_text="What launching found: topics, pooled documents, those without a text."
    )

    class Meta:
        ordering = ["-created"]
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_study_a_name"),
            models.CheckConstraint(
                condition=Q(most_overlap__isnull=True) | Q(most_overlap__gte=F("overlap")),
                name="most_overlap_is_no_less",
                violation_error_message=_("The most workers per item are no fewer than the workers of every item."),
            ),
            models.CheckConstraint(
                condition=Q(pay_an_hour=0) | Q(pay_a_judgement=0),
                name="paid_in_one_way",
                violation_error_message=_("Pay by the hour or by the judgement, not both."),
            ),
            models.CheckConstraint(
                condition=Q(kind="graded")
                | Q(topic_tags=[], topic_numbers=[], topic_count=None, judgement_budget=None, money_budget=None),
                name="a_pool_has_topics_and_a_budget",
                violation_error_message=_("Only a graded study chooses the topics and the budget of a pool."),
            ),
            models.CheckConstraint(
                condition=Q(money_budget=None) | Q(pay_an_hour__gt=0) | Q(pay_a_judgement__gt=0),
                name="money_is_spent_on_pay",
                violation_error_message=_("Say what workers are paid, or give the budget in judgements."),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args, **options) -> None:
        """Whoever makes a study owns it, until it is handed over."""
        if self.owner_id is None:
            self.owner_id = self.created_by_id
        super().save(*args, **options)

    @property
    def is_launched(self) -> bool:
        return self.state != self.State.DRAFT

    @property
    def compares(self) -> bool:
        """Whether workers see two lists and say which is better, instead of grading documents."""
        return self.kind == self.Kind.SIDE_BY_SIDE

    @property
    def is_adaptive(self) -> bool:
        """Whether more workers judge an item on which the first ones disagree."""
        return self.most_overlap is not None and self.most_overlap > self.overlap

    @property
    def has_budget(self) -> bool:
        """Whether its pool is as deep as a budget allows, whatever its depth."""
        return self.judgement_budget is not None or self.money_budget is not None

    @property
    def grades(self) -> list[int]:
        return [step["grade"] for step in self.scale]

    @property
    def question_list(self) -> list[Question]:
        return [Question(**fields) for fields in self.questions]

    @property
    def asks_by_subtopic(self) -> bool:
        return any(question.by_subtopic for question in self.question_list)
