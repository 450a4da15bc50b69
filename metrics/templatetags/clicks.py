from collections.abc import Mapping
from typing import Any

from django import template

from metrics.sentences import in_brackets, with_minus

register = template.Library()


@register.filter
def share(value: float | None) -> str:
    """
    >>> share(0.25664), share(None), share(0.0)
    ('25.7 %', '–', '0.0 %')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


@register.filter
def share_ends(estimate: Mapping[str, Any]) -> str:
    """
    >>> share_ends({"low": 0.2521, "high": 0.26124}), share_ends({"low": None, "high": None})
    ('[25.2, 26.1]', '')
    """
    return "" if estimate["low"] is None else f"[{100 * estimate['low']:.1f}, {100 * estimate['high']:.1f}]"


@register.filter
def whole(value: float) -> str:
    """
    >>> whole(-30178.4)
    '−30,178'
    """
    return with_minus(f"{value:,.0f}")


@register.filter
def between_of(row: Mapping[str, Any], name: str) -> str:
    """The interval of an estimate among a document's columns.

    >>> between_of({"shrunk low": 0.5, "shrunk high": 1.5}, "shrunk")
    '[0.500, 1.500]'
    """
    return in_brackets(row[f"{name} low"], row[f"{name} high"])
