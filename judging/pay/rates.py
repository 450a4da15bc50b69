"""The rates that a study promises: by the judgement or by the hour, each converted into the other, and what work comes to."""

from decimal import ROUND_HALF_UP, Decimal

from judging.models import Study

CENT = Decimal("0.01")
HOUR = Decimal(3600)


def is_paid(study: Study) -> bool:
    return bool(study.pay_an_hour or study.pay_a_judgement)


def to_cents(amount: Decimal) -> Decimal:
    """Half a cent is rounded up.

    >>> to_cents(Decimal("0.125")), to_cents(Decimal("0.1249"))
    (Decimal('0.13'), Decimal('0.12'))
    """
    return amount.quantize(CENT, ROUND_HALF_UP)


def four_decimals(amount: Decimal) -> Decimal:
    """Four decimals where it takes them, else cents.

    >>> four_decimals(Decimal("0.0600")), four_decimals(Decimal("0.08333"))
    (Decimal('0.06'), Decimal('0.0833'))
    """
    fine, cents = amount.quantize(Decimal("0.0001"), ROUND_HALF_UP), to_cents(amount)
    return cents if cents == fine else fine.normalize()


def rate(study: Study) -> Decimal:
    """What a judgement is paid where each is: the study's pay, and on top what its further questions bring."""
    return study.pay_a_judgement and study.pay_a_judgement + sum(Decimal(question.pay) for question in study.question_list)


def an_hour(study: Study) -> Decimal:
    """What an hour brings to a worker who takes as long as expected."""
    return to_cents(Decimal(study.pay_an_hour) or rate(study) * HOUR / study.seconds_a_judgement)


def a_judgement(study: Study) -> Decimal:
    """What a judgement brings to a worker who takes as long as expected."""
    return four_decimals(Decimal(rate(study)) or study.pay_an_hour * study.seconds_a_judgement / HOUR)


def worth(study: Study, *, answers: int, seconds: Decimal) -> Decimal:
    """What so many answers, given in so much time, are paid; not rounded. One of the two rates is 0."""
    return rate(study) * Decimal(answers) + study.pay_an_hour * seconds / HOUR


def cost_of(study: Study, answers: int) -> Decimal:
    """What answers that take as long as expected cost, the marketplace's fees not included."""
    return to_cents(worth(study, answers=answers, seconds=Decimal(answers * study.seconds_a_judgement)))


def with_gold(study: Study, judgements: int) -> int:
    """How many answers it takes to get these judgements where one in each `gold_every` answers is to an item of known grade."""
    every = study.gold_every
    return judgements + -(-judgements // max(every - 1, 1)) if every else judgements
