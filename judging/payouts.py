"""What a marketplace's form for settling asks: who came by it, what became of them, and the code they were given."""

import io

from defusedcsv import csv

from judging.arrivals import arrivals_of, code_of
from judging.models import Arrival, Study

COLUMNS = [
    *("worker", "source", "channel", "participant_id", "submission_id", "study_id"),
    *("outcome", "judgements", "minutes", "code", "arrived", "ended"),
]


def payouts(study: Study) -> bytes:
    """As CSV, for the study's members: it says who people are on the marketplace, except for those who were erased."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(row_of(arrival) for arrival in arrivals_of(study).iterator(chunk_size=2000))
    return text.getvalue().encode()


def row_of(arrival: Arrival) -> list:
    times = [when.strftime("%Y-%m-%dT%H:%M:%SZ") if when else "" for when in (arrival.arrived, arrival.ended)]
    return [
        *(arrival.worker or "", arrival.channel.source, arrival.channel),
        *(arrival.participant, arrival.submission, arrival.their_study),
        *(arrival.outcome, arrival.judgements, minutes(arrival), code_of(arrival), *times),  # type: ignore[attr-defined]
    ]


def minutes(arrival: Arrival) -> float:
    return round(arrival.milliseconds / 60_000, 1)  # type: ignore[attr-defined]  # an annotation
