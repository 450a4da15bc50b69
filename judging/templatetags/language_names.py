from typing import NamedTuple

from django import template
from django.conf import settings
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """The languages, each by its own name: who looks for theirs cannot read the other. Django's own tag translates the names."""
    return settings.LANGUAGES


class Guide(NamedTuple):
    address: str
    language: str


@register.simple_tag
def workers_guide() -> Guide:
    """The guide for workers in the page's language; in English where nobody has translated it."""
    language = (get_language() or "").partition("-")[0]
    is_translated = (settings.BASE_DIR / "docs" / "how-to" / f"judge-{language}.md").is_file()
    return Guide(f"/docs/how-to/judge-{language}/", language) if is_translated else Guide("/docs/how-to/judge/", "en")
