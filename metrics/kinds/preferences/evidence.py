"""Evidence of a side-by-side study's report: every answer that stands, read once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import Count, Sum

from ireval.agreement import Resampling
from ireval.preferences import Votes, votes_of
from judging.labels.preferences import COLUMNS, identical_pairs, rows
from judging.labels.results import current
from judging.models import Item, Study
from metrics.kinds.studies import judgement_facts
from metrics.models import Report
from metrics.stored_tables import Tables, table_of

ANSWERS = "answers"
# What `python -m ireval preferences` reads.
VOTE_COLUMNS = ("item", "topic", "left", "right", "winner", "worker", "seconds", "order")


@dataclass(frozen=True)
class Evidence:
    """The evidence that every step gets: `answers` are `judging.labels.preferences.rows`, in the order given."""

    study: Study
    answers: pl.DataFrame
    spec: dict[str, Any]
    facts: dict[str, Any]

    @cached_property
    def votes(self) -> Votes | None:
        """The answers that count as the engine's votes; None where there are none."""
        counting = vote_rows(self.answers)
        return None if counting.is_empty() else votes_of(counting)

    @cached_property
    def oriented(self) -> pl.DataFrame:
        return oriented_answers(self.answers)

    @cached_property
    def same(self) -> pl.DataFrame:
        """Pairs and topics whose two lists were the same at launch; `first` and `second` in alphabetical order."""
        two = pl.concat_list("first", "second").list.sort()
        return identical_pairs(self.study).with_columns(first=two.list.first(), second=two.list.last())

    @property
    def resampling(self) -> Resampling:
        return Resampling(**self.spec["intervals"])

    @property
    def confidence(self) -> float:
        return self.spec["intervals"]["confidence"]


def fingerprint(study: Study) -> dict[str, Any]:
    """Facts that change whenever a number of the report would: besides judgements, their slots and how many an item wants."""
    placed = current(study).aggregate(placed=Count("slot"))
    wanted = Item.objects.filter(study=study).aggregate(wanted=Sum("wanted"))
    return {**judgement_facts(study), **placed, **wanted}


def read(study: Study) -> Tables:
    return {ANSWERS: rows(study)}


def evidence_of(report: Report) -> Evidence:
    """The evidence as it was read when computing began."""
    return Evidence(report.subject, answers_of(report), report.spec, report.evidence)


def answers_of(report: Report) -> pl.DataFrame:
    """The answers as they were read; columns that earlier versions did not read are null."""
    kept = table_of(report, ANSWERS)
    assert kept is not None
    absent = [pl.lit(None, kind).alias(name) for name, kind in COLUMNS.items() if name not in kept.columns]
    return kept.with_columns(absent).select(list(COLUMNS))


def vote_rows(answers: pl.DataFrame) -> pl.DataFrame:
    """VOTE_COLUMNS of the answers that count and of their mirrored repeats.

    A repeat that the worker happened to see the same way round is left out.
    """
    counting = answers.filter("votes")
    first = counting.filter(~pl.col("mirrored")).select("item", "worker", before="left")
    seen = counting.join(first, on=["item", "worker"], how="left", maintain_order="left")
    kept = seen.filter(~pl.col("mirrored") | (pl.col("left") != pl.col("before")))
    return kept.with_row_index("order", 1).select(VOTE_COLUMNS)


def oriented_answers(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers that count, without repeats, with the columns first, second and won.

    `first` and `second` are the pair in alphabetical order; `won` is first, second, tie or both_bad.
    """
    lower = pl.col("left") < pl.col("right")
    chose_first = (pl.col("winner") == "left") == lower
    won = (
        pl.when(~pl.col("winner").is_in(["left", "right"]))
        .then("winner")
        .otherwise(pl.when(chose_first).then(pl.lit("first")).otherwise(pl.lit("second")))
    )
    counting = answers.filter(pl.col("votes") & ~pl.col("mirrored"))
    return counting.with_columns(
        first=pl.when(lower).then("left").otherwise("right"), second=pl.when(lower).then("right").otherwise("left"), won=won
    )
