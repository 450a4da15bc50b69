from django import template

from judging.text.counts import count
from metrics.kinds.quality.results import Coefficient
from metrics.sentences import in_brackets, percent

register = template.Library()
register.filter("counted", count)
register.filter("percent", percent)


@register.filter
def ends(coefficient: Coefficient) -> str:
    return in_brackets(coefficient.low, coefficient.high)
