"""Tables of a study's results: grades, topics and workers, as its pages show them."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import polars as pl
from django.db.models import Count

from judging.labels.results import Label, current
from judging.models import Judgement, Study, Worker
from judging.work.checks import FIRST_POSITION


def grade_table(study: Study, item_labels: list[Label]) -> list[dict]:
    """One row per grade: how many judgements gave it, and how many items were settled on it."""
    judgements = Counter(grade for label in item_labels for grade in label.votes)
    settled = Counter(label.grade for label in item_labels)
    return [{**step, "judgements": judgements[step["grade"]], "items": settled[step["grade"]]} for step in study.scale]


def topic_table(study: Study, item_labels: list[Label]) -> list[dict]:
    """One row per topic: its items, how many are labelled, and how many of those with each grade."""
    pool = study.items.filter(position__lt=FIRST_POSITION)
    items = pool.values("topic_id", "topic__number", "topic__title").annotate(items=Count("id")).order_by("topic_id")
    by_topic: dict[str, Counter[int]] = {}
    for label in item_labels:
        by_topic.setdefault(label.topic, Counter())[label.grade] += 1
    rows = []
    for row in items:
        counts = by_topic.get(row["topic__number"], Counter())
        rows.append({**row, "labelled": counts.total(), "counts": [counts[grade] for grade in study.grades]})
    return rows


def worker_table(study: Study, workers: Iterable[Worker] | None = None) -> list[dict]:
    """One row per worker who answered, the busiest first; `workers` limits it to some.

    It counts answers, refusals to judge and grades, and says how long an answer took.
    """
    answers = current(study).order_by() if workers is None else Judgement.objects.standing().filter(worker__in=list(workers))
    fields = ("worker_id", "grade", "milliseconds", "slot_id", "created")
    each = pl.DataFrame(list(answers.values_list(*fields)), schema=ANSWERED, orient="row")
    rows = each.group_by("worker").agg(
        judged=pl.len(),
        cannot=pl.col("grade").is_null().sum(),
        surplus=pl.col("slot").is_null().sum(),
        last=pl.col("created").max(),
        seconds=pl.col("milliseconds").median() / 1000,
    )
    counts = {(worker, grade): count for worker, grade, count in each.group_by("worker", "grade").len().iter_rows()}
    people = Worker.objects.in_bulk(rows["worker"].to_list())
    return [
        {**row, **about(people[row["worker"]]), **grade_counts(study, counts, row["worker"])}
        for row in rows.sort("judged", "worker", descending=[True, False]).iter_rows(named=True)
    ]


ANSWERED: dict[str, Any] = {
    "worker": pl.Int64, "grade": pl.Int32, "milliseconds": pl.Int64, "slot": pl.Int64, "created": pl.Datetime("us", "UTC"),
}  # fmt: skip


def about(worker: Worker) -> dict:
    return {"simulated": worker.simulated, "machine": worker.machine, "standing": worker.standing}


def grade_counts(study: Study, counts: dict, worker: int) -> dict[str, list]:
    """How often the worker gave each grade, bare and beside the scale."""
    own_counts = [counts.get((worker, grade), 0) for grade in study.grades]
    return {"counts": own_counts, "by_grade": list(zip(study.scale, own_counts, strict=True))}
