"""The rankings of one topic side by side, with the grades of their documents."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.urls import reverse
from django.utils.text import Truncator

from ireval import correlate, rank_table
from ireval.correlation.orderings import Correlation
from ireval.io.qrels import highest_grades
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Collection, Document, Qrels, Run, Topic
from metrics.kinds.runs import evidence
from metrics.kinds.runs.results import Outcome
from metrics.models import Report

DEPTH = 20
# A label's letters that fit beside its mark.
LONGEST_NAME = 60
# Nobody looks through more rows; all are drawn.
MOST_ROWS = 200


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
    """One topic of some runs: its qrels, highest grades, rankings by run, first results, and the number of relevant documents."""

    judged: pl.DataFrame
    grades: dict[str, int]
    frames: dict[int, pl.DataFrame]
    columns: list[Ranking]
    relevant: int

    @property
    def ranks(self) -> list[list[Any]]:
        """One row per rank: the rank, and each run's result there, None where its ranking has ended."""
        deepest = max(len(ranking.results) for ranking in self.columns)
        return [[rank, *(result_at(ranking, rank) for ranking in self.columns)] for rank in range(1, deepest + 1)]


def topic_rankings(report: Report, qrels: Qrels, shown: Sequence[Outcome], values: dict, topic: str) -> TopicRankings:
    """The topic's rankings by the runs shown; `values` has each run's value, by the run's key as text."""
    judged = qrels_frame(qrels, topic=topic)
    grades = dict(highest_grades(judged).select("docno", "grade").iter_rows())
    frames = frames_of(shown, topic)
    relevant = sum(grade >= report.spec["relevant_from"] for grade in grades.values())
    return TopicRankings(judged, grades, frames, rankings(report, shown, frames, values, grades), relevant)


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


def topic_names(collection: Collection | int | None, topics: Sequence[str]) -> dict[str, str]:
    """The number of each topic with its title, as far as a label has room for it."""
    titles = dict(Topic.objects.filter(collection=collection, number__in=topics).values_list("number", "title"))
    return {topic: Truncator(f"{topic} {titles.get(topic, '')}".strip()).chars(LONGEST_NAME) for topic in topics}


def document_addresses(report: Report, docnos: Iterable[str]) -> dict[str, str]:
    """The addresses of those documents that the report's collection has."""
    keys = Document.objects.filter(collection=report.collection_id, docno__in=set(docnos)).values_list("docno", "pk")
    return {docno: reverse("document", args=[pk]) for docno, pk in keys}


def later_of_a_group(ranking: Sequence[str], group_of: Mapping[str, str]) -> set[str]:
    """The documents that come after another of their group.

    >>> later_of_a_group(["b", "x", "a"], {"a": "1", "b": "1"})
    {'a'}
    """
    first: dict[str, str] = {}
    return {docno for docno in ranking if docno in group_of and first.setdefault(group_of[docno], docno) != docno}


@dataclass(frozen=True)
class RankComparison:
    """Where two runs put the documents that both have.

    `pairs` counts pairs of documents that both order alike, and that they order differently. `rows` are a document's address and
    docno, both ranks, their difference and the grade, None for an unjudged document.
    """

    first: Outcome
    second: Outcome
    tau: Correlation
    rho: Correlation
    footrule: Correlation
    pairs: tuple[int, int]
    rows: Sequence[tuple[str, str, float, float, float, int | None]]

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def listed(self) -> Sequence[tuple[str, str, float, float, float, int | None]]:
        return self.rows[:MOST_ROWS]


def compare_ranks(report: Report, pair: tuple[Outcome, Outcome], topic: TopicRankings) -> RankComparison | None:
    """Two runs' ranks of the same documents; None where they share no document."""
    first, second = pair
    order, other = (topic.frames[outcome.run]["docno"].to_list() for outcome in pair)
    ranks = rank_table(order, other)
    if ranks.is_empty():
        return None
    known = document_addresses(report, ranks["thing"].head(MOST_ROWS))
    rows = [(known.get(row[0], ""), *row, topic.grades.get(row[0])) for row in ranks.iter_rows()]
    tau, rho, footrule = (correlate(order, other, coefficient) for coefficient in ("kendall", "spearman", "footrule"))
    return RankComparison(first, second, tau, rho, footrule, pairs_of(tau, len(rows)), rows)


def pairs_of(tau: Correlation, n: int) -> tuple[int, int]:
    """The concordant and the discordant pairs of n things without ties: τ is their difference over their sum."""
    every = n * (n - 1) // 2
    discordant = round(every * (1 - tau.value) / 2) if every else 0
    return every - discordant, discordant


def result_at(ranking: Ranking, rank: int) -> Result | None:
    return ranking.results[rank - 1] if rank <= len(ranking.results) else None
