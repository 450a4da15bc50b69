from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.rule import Rule
from judging.models.worker import Worker


class Exclusion(models.Model):
    """An exclusion: a worker is warned, gets no more work, or has no vote. It says by whom, why, and since when no longer.

    Rows are only ever added and lifted, so that everything can be told and undone.
    """

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="exclusions")
    standing = models.CharField(
        max_length=8, choices=[choice for choice in Worker.Standing.choices if choice[0] != Worker.Standing.GOOD]
    )
    reason = models.TextField(help_text="For the researchers, and for the worker where they ask.")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="Empty: a rule."
    )
    rule = models.ForeignKey(Rule, null=True, blank=True, on_delete=models.PROTECT, related_name="exclusions")
    created = models.DateTimeField(auto_now_add=True)
    lifted = models.DateTimeField(null=True, blank=True, help_text="A warning ends when the worker has read it.")
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "worker"], name="a_rule_acts_once_on_a_worker"),
            models.CheckConstraint(condition=~Q(standing="good"), name="an_exclusion_is_one"),
            models.CheckConstraint(condition=Q(lifted_by__isnull=True) | Q(lifted__isnull=False), name="who_lifts_says_when"),
        ]

    def __str__(self) -> str:
        return f"{self.worker} {self.standing}"
