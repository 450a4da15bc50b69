from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """The languages, each by its own name: who looks for theirs cannot read the other. Django's own tag translates the names."""
    return settings.LANGUAGES
