from typing import Self

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext_lazy as _

from judging.models.slot import Item, Slot
from judging.models.worker import Worker

# The order in which votes came.
IN_TURN = ["slot__judged_at", "pk"]


class JudgementQuerySet(models.QuerySet["Judgement"]):
    """Which judgements count."""

    def standing(self) -> Self:
        """Those that no other revises: of each worker and item the last one.

        Asked as NOT EXISTS. For “revised_by is null” PostgreSQL expects no row at all. A table of the workers of a million took
        109 seconds instead of 6.
        """
        return self.filter(~Exists(Judgement.objects.filter(revises=OuterRef("pk"))))

    def voting(self) -> Self:
        """Those that have a vote: surplus, “can't judge”, checks and workers who are set aside have none."""
        return self.standing().able()

    def able(self) -> Self:
        """Those that have a vote if they stand."""
        able = self.filter(slot__number__isnull=False, grade__isnull=False)
        return able.exclude(worker__standing=Worker.Standing.EXCLUDED)

    def deciding(self) -> Self:
        """Those that decide on an item: as many votes as it wants, the first ones. More came where somebody was excluded, and is
        so no longer."""
        place = Window(RowNumber(), partition_by="item", order_by=IN_TURN)
        return self.voting().annotate(place=place).filter(place__lte=F("item__wanted"))


class Judgement(models.Model):
    """One worker's act. Rows are only ever added: a changed mind is a row that revises another."""

    class CannotJudge(models.TextChoices):
        UNREADABLE = "unreadable", _("The document is empty, broken or unreadable")
        LANGUAGE = "language", _("I don't understand its language")
        UNCLEAR = "unclear", _("I don't understand what is asked")
        DIFFICULT = "difficult", _("It is too difficult for me")
        OTHER = "other", _("Something else")

    key = models.UUIDField(unique=True, help_text="Made by the browser: sent twice, it is stored once.")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgements", db_index=False)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="judgements", db_index=False)
    slot = models.ForeignKey(
        Slot, null=True, blank=True, on_delete=models.PROTECT, related_name="judgements", help_text="Empty: surplus."
    )
    revises = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="revised_by")
    grade = models.SmallIntegerField(null=True, blank=True)
    cannot_judge = models.CharField(max_length=12, choices=CannotJudge, blank=True)
    comment = models.TextField(blank=True)
    passages = models.JSONField(
        default=list,
        blank=True,
        help_text="What in the document speaks for the grade: [[start, end], …], characters of its text.",
    )
    replies = models.JSONField(
        default=dict,
        blank=True,
        help_text="To the study's further questions, by name: a number or a text, or one for each subtopic, by its number.",
    )
    milliseconds = models.PositiveIntegerField(default=0, help_text="How long the document was in view, as the page measured it.")
    created = models.DateTimeField(auto_now_add=True)

    objects = JudgementQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["slot"], condition=Q(revises__isnull=True), name="one_judgement_a_slot"),
            models.UniqueConstraint(
                fields=["item", "worker"], condition=Q(revises__isnull=True), name="one_judgement_an_item_and_worker"
            ),
            models.CheckConstraint(
                condition=Q(grade__isnull=False, cannot_judge="") | (Q(grade__isnull=True) & ~Q(cannot_judge="")),
                name="a_grade_or_a_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["item", "worker"], name="judgements_of_an_item"),
            models.Index(fields=["worker", "-id"], name="judgements_of_a_worker"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} by {self.worker_id}: {self.grade if self.grade is not None else self.cannot_judge}"
