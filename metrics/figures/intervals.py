"""The figure of an answer: values with their intervals on one scale, drawn without a script, so that it prints."""

import math
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, WIDE, HEIGHT, EDGE = 220, 440, 26, 6
# The height of the numbers below the tracks, and how far apart two must stand.
AXIS, TICK = 16, 60
# Nobody reads more lines than that at a glance; the tables have all.
MOST = 12
# Of a figure in a list: its width, the height of a line, how far its dashed lines reach beyond, and how many lines.
GLANCE, STEP, BEYOND, MOST_AT_A_GLANCE = 150, 11, 4, 6
# Of a drawing that stands alone: where its columns begin, its width, the height of a line of text, and the letters that fit.
LABEL, TRACK, TEXT, WHOLE, LINE = 16, 270, 510, 760, 20
LETTERS_OF_A_LABEL, LETTERS_OF_A_TEXT, LETTERS_OF_A_LINE = 36, 32, 92
INK, GROUND, PALE, TONE = "#1b212a", "#ffffff", "#7d8693", "#0061a0"


class Mark(NamedTuple):
    """A value with the ends of its interval, NaN where there is none; `text` has the same in words.

    On a page it leads to its address.
    """

    label: str
    value: float
    low: float
    high: float
    text: str
    address: str = ""


