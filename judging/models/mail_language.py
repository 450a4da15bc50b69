from django.conf import settings
from django.db import models
from django.utils.translation import get_language


def language_of_page() -> str:
    """That of whoever asks for the page; of background work, the installation's."""
    return get_language() or settings.LANGUAGE_CODE


class MailLanguage(models.Model):
    """Something about which somebody is written to."""

    language = models.CharField(
        max_length=10,
        default=language_of_page,
        db_default=settings.LANGUAGE_CODE,
        editable=False,
        help_text="In which it is written: that of the page where it was asked for.",
    )

    class Meta:
        abstract = True
