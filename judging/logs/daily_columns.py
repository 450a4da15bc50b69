"""The columns of records a day, as shapes of a picture that is 100 high."""

from collections.abc import Sequence
from typing import NamedTuple

from judging.logs.overviews import Bar

HEIGHT = 100
STEP = 20
THINNEST = 1  # what there is can be seen


class Column(NamedTuple):
    x: int
    queries: int  # heights
    events: int

    @property
    def top(self) -> int:
        return HEIGHT - self.queries - self.events

    @property
    def middle(self) -> int:
        return HEIGHT - self.queries


def highest(bars: Sequence[Bar]) -> int:
    return max((bar.queries or 0) + (bar.events or 0) for bar in bars)


def columns(bars: Sequence[Bar]) -> list[Column]:
    whole = highest(bars) or 1
    return [Column(place * STEP, height(bar.queries, whole), height(bar.events, whole)) for place, bar in enumerate(bars)]


def height(number: int | None, whole: int) -> int:
    """
    >>> height(50, 100), height(1, 10_000), height(0, 10), height(None, 10)
    (48, 1, 0, 0)
    """
    return max(THINNEST, round(number * (HEIGHT - 4) / whole)) if number else 0
