from django import template

from judging.background.status import is_stopped

register = template.Library()


@register.simple_tag
def background_is_stopped() -> bool:
    return is_stopped()
