from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from judging.models.collection import Collection
from judging.models.site import Site
from judging.models.system import System

GRADED = ("experts", "workers", "machines", "clicks")
# What is expected of each kind of evidence unless somebody says otherwise: the measure of grades, and what matters.
USUAL: dict[str, dict[str, Any]] = {
    **{kind: {"measure": "nDCG@10", "margin": 0.02} for kind in GRADED},
    "votes": {"margin": 0.05},
    "interleaving": {"margin": 0.02},
    "ab": {"margin": 0.01},
}


class Hypothesis(models.Model):
    """A question asked once: is system B better than system A, and how much better must it be to matter?

    When it was asked tells what was expected before the evidence came from what was asked of evidence that was there. So all but
    its owner stays as it is: another expectation is another hypothesis.
    """

    a = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    b = models.ForeignKey(System, on_delete=models.CASCADE, related_name="+")
    alpha = models.FloatField(default=0.05, validators=[MinValueValidator(0.001), MaxValueValidator(0.2)])
    expectations = models.JSONField(
        help_text="By kind of evidence the smallest difference that matters, of grades with the measure: {measure, margin}."
    )
    why = models.TextField(blank=True, help_text="What you expect, and why.")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="hypotheses_owned",
        help_text="Who says who sees the verdict. Its evidence is what they may read.",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="hypotheses_read", help_text="Who may see the verdict."
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "hypotheses"
        constraints = [models.CheckConstraint(condition=~Q(a=F("b")), name="two_systems_are_two")]

    def __str__(self) -> str:
        return f"{self.b} against {self.a}"

    def save(self, *args, **options) -> None:
        """Whoever asks owns the question, until it is handed over."""
        if self.owner_id is None:
            self.owner_id = self.created_by_id
        super().save(*args, **options)

    @property
    def name(self) -> str:
        """The same in the reader's language; what is written down is in English."""
        return gettext("%(b)s against %(a)s") % {"b": self.b, "a": self.a}

    @property
    def scope(self) -> Collection | Site | Any:
        """The collection or the site whose systems these are."""
        return self.a.collection or self.a.site

    @property
    def collection(self) -> Collection | None:
        """The collection whose documents and topics the systems search; None for a site without one."""
        return self.scope if isinstance(self.scope, Collection) else self.scope.collection
