from django.conf import settings
from django.db import models

from judging.models.study import Study


class Addition(models.Model):
    """What a launched study was given to judge besides its pool, at once by one person. Its items refer to it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="additions")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Empty: the command line.",
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.created:%Y-%m-%d %H:%M}"
