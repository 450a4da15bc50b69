from collections.abc import Mapping
from typing import Any

from django import template

from metrics.kinds.runs.tables import number
from metrics.sentences import decimal, in_brackets, p_value, short_decimal, signed

register = template.Library()
register.filter(decimal)
register.filter(number)
register.filter(p_value)
register.filter(short_decimal)
register.filter(signed)


@register.filter
def between(estimate: Any, null: float = 0.0) -> str:
    """The ends of an interval, told from 0 and from another value that would say that nothing is there.

    >>> between({"low": -0.5, "high": 0.75}), between({"low": 0.5003, "high": 0.581}, 0.5), between({"low": None, "high": None})
    ('[−0.500, 0.750]', '[0.5003, 0.5810]', '')
    """
    low, high = (estimate["low"], estimate["high"]) if isinstance(estimate, Mapping) else (estimate.low, estimate.high)
    return in_brackets(low, high, nulls=(0.0, null))


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)
