"""Numbers as sentences spell them, the same in every kind of report."""

from collections.abc import Mapping
from typing import Any


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "topic"), count(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def difference(before: int, after: int, noun: str) -> str:
    """How many more or fewer there are than before; empty for as many.

    >>> difference(900, 2104, "judgement"), difference(96, 95, "vote"), difference(9, 9, "vote")
    ('1,204 judgements more (was 900)', '1 vote fewer (was 96)', '')
    """
    if before == after:
        return ""
    return f"{count(abs(after - before), noun)} {'more' if after > before else 'fewer'} (was {before:,})"


def differ(before: Mapping[str, Any], after: Mapping[str, Any], *names: str) -> bool:
    """Whether two sets of facts differ in one of these; older ones may lack some."""
    return any(before.get(name) != after.get(name) for name in names)


def engine_change(before: str, after: str) -> str:
    """
    >>> engine_change("7", "8"), engine_change("8", "8")
    ('version 8 of the engine (was 7)', '')
    """
    return "" if before == after else f"version {after} of the engine (was {before})"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def as_p(p: float) -> str:
    """
    >>> as_p(0.0312), as_p(0.00002)
    ('= 0.0312', '< 0.0001')
    """
    return f"= {p:.4f}" if p >= 0.0001 else "< 0.0001"


def as_sentence(text: str) -> str:
    """
    >>> as_sentence("there is a single topic"), as_sentence("")
    ('There is a single topic.', '')
    """
    return f"{text[0].upper()}{text[1:]}." if text else ""
