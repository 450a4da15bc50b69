"""The wage that a worker sees while they judge. It stands on every page, so one short query counts it."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from django.db import connection
from django.utils.formats import localize
from django.utils.translation import gettext as _

from judging.database.rows import restored_value
from judging.models import Judgement, Study, Worker
from judging.pay.earnings import most_seconds
from judging.pay.paid_work import Done, paid_part
from judging.pay.rates import is_paid, to_cents, worth

TIME = "coalesce(sum(CASE WHEN milliseconds > %(most)s THEN %(most)s ELSE milliseconds END) {which}, 0)"
WORK = "FILTER (WHERE item.role = 'work')"
JOINED = "(SELECT consented FROM judging_worker worker WHERE worker.id = %(worker)s AND NOT worker.simulated)"
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
    statement = first_answers(limited=study.most_judgements is not None, timed=bool(study.pay_an_hour))
    with connection.cursor() as cursor:
        cursor.execute(statement, {"most": most_seconds(study) * 1000, "worker": worker.pk})
        all_answers, time, work, time_of_work, joined, last = cursor.fetchone()
    joined, last = restored_value(Worker, "consented", joined), restored_value(Judgement, "created", last)
    answers, milliseconds = paid_part(study, Done(all_answers, time, work, time_of_work, joined, last))
    return wage_of(study, answers, Decimal(milliseconds) / 1000)


@cache
def first_answers(*, limited: bool, timed: bool) -> str:
    """The statement that counts them as `Done` does: work by itself where it is limited, moments where time is paid."""
    of_work = f"count(*) {WORK}, {TIME.format(which=WORK)}" if limited else "0, 0"
    moments = f"{JOINED}, max(judgement.created)" if timed else "NULL, NULL"
    items = "JOIN judging_item item ON item.id = judgement.item_id" if limited else ""
    return f"""
SELECT count(*), {TIME.format(which="")}, {of_work}, {moments}
FROM judging_judgement judgement {items} WHERE judgement.worker_id = %(worker)s AND judgement.revises_id IS NULL"""  # noqa: S608  ours


def wage_of(study: Study, answers: int, seconds: Decimal) -> Wage:
    exact = worth(study, answers=answers, seconds=seconds)
    an_hour = to_cents(exact * 3600 / seconds) if seconds >= A_MINUTE else None
    return Wage(to_cents(exact), an_hour, study.currency)
