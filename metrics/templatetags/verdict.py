"""The forest plot of a verdict: a track from 0 to 1 for each kind of evidence, drawn without a script, so that it prints."""

import math

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ireval.significance import Decision

register = template.Library()
WIDTH, HEIGHT, EDGE = 220, 26, 6


def place(share: float) -> float:
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 1)


@register.simple_tag
def forest(share: Decision) -> SafeString | str:
    """How often B beats A with its interval; the line in the middle is no difference."""
    if math.isnan(share.value):
        return ""
    low, high = (share.value if math.isnan(end) else end for end in (share.low, share.high))
    return track(share.value, low, high, f"B beats A in {share.value:.0%}, interval {low:.0%} to {high:.0%}")


@register.simple_tag
def ahead_mark(ahead: float) -> SafeString:
    """How far B is ahead on one topic, from −1 to 1, as a mark on such a track."""
    share = (ahead + 1) / 2
    return track(share, share, share, f"B is ahead by {ahead:.2f}")


def track(value: float, low: float, high: float, label: str) -> SafeString:
    """A mark with its interval between 0 and 1."""
    return format_html(
        '<svg class="forest" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">'
        '<line class="track" x1="{left}" x2="{right}" y1="{m}" y2="{m}"/>'
        '<line class="even" x1="{half}" x2="{half}" y1="2" y2="{bottom}"/>'
        '<line class="reach" x1="{low}" x2="{high}" y1="{m}" y2="{m}"/><circle cx="{x}" cy="{m}" r="5"/></svg>',
        w=WIDTH, h=HEIGHT, m=HEIGHT / 2, bottom=HEIGHT - 2, left=place(0), right=place(1), half=place(0.5),
        low=place(low), high=place(high), x=place(value), label=label,
    )  # fmt: skip
