"""The page of one topic of a report: the rankings of its runs side by side, with their grades."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from ireval.io.qrels import highest_grades
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Document, Qrels, Run
from judging.signed_in import SignedIn
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs import evidence
from metrics.kinds.runs.choice import Choice, pair
from metrics.kinds.runs.results import Outcome, values_of_runs
from metrics.kinds.runs.tables import in_order
from metrics.kinds.runs.topic_figures import RankScatter, query_curve, rank_scatter
from metrics.kinds.runs.topic_sets import retrieved_sets
from metrics.kinds.runs.words import about_intents
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report

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


@page_of_a_report
def report_topic(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    shown = choice.shown[:MOST_TOLD_APART]
    values = values_of_runs(report, qrels=choice.qrels, runs=[run.run for run in shown], measure=choice.measure).frame
    numbers = in_order(values, "topic")["topic"].to_list()
    number = request.GET.get("topic", "")
    if number not in numbers:
        raise Http404("This topic does not count for any of the runs.")
    place = numbers.index(number)
    qrels = Qrels.objects.get(pk=choice.qrels)
    judged = qrels_frame(qrels, topic=number)
    grades = dict(highest_grades(judged).select("docno", "grade").iter_rows())
    frames = frames_of(shown, number)
    columns = rankings(report, shown, frames, values.filter(topic=number).row(0, named=True), grades)
    deepest = max(len(ranking.results) for ranking in columns)
    context = {
        "report": report,
        "choice": choice,
        "number": number,
        "topic": report.subject.topics.filter(number=number).first(),
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
        "rankings": columns,
        "ranks": [[rank, *(at(ranking, rank) for ranking in columns)] for rank in range(1, deepest + 1)],
        "depth": DEPTH,
        "caution": about_intents(qrels, [choice.measure]),
        "curve": query_curve(report, {run.name: frames[run.run] for run in shown}, judged),
        "retrieved": retrieved_sets(
            report.spec, {run.name: frames[run.run] for run in shown}, judged, report.subject.documents.count()
        ),
        "scatter": scatter(request.GET, report, shown, frames, grades),
        "relevant": sum(grade >= report.spec["relevant_from"] for grade in grades.values()),
    }
    return render(request, "metrics/report_topic.html", context)


def frames_of(shown: Sequence[Outcome], topic: str) -> dict[int, pl.DataFrame]:
    """Each run's ranking of the topic, by the run's key; empty where it has none."""
    runs = Run.objects.in_bulk([outcome.run for outcome in shown])
    return {outcome.run: run_frame(runs[outcome.run], topic=topic) for outcome in shown}


def scatter(
    query: QueryDict, report: Report, shown: Sequence[Outcome], frames: dict[int, pl.DataFrame], grades: dict[str, int]
) -> RankScatter | None:
    """The ranks of the two runs that the address names, else of the best two shown that have the topic."""
    ranked = [outcome for outcome in shown if len(frames[outcome.run])]
    if len(ranked) < 2:
        return None
    docnos = {outcome.run: frames[outcome.run]["docno"].to_list() for outcome in ranked}
    return rank_scatter(report, pair(query, ranked), docnos, grades)


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
