from django import template

from judging.text.counts import count
from metrics.kinds.quality.results import Coefficient
from metrics.sentences import percent, with_minus

register = template.Library()
register.filter("counted", count)
register.filter("percent", percent)


@register.filter
def ends(coefficient: Coefficient) -> str:
    low, high = coefficient.low, coefficient.high
    return "" if low is None or high is None else with_minus(f"[{low:.3f}, {high:.3f}]")
