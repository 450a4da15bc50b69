"""Numbers as sentences spell them, the same in every kind of report."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

NOUNS = {
    "answer": ngettext_lazy("%(n)s answer", "%(n)s answers", "number"),
    "click": ngettext_lazy("%(n)s click", "%(n)s clicks", "number"),
    "comparison": ngettext_lazy("%(n)s comparison", "%(n)s comparisons", "number"),
    "day": ngettext_lazy("%(n)s day", "%(n)s days", "number"),
    "decided vote": ngettext_lazy("%(n)s decided vote", "%(n)s decided votes", "number"),
    "document": ngettext_lazy("%(n)s document", "%(n)s documents", "number"),
    "grade": ngettext_lazy("%(n)s grade", "%(n)s grades", "number"),
    "hour": ngettext_lazy("%(n)s hour", "%(n)s hours", "number"),
    "impression": ngettext_lazy("%(n)s impression", "%(n)s impressions", "number"),
    "item": ngettext_lazy("%(n)s item", "%(n)s items", "number"),
    "judgement": ngettext_lazy("%(n)s judgement", "%(n)s judgements", "number"),
    "list": ngettext_lazy("%(n)s list", "%(n)s lists", "number"),
    "minute": ngettext_lazy("%(n)s minute", "%(n)s minutes", "number"),
    "measure": ngettext_lazy("%(n)s measure", "%(n)s measures", "number"),
    "more day": ngettext_lazy("%(n)s more day", "%(n)s more days", "number"),
    "pair": ngettext_lazy("%(n)s pair", "%(n)s pairs", "number"),
    "qrels": ngettext_lazy("%(n)s qrels", "%(n)s qrels", "number"),
    "run": ngettext_lazy("%(n)s run", "%(n)s runs", "number"),
    "tie": ngettext_lazy("%(n)s tie", "%(n)s ties", "number"),
    "topic": ngettext_lazy("%(n)s topic", "%(n)s topics", "number"),
    "user": ngettext_lazy("%(n)s user", "%(n)s users", "number"),
    "vote": ngettext_lazy("%(n)s vote", "%(n)s votes", "number"),
    "worker": ngettext_lazy("%(n)s worker", "%(n)s workers", "number"),
}


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "topic"), count(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return NOUNS[noun] % {"number": number, "n": f"{number:,}"}


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
