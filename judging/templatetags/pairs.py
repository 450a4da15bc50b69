from django import template
from django.utils.translation import gettext as _

from judging.models import Comparison, Item, Judgement, Run
from judging.work.pair_answers import as_seen, steps, words

register = template.Library()


@register.filter
def answers(comparison: Comparison) -> list[str]:
    """What workers can answer, from left to right."""
    return [words(step, comparison) for step in steps(comparison)]


@register.filter
def left_run(judgement: Judgement) -> Run | str:
    """The run whose list the worker had on the left; of a check, what is known of that list."""
    return runs_as_seen(judgement)[0]


@register.filter
def right_run(judgement: Judgement) -> Run | str:
    return runs_as_seen(judgement)[1]


def runs_as_seen(judgement: Judgement) -> list[Run | str]:
    lists = [(judgement.item.first, _("better")), (judgement.item.second, _("worse"))]
    return [listing.run or known for listing, known in (lists[::-1] if judgement.preference.swapped else lists) if listing]


@register.filter
def check_name(item: Item) -> str:
    """What buttons call a check."""
    return _("the pair of topic %(number)s") % {"number": item.topic.number} if item.first_id else item.document.docno


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
