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
    middle = HEIGHT / 2
    return format_html(
        '<svg class="forest" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">'
        '<line class="track" x1="{left}" x2="{right}" y1="{m}" y2="{m}"/>'
        '<line class="even" x1="{half}" x2="{half}" y1="2" y2="{bottom}"/>'
        '<line class="reach" x1="{low}" x2="{high}" y1="{m}" y2="{m}"/><circle cx="{x}" cy="{m}" r="5"/></svg>',
        w=WIDTH, h=HEIGHT, m=middle, bottom=HEIGHT - 2, left=place(0), right=place(1), half=place(0.5),
        low=place(low), high=place(high), x=place(share.value), label=in_words(share, low, high),
    )  # fmt: skip


def in_words(share: Decision, low: float, high: float) -> str:
    return f"B beats A in {share.value:.0%}, interval {low:.0%} to {high:.0%}"
