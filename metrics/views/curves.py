"""A report's page on curves by rank and recall, and on the topics that two runs differ on."""

from collections.abc import Sequence

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from judging.requests import SignedIn
from judging.text.counts import count
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.choice import Choice, one_of, pair
from metrics.kinds.runs.curve_figures import AVERAGES, RunCurves, figures
from metrics.kinds.runs.curves import areas_of, curves_of, intervals_of, model_of
from metrics.kinds.runs.figures import SORTED_BY, Histogram, histogram_of
from metrics.kinds.runs.parts import has_curves
from metrics.kinds.runs.results import Outcome, values_of_runs
from metrics.kinds.runs.tables import in_order
from metrics.kinds.runs.values import R_PRECISION
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report


@page_of_a_report
def report_curves(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    are_kept = has_curves(report)
    told_apart = choice.shown[:MOST_TOLD_APART]
    compared = [outcome for outcome in choice.outcomes if outcome.topics]
    average = one_of(AVERAGES, request.GET.get("average"), "macro")
    drawn = figures(run_curves(report, choice.qrels, told_apart), model_of(report), average)
    context = {
        "report": report,
        "choice": choice,
        "most": MOST_TOLD_APART,
        "told_apart": told_apart,
        "topics": topics_of(told_apart),
        "are_kept": are_kept,
        "figures": drawn,
        "average": average,
        "averages": AVERAGES,
        "has_roc": any(figure.key == "roc" for figure in drawn),
        "histogram": histogram(request.GET, choice, compared) if are_kept and len(compared) > 1 else None,
        "outcomes": compared,
        "sorted_by": SORTED_BY,
    }
    return render(request, "metrics/report_curves.html", context)


def topics_of(runs: Sequence[Outcome]) -> str:
    least, most = min(run.topics for run in runs), max(run.topics for run in runs)
    if least == most:
        return count(most, "topic")
    return _("%(least)s to %(most)s topics") % {"least": f"{least:,}", "most": f"{most:,}"}


def run_curves(report: Report, qrels: int, chosen: Sequence[Outcome]) -> list[RunCurves]:
    """The curves of each chosen run; runs that count no topic have none."""
    kept, ends = curves_of(report, qrels, chosen), intervals_of(report, qrels, chosen)
    areas = areas_of(report, qrels, chosen)
    return [
        RunCurves(run.name, reverse("run", args=[run.run]), kept[run.run], ends[run.run], areas.get(run.run, {}))
        for run in chosen
        if run.topics
    ]


def histogram(query: QueryDict, choice: Choice, compared: Sequence[Outcome]) -> Histogram:
    """R-precision of one run less that of another, topic by topic: of the runs that the address names, else of the best shown."""
    shown = [outcome for outcome in compared if outcome in choice.shown]
    first, second = pair(query, [*shown, *(outcome for outcome in compared if outcome not in shown)])
    by_topic = values_of_runs(choice.report, qrels=choice.qrels, runs=[first.run, second.run], measure=R_PRECISION)
    values = in_order(by_topic.frame.drop_nulls().rename({str(first.run): "first", str(second.run): "second"}), "topic")
    frame = values.with_columns(difference=values["first"] - values["second"])
    sorted_by = query.get("sorted", "") if query.get("sorted") in SORTED_BY else "difference"
    return histogram_of(choice.report, choice.qrels, (first, second), frame, sorted_by)
