"""The forest plot of a verdict: a track from 0 to 1 for each kind of evidence, with a line in the middle for no difference."""

import math

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ireval.significance import Decision
from metrics.figures.intervals import Scale, track

register = template.Library()
SHARES = Scale(0.0, 1.0, (0.5,))


@register.simple_tag
def forest(share: Decision) -> SafeString | str:
    """How often B beats A with its interval."""
    if math.isnan(share.value):
        return ""
    low, high = (share.value if math.isnan(end) else end for end in (share.low, share.high))
    ends = {"share": f"{share.value:.0%}", "low": f"{low:.0%}", "high": f"{high:.0%}"}
    return track(share.value, low, high, _("B beats A in %(share)s, interval %(low)s to %(high)s") % ends, SHARES)


@register.simple_tag
def ahead_mark(ahead: float) -> SafeString:
    """How far B is ahead on one topic, from −1 to 1, as a mark on such a track."""
    share = (ahead + 1) / 2
    return track(share, share, share, _("B is ahead by %(ahead)s") % {"ahead": f"{ahead:.2f}"}, SHARES)
