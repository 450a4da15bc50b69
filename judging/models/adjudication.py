from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.slot import Item


class Adjudication(models.Model):
    """The grade of an item as a researcher, or an expert they named, settled it. The workers' judgements stay as they are.

    Rows are only ever added: another grade, or none, withdraws the one before.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="adjudications")
    grade = models.SmallIntegerField()
    comment = models.TextField(blank=True, help_text="Why, for the researchers.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    withdrawn = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["item"], condition=Q(withdrawn__isnull=True), name="one_settled_grade_an_item"),
            models.CheckConstraint(
                condition=Q(withdrawn__isnull=True, withdrawn_by__isnull=True)
                | Q(withdrawn__isnull=False, withdrawn_by__isnull=False),
                name="who_withdraws_a_grade_says_when",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.grade} by {self.by_id}"
