"""The wage that a worker sees while they judge. It stands on every page, so one short query counts it."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import connection
from django.utils.formats import localize
from django.utils.translation import gettext as _

from judging.models import Study, Worker
from judging.pay.earnings import most_seconds
from judging.pay.rates import is_paid, to_cents, worth

WORK = """
SELECT count(*), coalesce(sum(CASE WHEN milliseconds > %(most)s THEN %(most)s ELSE milliseconds END), 0)
FROM judging_judgement WHERE worker_id = %(worker)s AND revises_id IS NULL"""
A_MINUTE = 60  # seconds: an hour's pay reckoned from less would jump with each answer


@dataclass(frozen=True)
class Wage:
    """What a worker's answers have earned so far, without bonuses; what an hour of that brings, where it can be said."""

    pay: Decimal
    an_hour: Decimal | None
    currency: str

    def __str__(self) -> str:
        pay = f"{localize(self.pay)} {self.currency}"
        return _("%(pay)s, %(hour)s an hour") % {"pay": pay, "hour": localize(self.an_hour)} if self.an_hour else pay


def wage(worker: Worker) -> Wage | None:
    """The wage so far, or None where the study pays nothing or the worker is a program."""
    study = worker.study
    if worker.machine or not is_paid(study):
        return None
    with connection.cursor() as cursor:
        cursor.execute(WORK, {"most": most_seconds(study) * 1000, "worker": worker.pk})
        answers, milliseconds = cursor.fetchone()
    return wage_of(study, answers, Decimal(milliseconds) / 1000)


def wage_of(study: Study, answers: int, seconds: Decimal) -> Wage:
    exact = worth(study, answers=answers, seconds=seconds)
    an_hour = to_cents(exact * 3600 / seconds) if seconds >= A_MINUTE else None
    return Wage(to_cents(exact), an_hour, study.currency)
