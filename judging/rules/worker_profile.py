"""The profile of one worker: their signals beside those of the study, and which grades they confuse."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from django.db.models import QuerySet

from ireval import confusion, labels_of, wilson_interval
from judging.models import Item, Judgement, Rule, Worker
from judging.rules.signals import signals

Role = Item.Role
Signal = Rule.Signal
COUNTED = {
    Signal.GOLD: "gold_answered",
    Signal.ATTENTION: "attention_answered",
    Signal.AGREEMENT: "compared",
    Signal.TWIN: "twin_common",
}


@dataclass(frozen=True)
class SignalLine:
    """A signal of the worker: seen in so many answers, and the median of the study's workers."""

    signal: Signal
    value: str
    interval: str
    answers: int
    median: str
    twin: int | None


def beside_the_study(worker: Worker) -> list[SignalLine]:
    """A line a signal; none for who has answered nothing."""
    every = signals(worker.study)
    own = every.filter(pl.col("worker") == worker.pk).to_dicts()
    return [line(signal, own[0], every) for signal in Rule.signals_for(worker.study)] if own else []


def line(signal: Signal, own: dict, every: pl.DataFrame) -> SignalLine:
    answers = own[count_column(signal)] or 0
    value = own[signal.value] if answers else None
    interval = gold_interval(own) if signal == Signal.GOLD else ""
    twin = own["twin_worker"] if signal == Signal.TWIN else None
    return SignalLine(signal, signal_text(signal, value), interval, answers, signal_text(signal, median(every, signal)), twin)


def count_column(signal: Signal) -> str:
    """The column that says in how many answers a signal was seen."""
    return COUNTED.get(signal, "answered")


def gold_interval(own: dict) -> str:
    if not own["gold_answered"]:
        return ""
    low, high = wilson_interval([own["gold"] * own["gold_answered"]], [own["gold_answered"]])
    return f"[{signal_text(Signal.GOLD, low[0])}, {signal_text(Signal.GOLD, high[0])}]"


def median(every: pl.DataFrame, signal: Signal) -> float | None:
    """Over the workers in whose answers it can be seen."""
    value = every.filter(pl.col(count_column(signal)) > 0)[signal.value].median()
    return float(value) if isinstance(value, int | float) else None


def signal_text(signal: str, value: float | None) -> str:
    """
    >>> signal_text("gold", 0.873), signal_text("seconds", 4.25), signal_text("run", 17), signal_text("twin", None)
    ('87 %', '4.2 s', '17', '–')
    """
    if value is None:
        return "–"
    if signal == Signal.SECONDS:
        return f"{value:.1f} s"
    return f"{value:g}" if signal in {Signal.RUN, Signal.ATTENTION} else f"{100 * value:.0f} %"


@dataclass(frozen=True)
class Cell:
    count: float
    share: float
    is_same: bool


@dataclass(frozen=True)
class Confusions:
    """How often the worker gave which grade (column) to items that are truly of which (row, where there are any)."""

    is_gold: bool
    grades: Sequence[int]
    rows: list[tuple[int, list[Cell], float]]
    items: int
    same: float


def against_others(worker: Worker) -> Confusions | None:
    """What most of the others said is taken for the truth; where grades tie for that, the item counts for each in equal parts."""
    own = graded_answers(worker).filter(item__role__in=[Role.WORK, Role.GOLD, Role.ATTENTION])
    others = Judgement.objects.filter(item__in=own.values("item"), grade__isnull=False, worker__machine="").standing()
    others = others.exclude(worker=worker).exclude(worker__standing=Worker.Standing.EXCLUDED)
    rows = [*own.values_list("item", "worker", "grade"), *others.values_list("item", "worker", "grade")]
    if not others.exists():
        return None
    grades = sorted(worker.study.grades)
    labels = labels_of(pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row"), values=list(map(str, grades)))
    return confusions(confusion(labels)[labels.workers.index(str(worker.pk))], grades, is_gold=False)


def against_gold(worker: Worker) -> Confusions | None:
    """First answers to gold with a single right grade; votes that made an item gold are left out, as they are right by that."""
    first = Judgement.objects.filter(worker=worker, revises=None, grade__isnull=False)
    answers = first.filter(item__role=Role.GOLD, slot__number__isnull=True)
    pairs = [(right[0], grade) for grade, right in answers.values_list("grade", "item__right") if len(right) == 1]
    grades = sorted(worker.study.grades)
    table = np.array([[pairs.count((right, grade)) for grade in grades] for right in grades])
    return confusions(table, grades, is_gold=True) if pairs else None


def graded_answers(worker: Worker) -> QuerySet[Judgement]:
    return worker.judgements.standing().filter(grade__isnull=False)


def confusions(table: np.ndarray, grades: Sequence[int], *, is_gold: bool) -> Confusions:
    rows = [
        (grade, [cell(count, counts.sum(), is_same=place == row) for place, count in enumerate(counts)], float(counts.sum()))
        for row, (grade, counts) in enumerate(zip(grades, table, strict=True))
        if counts.any()
    ]
    return Confusions(is_gold, grades, rows, items=round(table.sum()), same=float(table.trace() / table.sum()))


def cell(count: float, total: float, *, is_same: bool) -> Cell:
    """The count, and its share of the row.

    >>> cell(2, 8, is_same=False)
    Cell(count=2.0, share=0.25, is_same=False)
    """
    return Cell(float(count), float(count / total), is_same)
