"""The page of one topic of a report: the rankings of its runs side by side, with their grades."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render

from judging.models import Qrels
from judging.requests import SignedIn
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.choice import Choice, pair
from metrics.kinds.runs.results import Outcome, values_of_runs
from metrics.kinds.runs.tables import in_order
from metrics.kinds.runs.topic_figures import query_curve, rank_scatter
from metrics.kinds.runs.topic_rankings import (
    DEPTH,
    RankComparison,
    TopicRankings,
    compare_ranks,
    document_addresses,
    topic_rankings,
)
from metrics.kinds.runs.topic_sets import found_by_run, retrieved_sets
from metrics.kinds.runs.words import about_intents
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report


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
    topic = topic_rankings(report, qrels, shown, values.filter(topic=number).row(0, named=True), number)
    by_name = {run.name: topic.frames[run.run] for run in shown}
    found = found_by_run(report.spec, by_name, topic.judged)
    addresses = document_addresses(report, [docno for run in found.values() for docno in run.docnos])
    ranks = shared_ranks(request.GET, report, shown, topic)
    context = {
        "report": report,
        "choice": choice,
        "number": number,
        "topic": report.subject.topics.filter(number=number).first(),
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
        "rankings": topic.columns,
        "ranks": topic.ranks,
        "depth": DEPTH,
        "caution": about_intents(qrels, [choice.measure]),
        "curve": query_curve(found, addresses),
        "retrieved": retrieved_sets(report.spec, by_name, topic.judged, report.subject.documents.count()),
        "ranks_of_two": ranks,
        "scatter": ranks and rank_scatter(ranks, report.spec["relevant_from"]),
        "relevant": topic.relevant,
    }
    return render(request, "metrics/report_topic.html", context)


def shared_ranks(query: QueryDict, report: Report, shown: Sequence[Outcome], topic: TopicRankings) -> RankComparison | None:
    """The ranks of the two runs that the address names, else of the best two shown that have the topic."""
    ranked = [outcome for outcome in shown if len(topic.frames[outcome.run])]
    return compare_ranks(report, pair(query, ranked), topic) if len(ranked) > 1 else None
