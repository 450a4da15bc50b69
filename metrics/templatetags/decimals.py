from collections.abc import Mapping
from typing import Any

from django import template

from metrics.kinds.runs.tables import number
from metrics.sentences import coefficient, p_value, signed

register = template.Library()
register.filter(coefficient)
register.filter(p_value)
register.filter(signed)
register.filter(number)  # as in means, files and the command; floatformat would round halves away from zero


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)
