"""A report's page on curves: how far each run has got by each rank and recall, and which topics two runs differ on."""

from collections.abc import Sequence

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from judging.database.numbers import number_in
from metrics.figures.charts import MOST_TOLD_APART
from metrics.figures.plotly_static import style_ids
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.curves import curves_of
from metrics.kinds.runs.figures import SORTED_BY, Histogram, Traced, figures, histogram_of
from metrics.kinds.runs.parts import has_curves
from metrics.kinds.runs.results import Outcome, values_of_runs
from metrics.kinds.runs.tables import in_order
from metrics.kinds.runs.values import R_PRECISION
from metrics.kinds.runs.words import counted
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report
from metrics.views.who import SignedIn


@page_of_a_report
def report_curves(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    are_kept = has_curves(report)
    told_apart = choice.shown[:MOST_TOLD_APART]
    compared = [one for one in choice.outcomes if one.topics]
    drawn = figures(traced(report, choice.qrels, told_apart))
    context = {
        "report": report,
        "choice": choice,
        "most": MOST_TOLD_APART,
        "told_apart": told_apart,
        "topics": topics_of(told_apart),
        "are_kept": are_kept,
        "figures": drawn,
        "has_roc": any(figure.key == "roc" for figure in drawn),
        "histogram": histogram(request.GET, choice, compared) if are_kept and len(compared) > 1 else None,
        "compared": compared,
        "sorted_by": SORTED_BY,
        "style_ids": style_ids(),
    }
    return render(request, "metrics/report_curves.html", context)


def topics_of(found: Sequence[Outcome]) -> str:
    least, most = min(one.topics for one in found), max(one.topics for one in found)
    return counted(most) if least == most else f"{least:,} to {most:,} topics"


def traced(report: Report, qrels: int, chosen: Sequence[Outcome]) -> Traced:
    """The curves of each chosen run, by its name; runs without any counted topic have none."""
    kept = curves_of(report, qrels, chosen)
    return {one.name: kept[one.run] for one in chosen if one.topics}


def histogram(query: QueryDict, choice: Choice, compared: Sequence[Outcome]) -> Histogram:
    """R-precision of one run less that of another, topic by topic; named in the address, or the best of those shown."""
    shown = [one for one in compared if one in choice.shown]
    one, other = pair(query, [*shown, *(one for one in compared if one not in shown)])
    found = values_of_runs(choice.report, qrels=choice.qrels, runs=[one.run, other.run], measure=R_PRECISION)
    values = in_order(found.frame.drop_nulls().rename({str(one.run): "one", str(other.run): "other"}), "topic")
    frame = values.with_columns(difference=values["one"] - values["other"])
    sorted_by = query.get("sorted", "") if query.get("sorted") in SORTED_BY else "difference"
    return histogram_of(one, other, frame, sorted_by)


def pair(query: QueryDict, found: Sequence[Outcome]) -> tuple[Outcome, Outcome]:
    asked = number_in(query.get("first", "")), number_in(query.get("second", ""))
    one = next((one for one in found if one.run == asked[0]), found[0])
    rest = [other for other in found if other.run != one.run]
    return one, next((other for other in rest if other.run == asked[1]), rest[0])
