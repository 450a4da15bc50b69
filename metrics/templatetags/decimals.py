import math
from collections.abc import Mapping
from typing import Any

from django import template

from metrics.kinds.runs.tables import number
from metrics.sentences import decimals, p_value

register = template.Library()
register.filter(p_value)
register.filter(number)  # as in means, files and the command; floatformat would round halves away from zero


@register.filter
def signed(number: float | None, digits: int = 4) -> str:
    """
    >>> signed(0.0312), signed(-0.5), signed(0.0), signed(-0.521, 2), signed(0.000012), signed(None)
    ('+0.0312', '−0.5000', '0.0000', '−0.52', '+0.00001', '–')
    """
    if number is None or math.isnan(number):
        return "–"
    text = f"{number:+.{decimals([number], digits)}f}"
    return text.replace("-", "−") if float(text) else text[1:]


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)


@register.filter
def coefficient(value: float | None) -> str:
    """
    >>> coefficient(-0.3333), coefficient(1.0), coefficient(None), coefficient(math.nan)
    ('−0.333', '1.000', '–', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{value:.3f}".replace("-", "−")
