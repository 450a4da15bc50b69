"""The progress of a worker, and about how much there is for them.

The total is known from the study alone. It does not change when a check comes: who watched it would see which one that is.
"""

from dataclasses import dataclass

from django.db import connection

from judging.models import Study, Worker
from judging.work import assignment, checks, mirrors

OPEN = "FROM judging_slot WHERE study_id = %s AND judged_at IS NULL AND number IS NOT NULL"
IS_OPEN = f"SELECT EXISTS (SELECT 1 {OPEN})"
OPEN_ITEMS = f"SELECT count(*) FROM (SELECT DISTINCT item_id {OPEN} LIMIT %s) items"  # noqa: S608  a constant


@dataclass(frozen=True)
class Progress:
    """How many items are `done`, and of how many. `is_about`: there may be more, and not only fewer because others judge them."""

    done: int
    items: int
    is_over: bool
    is_about: bool

    @property
    def left(self) -> int:
        return self.items - self.done


def progress_of(worker: Worker) -> Progress:
    """Looks whether anything will come any more. While the worker gets work, at least one item is left, held or not."""
    is_over = assignment.is_over(worker)
    more = int(not is_over and assignment.gets_work(worker))
    return progress(worker, assignment.done(worker), more=more, is_over=is_over)


def progress(worker: Worker, done: int, *, more: int = 0, is_over: bool = False) -> Progress:
    """The progress from the number `done`, where at least so many `more` wait for an answer. At the end `items` is `done`."""
    items = done if is_over else max(total(worker.study), done + more)
    return Progress(done, items, is_over, is_about(worker.study))


def total(study: Study) -> int:
    """About how many items there are for one worker."""
    return total_with(study, work_a_worker(study))


def total_left(study: Study) -> int:
    """About how many of them a newcomer still finds: work that waits for an answer, held by another or not."""
    return total_with(study, number(OPEN_ITEMS, study, work_a_worker(study)))


def total_with(study: Study, work: int) -> int:
    """What comes before so much work, the work, and what is mixed with it on average."""
    mixed = work + round(checks.expected(study, work))
    again = mirrors.expected_mirrors(study.comparison.mirrored, mixed) if study.compares else 0
    return sum(checks.has(study, role) for role in checks.INTRODUCTION) + mixed + again


def work_a_worker(study: Study) -> int:
    """How much work one worker judges at most, none of it twice."""
    items = study.pool_counts.get("items", 0)
    return min(items, study.most_judgements or items)


def is_work_left(study: Study) -> bool:
    """Whether any work waits for an answer, held by somebody or not."""
    return bool(number(IS_OPEN, study))


def number(statement: str, study: Study, *parameters: int) -> int:
    cursor = connection.cursor()
    cursor.execute(statement, [study.pk, *parameters])
    return cursor.fetchone()[0]


def is_about(study: Study) -> bool:
    """Whether chance decides how much is mixed with the work, so that the total is no limit."""
    return checks.mixes_in(study) or (study.compares and study.comparison.mirrored > 0)
