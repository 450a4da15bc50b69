from collections.abc import Mapping
from typing import Any

from django import template

from metrics.kinds.runs.tables import number
from metrics.sentences import decimal, p_value, short_decimal, signed

register = template.Library()
register.filter(decimal)
register.filter(number)
register.filter(p_value)
register.filter(short_decimal)
register.filter(signed)


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)
