"""How far a system is ahead on single topics: a track from 0 to 1, with a line in the middle for no difference."""

import math
from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from metrics.figures.intervals import Intervals, Mark, Scale, glance, track
from metrics.sentences import decimal, signed

register = template.Library()
SHARES = Scale(0.0, 1.0, (0.5,))


@register.simple_tag
def ahead_at_a_glance(b: object, kinds: Sequence[str], aheads: Sequence[float | None]) -> SafeString:
    """How far B is ahead on one topic, a mark for each kind of evidence. One that does not say leaves a gap."""
    title = (_("How far %(b)s is ahead there, from −1 to 1.") % {"b": b}).rstrip(".")
    shares = [math.nan if ahead is None else (ahead + 1) / 2 for ahead in aheads]
    words = zip(map(capfirst, kinds), shares, aheads, strict=True)
    return glance(Intervals(title, [Mark(kind, share, share, share, signed(ahead, 2)) for kind, share, ahead in words], SHARES))


@register.simple_tag
def ahead_mark(ahead: float) -> SafeString:
    """How far B is ahead on one topic, from −1 to 1, as a mark on the track."""
    share = (ahead + 1) / 2
    return track(share, share, share, _("B is ahead by %(ahead)s") % {"ahead": decimal(ahead, 2)}, SHARES)
