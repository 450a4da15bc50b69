import math
from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def signed(number: float | None, digits: int = 4) -> str:
    """
    >>> signed(0.0312), signed(-0.5), signed(0.0), signed(-0.521, 2), signed(None)
    ('+0.0312', '−0.5000', '0.0000', '−0.52', '–')
    """
    if number is None or math.isnan(number):
        return "–"
    text = f"{number:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


@register.filter
def as_p(p: float | None) -> str:
    """
    >>> as_p(0.01234), as_p(0.00001), as_p(None)
    ('0.0123', '< 0.0001', '–')
    """
    if p is None:
        return "–"
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


@register.filter
def get(mapping: Mapping[str, Any], key: str) -> Any:
    return mapping.get(key)


@register.filter
def coefficient(value: float | None) -> str:
    """
    >>> coefficient(-0.3333), coefficient(1.0), coefficient(None)
    ('−0.333', '1.000', '–')
    """
    return "–" if value is None else f"{value:.3f}".replace("-", "−")
