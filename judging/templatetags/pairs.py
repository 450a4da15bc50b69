from django import template
from django.utils.translation import gettext as _

from judging.models import Comparison, Judgement, Run
from judging.work.pair_answers import as_seen, steps, words

register = template.Library()


@register.filter
def answers(comparison: Comparison) -> list[str]:
    """What workers can answer, from left to right."""
    return [words(step, comparison) for step in steps(comparison)]


@register.filter
def left_run(judgement: Judgement) -> Run:
    """The run whose list the worker had on the left."""
    return runs_as_seen(judgement)[0]


@register.filter
def right_run(judgement: Judgement) -> Run:
    return runs_as_seen(judgement)[1]


def runs_as_seen(judgement: Judgement) -> list[Run]:
    lists = [judgement.item.first, judgement.item.second]
    return [listing.run for listing in (lists[::-1] if judgement.preference.swapped else lists) if listing]


@register.filter
def answer_in_words(judgement: Judgement, comparison: Comparison) -> str:
    """What the worker answered, in the words of the button."""
    if judgement.preference.both_bad:
        return _("Both are bad")
    if judgement.grade is None:
        return ""
    return words(as_seen(judgement.grade, swapped=judgement.preference.swapped), comparison)


@register.filter
def percent(share: float) -> str:
    """
    >>> percent(0.705), percent(0.0)
    ('70 %', '0 %')
    """
    return f"{share:.0%}".replace("%", " %")
