"""Passages that a worker marked as evidence: [start, end] in characters of the text, the end behind the last one."""

import json
from typing import Any

from judging.errors import Unacceptable

MOST = 20
LONGEST_TEXT = 10**7
MOST_WRITTEN = 2000  # characters of JSON; MOST passages need a quarter of it

Passages = list[list[int]]


class NotPassages(Unacceptable):
    """What was sent is no list of passages."""


def read(text: str) -> Passages:
    """The passages in a form's field: JSON, [[start, end], …], or nothing."""
    if not text.strip():
        return []
    if len(text) > MOST_WRITTEN:
        raise NotPassages
    try:
        return merged_passages(json.loads(text))
    except (ValueError, RecursionError):
        raise NotPassages from None


def merged_passages(passages: Any) -> Passages:
    """The passages in the order of the text, with those that overlap or touch joined. NotPassages for anything else."""
    if not isinstance(passages, list) or not all(map(is_passage, passages)):
        raise NotPassages
    joined: Passages = []
    for start, end in sorted(passages):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    if len(joined) > MOST:
        raise NotPassages
    return joined


def is_passage(value: Any) -> bool:
    whole = isinstance(value, list | tuple) and len(value) == 2 and all(type(place) is int for place in value)
    return whole and 0 <= value[0] < value[1] <= LONGEST_TEXT


def passage_words(passages: Passages, text: str) -> list[str]:
    """The passages' words. One beyond the end of the text has none."""
    return [text[start:end] for start, end in passages if text[start:end]]


def passage_texts(passages: Passages, text: str) -> list[dict]:
    """The start, the end and the words of each passage, for files and programs."""
    return [{"start": start, "end": end, "text": text[start:end]} for start, end in passages]
