from django.conf import settings
from django.db import models

from judging.models.study import Study


class Link(models.Model):
    """An address for whoever has it. The table holds only the hash of its token."""

    nonce = models.CharField(max_length=43, unique=True)
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-created"]


class Invite(Link):
    """A link for whoever has it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invites")
    label = models.CharField(max_length=120, blank=True, help_text="To tell links apart: “mailing list”, “class of 2026”.")
    machines = models.BooleanField(default=False, help_text="For programs that judge through the API; no person comes in by it.")

    def __str__(self) -> str:
        return self.label or f"link {self.pk}"
