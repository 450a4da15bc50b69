"""The work that judgements still to come take: hours, and money where the study pays, in words that every page shares."""

import math

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
    pay = f", {cost_of(study, judgements):,} {study.currency}" if is_paid(study) else ""
    return f"about {duration(hours_of(study, judgements))} of work{pay}"


def of_documents(study: Study, documents: int) -> str:
    """What it takes to have so many documents more judged, each by as many workers as the study wants, gold included.

    >>> of_documents(Study(overlap=3, seconds_a_judgement=30, gold_every=0), 50)
    '150 judgements, about 2 hours of work'
    """
    judgements = with_gold(study, documents * study.overlap)
    return f"{judgements:,} judgement{'' if judgements == 1 else 's'}, {work(study, judgements)}"


def duration(hours: float) -> str:
    """
    >>> duration(0.001), duration(0.99), duration(1.2)
    ('1 minute', '60 minutes', '2 hours')
    """
    number, unit = (math.ceil(hours), "hour") if hours > 1 else (math.ceil(60 * hours), "minute")
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