class Scale(NamedTuple):
    """From where to where a figure reaches; `lines` are the values that mean something, such as no difference.

    With a `unit`, % or points, numbers are shown as hundredths.
    """

    start: float
    end: float
    lines: tuple[float, ...] = ()
    unit: str = ""
    width: int = WIDTH

    def place(self, value: float) -> float:
        share = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(EDGE + (self.width - 2 * EDGE) * share, 1)

    def named(self, value: float) -> str:
        """The value with as many digits as tell the ends apart.

        >>> Scale(0.0, 1.0).named(0.5), Scale(0.31, 0.52).named(0.31), Scale(-120.0, 310.0).named(0.0)
        ('0.5', '0.31', '0')
        >>> Scale(-0.0123, 0.18, unit="points").named(0.18), Scale(-0.0123, 0.18, unit="points").named(-0.0123)
        ('18 points', '−1 points')
        """
        factor = 100 if self.unit else 1
        digits = max(0, 1 - math.floor(math.log10(factor * (self.end - self.start))))
        text = f"{factor * value:.{digits}f}"
        text = (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
        return f"{text} {self.unit}".strip()

    def ticks(self) -> list[tuple[float, str]]:
        """Values to name below the tracks, and where their text is anchored: all lines, and the ends that lie free of them."""
        ends = ((self.start, "start"), (self.end, "end"))
        free = [(end, side) for end, side in ends if all(abs(self.place(line) - self.place(end)) > TICK for line in self.lines)]
        return free + [(line, "middle") for line in self.lines]


class Intervals(NamedTuple):
    title: str
    marks: Sequence[Mark]
    scale: Scale


def around(title: str, marks: Sequence[Mark], even: float | None = None, unit: str = "") -> Intervals | None:
    """The first marks on a scale that holds them all, and `even`, where there is no difference; None without any value."""
    shown = [mark for mark in marks if not math.isnan(mark.value)][:MOST]
    if not shown:
        return None
    every = [end for mark in shown for end in (mark.value, mark.low, mark.high) if math.isfinite(end)]
    lines = () if even is None else (even,)
    start, end = min([*every, *lines]), max([*every, *lines])
    margin = (end - start) / 20 or 1.0
    return Intervals(title, shown, Scale(start - margin, end + margin, lines, unit))


def known(end: float | None) -> float:
    """The end of an interval, NaN where there is none."""
    return math.nan if end is None else end


def track(value: float, low: float, high: float, label: str, scale: Scale) -> SafeString:
    """A mark with its interval on the scale."""
    return format_html(
        '<svg class="forest" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}">{shapes}</svg>',
        w=scale.width, h=HEIGHT, label=label, shapes=shapes(value, low, high, scale),
    )  # fmt: skip


def axis(scale: Scale) -> SafeString:
    """Numbers along the scale, to stand below the tracks."""
    texts = ((scale.place(value), anchor, scale.named(value)) for value, anchor in scale.ticks())
    return format_html(
        '<svg class="forest axis" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true">{texts}</svg>',
        w=scale.width, h=AXIS, texts=format_html_join("", '<text x="{}" y="12" text-anchor="{}">{}</text>', texts),
    )  # fmt: skip


def shapes(value: float, low: float, high: float, scale: Scale) -> SafeString:
    """The track with its mark and interval. The page's style goes before the looks that are named here."""
    low, high = (value if math.isnan(end) else end for end in (low, high))
    lines = format_html_join(
        "",
        '<line class="even" x1="{}" x2="{}" y1="2" y2="{}" stroke="{}"/>',
        ((scale.place(line), scale.place(line), HEIGHT - 2, PALE) for line in scale.lines),
    )
    return format_html(
        '<line class="track" x1="{left}" x2="{right}" y1="{m}" y2="{m}" stroke="{pale}"/>{lines}'
        '<line class="reach" x1="{low}" x2="{high}" y1="{m}" y2="{m}" stroke="{tone}" stroke-width="3"/>'
        '<circle cx="{x}" cy="{m}" r="5"/>',
        m=HEIGHT / 2, left=EDGE, right=scale.width - EDGE, lines=lines, low=scale.place(low), high=scale.place(high),
        x=scale.place(value), pale=PALE, tone=TONE,
    )  # fmt: skip


def glance(figure: Intervals) -> SafeString:
    """The first lines of the figure without words, for a list. The pointer shows what they say, and readers aloud read it."""
    marks, scale = figure.marks[:MOST_AT_A_GLANCE], figure.scale._replace(width=GLANCE)
    height = STEP * len(marks) + 2 * BEYOND
    even = ((scale.place(line), scale.place(line), height) for line in scale.lines)
    says = "; ".join(f"{mark.label}: {mark.text}" for mark in marks) + ("; …" if len(figure.marks) > len(marks) else "")
    return format_html(
        '<svg class="forest glance" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">'
        '<title>{title}. {says}</title>{even}{marks}</svg>',
        w=GLANCE, h=height, title=figure.title, says=says,
        even=format_html_join("", '<line class="even" x1="{}" x2="{}" y1="0" y2="{}"/>', even),
        marks=format_html_join(
            "", "{}", ((small(mark, scale, place),) for place, mark in enumerate(marks) if not math.isnan(mark.value))
        ),
    )  # fmt: skip


def small(mark: Mark, scale: Scale, place: int) -> SafeString:
    """A mark with its interval, at its place from the top."""
    low, high = (mark.value if math.isnan(end) else end for end in (mark.low, mark.high))
    return format_html(
        '<line class="track" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'
        '<line class="reach" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/><circle cx="{x}" cy="{y}" r="3.5"/>',
        left=EDGE, right=scale.width - EDGE, low=scale.place(low), high=scale.place(high), x=scale.place(mark.value),
        y=BEYOND + STEP * (place + 0.5),
    )  # fmt: skip


def drawing(sentence: str, figure: Intervals | None) -> SafeString:
    """The sentence with its figure as an SVG that stands alone in a page elsewhere: without style, font or script."""
    head = textwrap.wrap(sentence, LETTERS_OF_A_LINE)
    words = [written(LABEL, LINE * (place + 1.5), text, 14) for place, text in enumerate(head)]
    top = LINE * (len(head) + 1.5)
    if figure:
        words.append(written(LABEL, top + LINE / 2, figure.title, 12))
        for place, mark in enumerate(figure.marks):
            words += row(mark, figure.scale, top + LINE + HEIGHT * place)
        top += LINE + HEIGHT * len(figure.marks)
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{label}"'
        ' font-family="sans-serif" fill="{ink}"><rect width="{w}" height="{h}" rx="8" fill="{ground}"/>{words}</svg>',
        w=WHOLE, h=top + LINE / 2, label=sentence, ink=INK, ground=GROUND,
        words=format_html_join("", "{}", ((word,) for word in words)),
    )  # fmt: skip


def row(mark: Mark, scale: Scale, top: float) -> list[SafeString]:
    """A mark's label, its interval and its text, in a row that begins at `top`."""
    base = top + HEIGHT / 2 + 4
    drawn = shapes(mark.value, mark.low, mark.high, scale)
    return [
        written(LABEL, base, textwrap.shorten(mark.label, LETTERS_OF_A_LABEL, placeholder="…"), 12),
        format_html('<g transform="translate({} {})" fill="{}">{}</g>', TRACK, top, TONE, drawn),
        written(TEXT, base, textwrap.shorten(mark.text, LETTERS_OF_A_TEXT, placeholder="…"), 12),
    ]


def written(x: float, y: float, text: str, size: int) -> SafeString:
    return format_html('<text x="{}" y="{}" font-size="{}">{}</text>', x, y, size, text)
