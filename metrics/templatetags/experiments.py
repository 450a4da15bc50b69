import math
from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _

from metrics.kinds.ab import words
from metrics.kinds.ab.lines import Line
from metrics.sentences import p_value, percent, with_minus

register = template.Library()
register.filter(words.amount)
register.filter(words.bare_change)
register.filter(words.change)
register.filter(words.rounded)
register.filter(words.whole)
register.filter("lift", words.as_lift)
register.filter(p_value)
register.filter(percent)

WORDS = {
    "better": ("▲", _("better")),
    "worse": ("▼", _("worse")),
    "higher": ("△", _("higher")),
    "lower": ("▽", _("lower")),
    "none": ("=", _("no difference")),
    "unknown": ("?", _("cannot tell")),
}


@register.filter
def points(share: float) -> str:
    """
    >>> points(0.0215), points(-0.5)
    ('+2.15', '−50.00')
    """
    return words.bare_change(share, "share")


@register.filter
def percent_of(number: float) -> str:
    """
    >>> percent_of(5.0), percent_of(-12.345)
    ('+5 %', '−12.3 %')
    """
    return with_minus(f"{number:+.3g} %")


@register.filter
def ends(line: Line) -> str:
    """The difference's interval, by the method that was chosen."""
    shown, unit = line.shown, line.definition.measured_in
    return "" if math.isnan(shown.low) else f"[{words.bare_change(shown.low, unit)}, {words.bare_change(shown.high, unit)}]"


@register.filter
def lift_ends(line: Line) -> str:
    low, high = line.shown.relative_low, line.shown.relative_high
    return "" if math.isnan(low) else f"[{words.as_lift(low)}, {words.as_lift(high)}]"


@register.filter
def verdict(line: Line) -> dict[str, Any]:
    """A sign and a word for how the metric changed."""
    sign, word = WORDS[line.judged]
    return {"sign": sign, "word": word}
