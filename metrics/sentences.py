"""Numbers as sentences spell them, the same in every kind of report."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from judging.text.counts import count


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Join names to a phrase; of more than the most, only two and how many others there are.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=3)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 others')
    """
    if most and len(names) > most:
        first, second, *others = names
        return _("%(first)s, %(second)s and %(count)s others") % {"first": first, "second": second, "count": len(others)}
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


def difference(before: int, after: int, noun: str) -> str:
    """How many more or fewer there are than before; empty for as many.

    >>> difference(900, 2104, "judgement"), difference(96, 95, "vote"), difference(9, 9, "vote")
    ('1,204 judgements more (was 900)', '1 vote fewer (was 96)', '')
    """
    if before == after:
        return ""
    change = _("%(count)s more (was %(before)s)") if after > before else _("%(count)s fewer (was %(before)s)")
    return change % {"count": count(abs(after - before), noun), "before": f"{before:,}"}


def differ(before: Mapping[str, Any], after: Mapping[str, Any], *names: str) -> bool:
    """Whether two sets of facts differ in one of these; older ones may lack some."""
    return any(before.get(name) != after.get(name) for name in names)


def engine_change(before: str, after: str) -> str:
    """
    >>> engine_change("7", "8"), engine_change("8", "8")
    ('version 8 of the engine (was 7)', '')
    """
    if before == after:
        return ""
    return _("version %(after)s of the engine (was %(before)s)") % {"after": after, "before": before}


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
    return f"{capitalised(text)}." if text else ""


def capitalised(text: str) -> str:
    """
    >>> capitalised("mean of AP")
    'Mean of AP'
    """
    return f"{text[:1].upper()}{text[1:]}"
