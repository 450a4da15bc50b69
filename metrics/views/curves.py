"""A report's page on curves by rank and recall, and on the topics that two runs differ on."""

from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from judging.requests import SignedIn
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.choice import Choice, one_of
from metrics.kinds.runs.curve_figures import AVERAGES, figures
from metrics.kinds.runs.curves import model_of, run_curves
from metrics.kinds.runs.figures import SORTED_BY, histogram_of, topic_addresses
from metrics.kinds.runs.parts import has_curves
from metrics.kinds.runs.tables import differences_by_topic, topics_shown
from metrics.kinds.runs.topic_rankings import topic_names
from metrics.kinds.runs.values import R_PRECISION
from metrics.kinds.runs.words import topics_in_words
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report


@page_of_a_report
def report_curves(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    are_kept = has_curves(report)
    told_apart = choice.shown[:MOST_TOLD_APART]
    average = one_of(AVERAGES, request.GET.get("average"), "macro")
    drawn = figures(run_curves(report, choice.qrels, told_apart), model_of(report), average)
    context = {
        "report": report,
        "choice": choice,
        "most": MOST_TOLD_APART,
        "told_apart": told_apart,
        "topics": topics_in_words(told_apart),
        "are_kept": are_kept,
        "figures": drawn,
        "average": average,
        "averages": AVERAGES,
        "has_roc": any(figure.key == "roc" for figure in drawn),
        "histogram": histogram(request.GET, choice) if are_kept and len(choice.compared) > 1 else None,
        "outcomes": choice.compared,
        "sorted_by": SORTED_BY,
    }
    return render(request, "metrics/report_curves.html", context)


def histogram(query: QueryDict, choice: Choice) -> dict[str, Any]:
    """R-precision of one run less that of another, topic by topic: of the runs that the address names, else of the best shown."""
    report, two = choice.report, choice.compared_pair(query)
    differences = differences_by_topic(report, choice.qrels, two, R_PRECISION)
    sorted_by = one_of(SORTED_BY, query.get("sorted"), "difference")
    rows = topics_shown(differences, sorted_by)
    names = topic_names(report.collection_id, topics := rows["topic"].to_list())
    figure = histogram_of(two, differences, rows, names, topic_addresses(report.pk, topics, choice.qrels, R_PRECISION))
    return {"first": two[0].run, "second": two[1].run, "sorted_by": sorted_by, "figure": figure}
