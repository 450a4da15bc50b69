from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from knox.models import AbstractAuthToken


class Token(AbstractAuthToken):
    """A token of the API, of which knox keeps only the start and a hash. Without an `expiry` it works until it is deleted."""

    name = models.CharField(max_length=60, blank=True, help_text="What it is for, in its owner's words.")
    read_only = models.BooleanField(default=False, help_text="It reads what its owner may read, and changes nothing.")
    last_used = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Days(models.IntegerChoices):
        """For how many days a token works that is made now."""

        MONTH = 30, _("30 days")
        QUARTER = 90, _("90 days")
        YEAR = 365, _("a year")

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.token_key}…"

    @property
    def has_expired(self) -> bool:
        return self.expiry is not None and self.expiry <= timezone.now()
