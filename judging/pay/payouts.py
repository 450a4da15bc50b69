"""Files to settle with: who came by a marketplace and what became of them, what everybody earned, and bonuses to upload there."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal

from django.db.models import Sum

from ireval.io.csv_rows import csv_of
from judging.models import Arrival, Channel, Study
from judging.pay.earnings import NOTHING, Earned, earned_in, standing_bonuses
from judging.pay.rates import to_cents
from judging.recruiting.arrivals import arrivals_of, code_of

COLUMNS = [
    *("worker", "source", "channel", "participant_id", "submission_id", "study_id"),
    *("outcome", "judgements", "minutes", "code", "arrived", "ended", "amount", "bonus", "currency"),
]
EARNED = ["worker", "judgements", "minutes", "amount", "bonus", "total", "an_hour", "currency", "remark"]
# Prolific's box for bulk bonuses takes such lines without a heading; Connect's upload has one.
HEADINGS = {Channel.Source.PROLIFIC: None, Channel.Source.CONNECT: ["participantId", "assignmentId", "amount", "message"]}
MESSAGE = "Thank you for your work."
Outcome = Arrival.Outcome


def payouts(study: Study) -> bytes:
    """A CSV file for the study's members. It says who people are on the marketplace, except for those who were erased."""
    earned = {row.worker: row for row in earned_in(study)}
    arrivals = arrivals_of(study).iterator(chunk_size=2000)
    return as_csv(COLUMNS, (row_of(arrival, earned.get(arrival.worker_id), study) for arrival in arrivals))  # type: ignore[arg-type]


def row_of(arrival: Arrival, earned: Earned | None, study: Study) -> list:
    times = [when.strftime("%Y-%m-%dT%H:%M:%SZ") if when else "" for when in (arrival.arrived, arrival.ended)]
    return [
        *(arrival.worker or "", arrival.channel.source, arrival.channel),
        *(arrival.participant, arrival.submission, arrival.their_study),
        *(arrival.outcome, arrival.judgements, minutes(arrival), code_of(arrival), *times),  # type: ignore[attr-defined]
        *((earned.pay, earned.bonus) if earned else (NOTHING, NOTHING)),
        study.currency,
    ]


def minutes(arrival: Arrival) -> float:
    return round(arrival.milliseconds / 60_000, 1)  # type: ignore[attr-defined]  # an annotation


def earned_file(study: Study) -> bytes:
    """What every worker has earned, one line per worker, without anything that says who they are."""
    return as_csv(EARNED, (earned_row(row, study) for row in earned_in(study)))


def earned_row(row: Earned, study: Study) -> list:
    hourly = "" if row.an_hour is None else row.an_hour
    amounts = [row.pay, row.bonus, row.total, hourly, study.currency]
    return [row.name, row.judged, round(row.minutes, 1), *amounts, "; ".join(remarks(row))]


def remarks(row: Earned) -> list[str]:
    reasons = {"screened out": row.screened_out, "rejected": row.rejected, "program": row.machine, "simulated": row.simulated}
    return [words for words, applies in reasons.items() if applies]


def bonus_file(
    study: Study, source: str, *, everything: bool = False, reward: Decimal = NOTHING, since: date | None = None
) -> bytes:
    """What the marketplace takes to pay bonuses: participants and amounts, an amount each."""
    heading = HEADINGS[Channel.Source(source)]
    amounts = amounts_owed(study, source, reward) if everything else bonus_amounts(study, source, since)
    rows = ((arrival.participant, arrival.submission, amount, MESSAGE) for arrival, amount in amounts)
    return as_csv(heading, rows if heading else ((participant, amount) for participant, _, amount, _ in rows))


def participants(study: Study, source: str) -> Iterator[Arrival]:
    arrivals = Arrival.objects.filter(channel__study=study, channel__source=source, worker__isnull=False, erased__isnull=True)
    return arrivals.order_by("pk").iterator(chunk_size=2000)


def bonus_amounts(study: Study, source: str, since: date | None) -> Iterator[tuple[Arrival, Decimal]]:
    """Each participant's bonuses that stand, summed up. `since` leaves out earlier ones, so that none is paid twice."""
    bonuses = standing_bonuses().filter(worker__study=study)
    if since:
        bonuses = bonuses.filter(created__date__gte=since)
    amounts = dict(bonuses.order_by().values_list("worker").annotate(Sum("amount")))
    for arrival in participants(study, source):
        if arrival.worker_id in amounts:
            yield arrival, to_cents(amounts[arrival.worker_id])


def amounts_owed(study: Study, source: str, reward: Decimal) -> Iterator[tuple[Arrival, Decimal]]:
    """All that was earned, less what the marketplace pays for each completed submission.

    Who is still at work is not settled yet. Who was screened out is paid there, by the code they left with, but for bonuses.
    """
    earned = {row.worker: row for row in earned_in(study)}
    for arrival in participants(study, source):
        row = earned.get(arrival.worker_id)  # type: ignore[arg-type]  # participants have a worker
        if row is None:  # came this very moment
            continue
        amount = row.bonus if arrival.outcome == Outcome.SCREENED_OUT else row.total
        amount -= reward * (arrival.rewarded + (arrival.outcome == Outcome.COMPLETED))
        if amount > 0 and arrival.outcome != Outcome.WORKING:
            yield arrival, amount


def as_csv(heading: list[str] | None, rows: Iterable) -> bytes:
    return csv_of(*([heading] if heading else []), *rows).encode()
