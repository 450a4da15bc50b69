"""The work that judgements still to come take: hours, and money where the study pays, in words that every page shares."""

import math

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.models import Study
from judging.pay.rates import cost_of, is_paid, with_gold


def hours_of(study: Study, judgements: int) -> float:
    """How long workers take, one after the other, if each judgement takes as long as expected."""
    return judgements * study.seconds_a_judgement / 3600


def work(study: Study, judgements: int) -> str:
    """
    >>> work(Study(seconds_a_judgement=30), 40), work(Study(seconds_a_judgement=30, pay_a_judgement=1), 121)
    ('about 20 minutes of work', 'about 2 hours of work, 121.00 EUR')
    """
    time = {"time": duration(hours_of(study, judgements))}
    if not is_paid(study):
        return _("about %(time)s of work") % time
    return _("about %(time)s of work, %(pay)s") % {**time, "pay": f"{cost_of(study, judgements):,} {study.currency}"}


def of_documents(study: Study, documents: int) -> str:
    """What it takes to have so many documents more judged, each by as many workers as the study wants, gold included.

    >>> of_documents(Study(overlap=3, seconds_a_judgement=30, gold_every=0), 50)
    '150 judgements, about 2 hours of work'
    """
    judgements = with_gold(study, documents * study.overlap)
    text = ngettext("%(count)s judgement, %(work)s", "%(count)s judgements, %(work)s", judgements)
    return text % {"count": f"{judgements:,}", "work": work(study, judgements)}


def duration(hours: float) -> str:
    """
    >>> duration(0.001), duration(0.99), duration(1.2)
    ('1 minute', '60 minutes', '2 hours')
    """
    if hours > 1:
        number = math.ceil(hours)
        return ngettext("%(n)s hour", "%(n)s hours", number) % {"n": f"{number:,}"}
    number = math.ceil(60 * hours)
    return ngettext("%(n)s minute", "%(n)s minutes", number) % {"n": f"{number:,}"}
