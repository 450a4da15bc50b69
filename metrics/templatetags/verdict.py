"""How far a system is ahead on single topics: a track from 0 to 1, with a line in the middle for no difference."""

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from metrics.figures.intervals import Scale, track
from metrics.sentences import decimal

register = template.Library()
SHARES = Scale(0.0, 1.0, (0.5,))


@register.simple_tag
def ahead_mark(ahead: float) -> SafeString:
    """How far B is ahead on one topic, from −1 to 1, as a mark on the track."""
    share = (ahead + 1) / 2
    return track(share, share, share, _("B is ahead by %(ahead)s") % {"ahead": decimal(ahead, 2)}, SHARES)
