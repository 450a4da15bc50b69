"""The earnings of each worker, and the time that they took.

What is paid, is paid once: the first answer to each item. Changing it neither adds nor takes away, and an answer that was sent
twice is one row. "Can't judge", surplus answers and checks are work like any other. By the hour, the time that a document was in
view counts up to a limit, so that a page left open does not earn. All of it counts up to the time that has passed. Where a study
limits what one worker judges, no more work than that is paid (`paid_work`). A worker's pay is rounded once, to cents; sums are of
the rounded amounts.

Who was screened out gets what the study promises for that instead, where it promises anything. Who was set aside keeps what they
earned; only a submission that was rejected on the marketplace is not paid. Programs that judge earn nothing. Bonuses are paid
whatever else.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from statistics import median, quantiles
from typing import Any

from django.db.models import Count, F, IntegerField, Max, Q, QuerySet, Sum, Value
from django.db.models.functions import Least

from judging.models import Arrival, Bonus, Item, Judgement, Study, Worker
from judging.pay.paid_work import Done, paid_part
from judging.pay.rates import to_cents, worth

TIMES_AS_LONG = 5  # as expected: so much time with one document can be work; more is a page that was left open
NOTHING = Decimal("0.00")
MAY_WORK = (Worker.Standing.GOOD, Worker.Standing.WARNED)
AFTER_THE_TEST = (Item.Role.WORK, Item.Role.GOLD, Item.Role.ATTENTION)


def most_seconds(study: Study) -> int:
    """How much time with one document is paid at most."""
    return min(TIMES_AS_LONG * study.seconds_a_judgement, study.lease_minutes * 60)


@dataclass(frozen=True)
class Earned:
    """What one worker has done and earned. `milliseconds` are those that count, `idle` those above the limits."""

    worker: int
    judged: int
    milliseconds: int
    idle: int
    exact: Decimal
    bonus: Decimal = NOTHING
    standing: str = Worker.Standing.GOOD
    simulated: bool = False
    machine: bool = False
    screened_out: bool = False
    rejected: bool = False

    @property
    def name(self) -> str:
        return f"w{self.worker}"

    @property
    def pay(self) -> Decimal:
        return to_cents(self.exact)

    @property
    def total(self) -> Decimal:
        return self.pay + self.bonus

    @property
    def minutes(self) -> float:
        return self.milliseconds / 60_000

    @property
    def an_hour(self) -> Decimal | None:
        """What an hour of it brought, bonuses included: to who works and is paid for it."""
        if not self.milliseconds or self.screened_out or self.rejected or self.machine:
            return None
        return to_cents((self.exact + self.bonus) * 3_600_000 / self.milliseconds)


def earned_in(study: Study) -> list[Earned]:
    """What each worker of the study has earned, by number. The database counts the rows."""
    return earned_by(study, study.workers.all())


def earned_of(worker: Worker) -> Earned:
    (row,) = earned_by(with_pay(worker), Worker.objects.filter(pk=worker.pk))
    return row


def with_pay(worker: Worker) -> Study:
    """The worker's study with what it pays: judge pages look up less of it."""
    names = [
        "pay_an_hour",
        "pay_a_judgement",
        "questions",
        "pay_screened_out",
        "currency",
        "seconds_a_judgement",
        "lease_minutes",
        "most_judgements",
    ]
    if worker.study.get_deferred_fields() & set(names):
        worker.study.refresh_from_db(fields=names)
    return worker.study


def earned_by(study: Study, workers: QuerySet[Worker]) -> list[Earned]:
    people = workers.order_by("pk").values_list("pk", "standing", "simulated", "machine", "consented", "arrival__outcome")
    these = workers.order_by().values("pk")
    done = {row["worker"]: row for row in work_of(study, these)}
    bonuses = dict(standing_bonuses().filter(worker__in=these).order_by().values_list("worker").annotate(Sum("amount")))
    worked = went_on_to_work(these)
    return [
        earned(
            study,
            done_by(done.get(pk, {}), joined=None if simulated else joined),
            in_view=done.get(pk, {}).get("in_view", 0),
            worker=pk,
            bonus=to_cents(bonuses.get(pk, NOTHING)),
            standing=standing,
            simulated=simulated,
            machine=bool(machine),
            rejected=outcome == Arrival.Outcome.REJECTED,
            screened_out=outcome == Arrival.Outcome.SCREENED_OUT
            or (standing not in MAY_WORK and pk in done and pk not in worked),
        )
        for pk, standing, simulated, machine, joined, outcome in people
    ]


