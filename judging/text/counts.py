"""How many of something there are, as sentences and pages say it in the reader's language."""

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
