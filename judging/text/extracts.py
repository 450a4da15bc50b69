"""Extracts of a long document to read first: a few passages, where most of the query's words stand together.

The time it takes grows with the text and with nothing else.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

LONG = 1500  # characters; a shorter text is read whole
PASSAGE = 260  # how long a passage is, give or take
REACH = 80  # how far its ends may move, to meet those of a sentence
MOST = 3
BETWEEN = re.compile(r"(?<=[.!?…:;。！？])\s+|\n+")  # sentences
SPACE = re.compile(r"\s+")


class Hit(NamedTuple):
    """A place in the text where a word of the query stands, and the word's stem."""

    start: int
    end: int
    stem: str


class Span(NamedTuple):
    start: int
    end: int


def passages(text: str, hits: Sequence[Hit]) -> list[Span]:
    """The passages of a long text, from its beginning to its end, none touching another."""
    dense = densest(hits)
    if len(dense) < 2:
        dense.append(Span(0, 0 if dense else 2 * PASSAGE))  # what it begins with, since it has so few of the query's words
    return joined_spans([widened(text, span) for span in sorted(dense)])


def densest(hits: Sequence[Hit]) -> list[Span]:
    """Up to MOST spans that hold most of the query's words, and hold them most often."""
    windows = list(zip(scores(hits), hits, strict=True))
    chosen: list[Span] = []
    while windows and len(chosen) < MOST:
        (_, end), first = max(windows, key=lambda window: (window[0][0], -window[1].start))
        chosen.append(Span(first.start, end))
        windows = [window for window in windows if not first.start - 2 * PASSAGE < window[1].start < end + PASSAGE]
    return chosen


def scores(hits: Sequence[Hit]) -> list[tuple[tuple[int, int], int]]:
    """The score of the window that begins with each hit: the numbers of the query's words and of hits in it. With it comes the
    end of its last hit."""
    windows, inside, last = [], Counter[str](), 0
    for number, hit in enumerate(hits):
        while (last < len(hits) and hits[last].end <= hit.start + PASSAGE) or last == number:
            inside[hits[last].stem] += 1
            last += 1
        windows.append(((len(inside), last - number), hits[last - 1].end))
        inside[hit.stem] -= 1
        if not inside[hit.stem]:
            del inside[hit.stem]
    return windows


def widened(text: str, span: Span) -> Span:
    """The span with some of what stands around it, cut between sentences or at least between words."""
    room = max(PASSAGE - (span.end - span.start), 0)
    start = max(span.start - room // 2, 0)
    end = min(start + max(PASSAGE, span.end - span.start), len(text))
    return Span(beginning(text, start, span.start), ending(text, max(span.end, end), span.end))


def beginning(text: str, wanted: int, latest: int) -> int:
    if wanted <= REACH:
        return 0
    first = wanted - REACH
    sentences = [match.end() for match in BETWEEN.finditer(text, first, latest)]
    words = [match.end() for match in SPACE.finditer(text, first, latest)]
    return nearest(sentences or words, wanted)


def ending(text: str, wanted: int, earliest: int) -> int:
    last = wanted + REACH
    if last >= len(text):
        return len(text)
    sentences = [match.start() for match in BETWEEN.finditer(text, earliest, last)]
    words = [match.start() for match in SPACE.finditer(text, earliest, last)]
    return nearest(sentences or words, wanted)


def nearest(places: list[int], wanted: int) -> int:
    """The place to cut; in the middle of a word where there is no other."""
    return min(places, key=lambda place: abs(place - wanted), default=wanted)


def joined_spans(spans: list[Span]) -> list[Span]:
    """The spans, with those that touch joined."""
    joined: list[Span] = []
    for span in spans:
        if joined and span.start <= joined[-1].end + 1:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined
