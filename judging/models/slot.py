from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from judging.models.addition import Addition
from judging.models.collection import Document, Topic
from judging.models.study import Study


class Item(models.Model):
    """What is judged: one document for one topic, or two runs' lists for it.

    Work is judged by as many workers as the study wants. Training, the qualification test and gold are asked of every worker, and
    have grades that count as right.
    """

    class Role(models.TextChoices):
        WORK = "work", _("Work")
        TRAINING = "training", _("Training")
        TEST = "test", _("Qualification test")
        GOLD = "gold", _("Gold")
        ATTENTION = "attention", _("Attention check")
        MIRROR = "mirror", _("Another item with its sides swapped")
        SAME = "same", _("The same on both sides: a tie that nobody is asked for")
        RETIRED = "retired", _("Asked of nobody any more")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="items", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="+")
    # Empty where lists are compared; nothing that reads it is asked about those.
    document: models.ForeignKey[Document, Document] = models.ForeignKey(  # type: ignore[misc]
        Document, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    first = models.ForeignKey("judging.Listing", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey("judging.Listing", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    mirrors = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="mirrored")
    position = models.PositiveIntegerField(help_text="Topics stay together; within a topic documents are shuffled.")

    wanted = models.PositiveSmallIntegerField(default=1, help_text="How many votes are to decide on it.")
    role = models.CharField(max_length=9, choices=Role, default=Role.WORK)
    right = models.JSONField(default=list, blank=True, help_text="The grades that are right, if they are known: [2, 3].")
    explanation = models.TextField(blank=True, help_text="Why, for workers in training.")
    urgent = models.BooleanField(default=False, help_text="Judged before all others.")
    addition = models.ForeignKey(
        Addition,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="items",
        db_index=False,
        help_text="With which others it came. Empty: at the launch.",
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "topic", "document"], name="one_item_a_document"),
            models.UniqueConstraint(fields=["study", "first", "second"], name="one_item_two_lists"),
            models.UniqueConstraint(fields=["study", "position"], name="one_item_a_position"),
            models.CheckConstraint(
                condition=Q(document__isnull=False, first__isnull=True, second__isnull=True)
                | Q(document__isnull=True, first__isnull=False, second__isnull=False),
                name="a_document_or_two_lists",
            ),
            models.CheckConstraint(condition=Q(first__isnull=True) | ~Q(first=F("second")), name="two_lists_are_two"),
            models.CheckConstraint(
                condition=Q(role="mirror", mirrors__isnull=False) | (~Q(role="mirror") & Q(mirrors__isnull=True)),
                name="a_mirror_has_its_item",
            ),
            models.CheckConstraint(
                condition=Q(role__in=["work", "mirror", "same"]) | ~Q(right=[]), name="what_is_checked_has_a_right_grade"
            ),
        ]
        indexes = [
            models.Index(fields=["study", "role"], condition=~Q(role="work"), name="checks_of_a_study"),
            models.Index(fields=["addition"], condition=Q(addition__isnull=False), name="items_of_an_addition"),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id} × {self.document_id or f'{self.first_id} | {self.second_id}'}"


SPAN = 2**20  # positions that a topic takes; far more than a topic has slots, so that they lie scattered over it


class Slot(models.Model):
    """One of an item's K places for a worker. K rows exist from launch on, so K + 1 judgements have nowhere to go.

    Positions keep a topic's slots together and scatter them within it. A worker asks for the next slot behind a random point of
    the topic, and so gets its documents in an order of their own. The database finds that slot in an index.
    """

    # No indexes of their own for the keys: each stands first in one below, and every index is written twice a judgement.
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="slots", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="slots", db_index=False)
    position = models.PositiveBigIntegerField(help_text="Which topic of the study, times SPAN, plus a random number below SPAN.")
    number = models.PositiveSmallIntegerField(null=True, blank=True, help_text="1 … K; empty: asked of every worker.")
    urgent = models.BooleanField(default=False, help_text="As its item.")
    swapped = models.BooleanField(default=False, help_text="Whether the second list stands on the left.")
    worker = models.ForeignKey(
        "judging.Worker", null=True, blank=True, on_delete=models.PROTECT, related_name="slots", db_index=False
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    judged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="k_slots_an_item"),
            models.UniqueConstraint(fields=["item", "worker"], name="one_slot_an_item_and_worker"),
            models.CheckConstraint(
                condition=Q(judged_at__isnull=True) | Q(worker__isnull=False), name="judged_slots_have_a_worker"
            ),
            models.CheckConstraint(
                condition=Q(worker__isnull=True, leased_until__isnull=True) | Q(worker__isnull=False, leased_until__isnull=False),
                name="a_worker_holds_a_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["study", "position", "number"],
                condition=Q(judged_at__isnull=True, number__isnull=False),
                name="open_slots",
            ),
            models.Index(fields=["study", "position"], condition=Q(judged_at__isnull=True, urgent=True), name="urgent_slots"),
            models.Index(
                fields=["study", "position"], condition=Q(judged_at__isnull=False, number__isnull=False), name="judged_slots"
            ),
            models.Index(fields=["worker", "judged_at"], name="slots_of_a_worker"),
            models.Index(fields=["study", "judged_at"], name="progress_of_a_study"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}/{self.number}"
