from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from judging.models.worker import Worker


class Bonus(models.Model):
    """Money for a worker besides what their judgements earn, in the study's currency. Taken back, never deleted."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="bonuses")
    amount = models.DecimalField(max_digits=7, decimal_places=2, validators=[MinValueValidator(0.01)])
    reason = models.CharField(max_length=200, help_text=_("What it is for, in words that the worker may read."))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    withdrawn = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "bonuses"
        constraints = [
            models.CheckConstraint(condition=Q(amount__gt=0), name="a_bonus_is_money"),
            models.CheckConstraint(
                condition=Q(withdrawn_by__isnull=True) | Q(withdrawn__isnull=False), name="who_withdraws_says_when"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for {self.worker}"
