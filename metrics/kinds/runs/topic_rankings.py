"""The rankings of one topic side by side, with the grades of their documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ireval.io.qrels import highest_grades
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Document, Qrels, Run
from metrics.kinds.runs import evidence
from metrics.kinds.runs.results import Outcome
from metrics.models import Report

DEPTH = 20


@dataclass(frozen=True)
class Result:
    """A place in a ranking; `document` is None if the collection lacks it, `grade` if nobody judged it.

    A copy comes after a near-duplicate of its own, where the report counts these once. Beside one other ranking, `there` is the
    rank in that; None where it lacks the document.
    """

    docno: str
    document: Document | None
    grade: int | None
    is_relevant: bool
    is_copy: bool
    there: int | None


@dataclass(frozen=True)
class Ranking:
    outcome: Outcome
    value: float | None
    results: Sequence[Result]


@dataclass(frozen=True)
class TopicRankings:
    """One topic of some runs: its qrels, the highest grade of each document, whole rankings by run, and the first results."""

    judged: pl.DataFrame
    grades: dict[str, int]
    frames: dict[int, pl.DataFrame]
    columns: list[Ranking]

    @property
    def ranks(self) -> list[list[Any]]:
        """One row per rank: the rank, and each run's result there, None where its ranking has ended."""
        deepest = max(len(ranking.results) for ranking in self.columns)
        return [[rank, *(at(ranking, rank) for ranking in self.columns)] for rank in range(1, deepest + 1)]


def topic_rankings(report: Report, qrels: Qrels, shown: Sequence[Outcome], values: dict, topic: str) -> TopicRankings:
    """The topic's rankings by the runs shown; `values` has each run's value, by the run's key as text."""
    judged = qrels_frame(qrels, topic=topic)
    grades = dict(highest_grades(judged).select("docno", "grade").iter_rows())
    frames = frames_of(shown, topic)
    return TopicRankings(judged, grades, frames, rankings(report, shown, frames, values, grades))


def frames_of(shown: Sequence[Outcome], topic: str) -> dict[int, pl.DataFrame]:
    """Each run's ranking of the topic, by the run's key; empty where it has none."""
    runs = Run.objects.in_bulk([outcome.run for outcome in shown])
    return {outcome.run: run_frame(runs[outcome.run], topic=topic) for outcome in shown}


def rankings(
    report: Report, shown: Sequence[Outcome], frames: dict[int, pl.DataFrame], values: dict, grades: dict[str, int]
) -> list[Ranking]:
    docnos = {run: frame["docno"].head(DEPTH).to_list() for run, frame in frames.items()}
    every = {docno for of_run in docnos.values() for docno in of_run}
    titled = Document.objects.filter(collection=report.collection_id, docno__in=every).defer("text")
    documents = {document.docno: document for document in titled}
    duplicates = evidence.duplicates(report.spec)
    group_of = {} if duplicates is None else dict(duplicates.filter(pl.col("docno").is_in(list(every))).iter_rows())

    def result(docno: str, copies: set[str], other: Sequence[str]) -> Result:
        grade, is_copy = grades.get(docno), docno in copies
        is_relevant = grade is not None and grade >= report.spec["relevant_from"] and not is_copy
        there = other.index(docno) + 1 if docno in other else None
        return Result(docno, documents.get(docno), grade, is_relevant, is_copy, there)

    def results(run: int) -> list[Result]:
        copies = later_of_a_group(docnos[run], group_of)
        others = [ranking for other, ranking in docnos.items() if other != run]
        return [result(docno, copies, others[0] if len(others) == 1 else []) for docno in docnos[run]]

    return [Ranking(outcome, values[str(outcome.run)], results(outcome.run)) for outcome in shown]


def later_of_a_group(ranking: Sequence[str], group_of: Mapping[str, str]) -> set[str]:
    """The documents that come after another of their group.

    >>> later_of_a_group(["b", "x", "a"], {"a": "1", "b": "1"})
    {'a'}
    """
    first: dict[str, str] = {}
    return {docno for docno in ranking if docno in group_of and first.setdefault(group_of[docno], docno) != docno}


def at(ranking: Ranking, rank: int) -> Result | None:
    return ranking.results[rank - 1] if rank <= len(ranking.results) else None