def work_of(study: Study, workers: QuerySet) -> QuerySet:
    """The first answers of each, as `Done` counts them, and all of the time that they took (`in_view`)."""
    limit = Value(most_seconds(study) * 1000, output_field=IntegerField())
    counting = Least(F("milliseconds"), limit)
    first = Judgement.objects.filter(worker__in=workers, revises__isnull=True).order_by().values("worker")
    rows = first.annotate(answers=Count("id"), counting=Sum(counting), in_view=Sum("milliseconds"), last=Max("created"))
    if study.most_judgements is None:
        return rows
    work = Q(item__role=Item.Role.WORK)
    return rows.annotate(work=Count("id", filter=work), counting_of_work=Sum(counting, filter=work, default=0))


def done_by(row: dict[str, Any], *, joined: datetime | None) -> Done:
    return Done(
        answers=row.get("answers", 0),
        milliseconds=row.get("counting", 0),
        work=row.get("work", 0),
        milliseconds_of_work=row.get("counting_of_work", 0),
        joined=joined,
        last=row.get("last"),
    )


def went_on_to_work(workers: QuerySet) -> set[int]:
    """Who of those that may not work any more has answered anything besides training and the qualification test."""
    stopped = Judgement.objects.filter(worker__in=workers).exclude(worker__standing__in=MAY_WORK)
    return set(stopped.filter(item__role__in=AFTER_THE_TEST).order_by().values_list("worker", flat=True).distinct())


def standing_bonuses() -> QuerySet[Bonus]:
    return Bonus.objects.filter(withdrawn__isnull=True)


def earned(study: Study, done: Done, *, in_view: int, **about) -> Earned:
    answers, milliseconds = paid_part(study, done)
    if about["machine"] or about["rejected"]:
        exact = NOTHING
    elif about["screened_out"] and study.pay_screened_out:
        exact = study.pay_screened_out
    else:
        exact = worth(study, answers=answers, seconds=Decimal(milliseconds) / 1000)
    return Earned(judged=done.answers, milliseconds=milliseconds, idle=in_view - milliseconds, exact=exact, **about)


@dataclass(frozen=True)
class Earnings:
    """What all of a study's workers have earned together."""

    rows: list[Earned]

    @cached_property
    def pay(self) -> Decimal:
        return total(row.pay for row in self.rows if not row.screened_out)

    @cached_property
    def screened_out(self) -> list[Earned]:
        return [row for row in self.rows if row.screened_out]

    @cached_property
    def screening(self) -> Decimal:
        return total(row.pay for row in self.screened_out)

    @cached_property
    def bonuses(self) -> Decimal:
        return total(row.bonus for row in self.rows)

    @property
    def total(self) -> Decimal:
        return self.pay + self.screening + self.bonuses

    @cached_property
    def judged(self) -> int:
        return sum(row.judged for row in self.rows if not row.machine)

    @cached_property
    def seconds(self) -> float:
        return sum(row.milliseconds for row in self.rows if not row.machine) / 1000

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    @property
    def idle_minutes(self) -> float:
        return sum(row.idle for row in self.rows if not row.machine) / 60_000

    @property
    def seconds_a_judgement(self) -> float | None:
        return self.seconds / self.judged if self.judged else None

    @cached_property
    def hourly(self) -> list[Decimal]:
        return sorted(row.an_hour for row in self.rows if row.an_hour is not None)

    @property
    def median_hourly(self) -> Decimal | None:
        return to_cents(median(self.hourly)) if self.hourly else None

    @property
    def lowest_tenth(self) -> Decimal | None:
        """What the lowest tenth of workers got at most, an hour; says nothing about fewer than ten."""
        return to_cents(quantiles(self.hourly, n=10, method="inclusive")[0]) if len(self.hourly) >= 10 else None


def total(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, NOTHING)


def earnings(study: Study) -> Earnings:
    return Earnings(earned_in(study))
