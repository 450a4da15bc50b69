"""Paid work: how much of what a worker has done is paid."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from judging.models import Study


@dataclass(frozen=True)
class Done:
    """A worker's first answers: how many, and their milliseconds as far as each counts. The same of work alone is looked up where
    a study limits it.

    `joined` and `last`: between which moments all of it was done; None where nobody asks, as of simulated workers.
    """

    answers: int = 0
    milliseconds: int = 0
    work: int = 0
    milliseconds_of_work: int = 0
    joined: datetime | None = None
    last: datetime | None = None


def paid_part(study: Study, done: Done) -> tuple[int, int]:
    """How many answers are paid, and how many milliseconds.

    Of work no more than the study asks of one worker, and of its time the same share. By the hour also no more time than has
    passed: two pages side by side earn as one.

    >>> paid_part(Study(most_judgements=3), Done(answers=5, milliseconds=50_000, work=4, milliseconds_of_work=40_000))
    (4, 40000)
    """
    answers, milliseconds, most = done.answers, done.milliseconds, study.most_judgements
    if most is not None and done.work > most:
        beyond = done.work - most
        answers, milliseconds = answers - beyond, milliseconds - done.milliseconds_of_work * beyond // done.work
    if study.pay_an_hour and done.joined and done.last:
        milliseconds = min(milliseconds, max((done.last - done.joined) // timedelta(milliseconds=1), 0))
    return answers, milliseconds
