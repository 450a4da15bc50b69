from django.db import models
from knox.models import AbstractAuthToken


class Token(AbstractAuthToken):
    """A token of the API, of which knox keeps only the start and a hash."""

    name = models.CharField(max_length=60, blank=True, help_text="What it is for, in its owner's words.")
    last_used = models.DateTimeField(null=True, blank=True, help_text="To the minute.")

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.token_key}…"
