from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from judging.models.study import Study
from judging.models.worker import Worker


class Rule(models.Model):
    """What happens to a worker whose work looks like this: a signal, a threshold and an action.

    A rule that is no longer wanted is ended, so that what it did can be told. It acts once on a worker: who was let in again in
    spite of it stays in.
    """

    class Signal(models.TextChoices):
        GOLD = "gold", _("Share of gold that is right")
        ATTENTION = "attention", _("Attention checks failed")
        AGREEMENT = "agreement", _("Agreement with the other workers")
        SECONDS = "seconds", _("Median seconds per judgement")
        HASTY = "hasty", _("Share of answers that were too fast")
        RUN = "run", _("The same grade in a row")
        COMMONEST = "commonest", _("Share of their commonest grade")
        CANNOT = "cannot", _("Share of “can’t judge”")
        TWIN = "twin", _("Same answers as one other worker")

    LOW_IS_BAD = frozenset({Signal.GOLD, Signal.AGREEMENT, Signal.SECONDS})
    OF_CHECKS = frozenset({Signal.GOLD, Signal.ATTENTION})

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="rules")
    signal = models.CharField(max_length=10, choices=Signal)
    threshold = models.FloatField(
        validators=[MinValueValidator(0)], help_text=_("Shares from 0 to 1. Below it, or from it on, depending on which is bad.")
    )
    least = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1)], help_text=_("From how many answers of that kind on the signal is heeded.")
    )
    action = models.CharField(
        max_length=8, choices=[choice for choice in Worker.Standing.choices if choice[0] != Worker.Standing.GOOD]
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.get_signal_display()} {'below' if self.signal in self.LOW_IS_BAD else 'from'} {self.threshold:g}"

    @classmethod
    def signals_for(cls, study: Study) -> list["Rule.Signal"]:
        """What can be looked at in a study: one of pairs has no attention checks."""
        return [signal for signal in cls.Signal if not (study.compares and signal == cls.Signal.ATTENTION)]
