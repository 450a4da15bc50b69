"""A report's page on agreement: how far measures and qrels order the runs alike, and runs the documents."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from ireval.correlation.lists import DEFAULT_P
from judging.database.numbers import number_in
from metrics.kinds.runs.choice import Choice, one_of
from metrics.kinds.runs.correlation import DEPTH, FEWEST_RUNS, ORDERINGS, RANKINGS, Alike, measures_alike, qrels_alike, runs_alike
from metrics.kinds.runs.parts import has_agreement
from metrics.kinds.runs.results import best_first, graded_by, outcomes
from metrics.kinds.runs.values import main_measure, ranking_measures
from metrics.kinds.runs.words import about_intents
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report
from metrics.views.who import SignedIn

# A wider matrix cannot be read; the file has all.
MOST_RUNS = 30


@page_of_a_report
def report_agreement(request: SignedIn, report: Report) -> HttpResponse:
    context = {"report": report, "orderings": ORDERINGS, "rankings": RANKINGS, "p": DEFAULT_P, "depth": DEPTH}
    context["collection"] = str(report.collection_id)
    return render(request, "metrics/report_agreement.html", context | chosen(request.GET, report))


def chosen(query: QueryDict, report: Report) -> dict:
    """Read the query string; ignore choices that no longer exist."""
    measures, versions = ranking_measures(report.spec["measures"]), {one["id"]: one["name"] for one in report.spec["qrels"]}
    asked = number_in(query.get("qrels", ""))
    qrels = asked if asked and asked in versions else next(iter(versions))
    measure = one_of(measures, query.get("measure"), main_measure(report))
    ordering = one_of(ORDERINGS, query.get("ordering"), "kendall_b")
    ranking = one_of(RANKINGS, query.get("ranking"), "rbo")
    return {
        "measures": measures,
        "qrels": qrels,
        "qrels_name": versions[qrels],
        "measure": measure,
        "ordering": ordering,
        "ranking": ranking,
        "ordering_name": ORDERINGS[ordering],
        "ranking_name": RANKINGS[ranking],
        "enough": len(report.spec["runs"]) >= FEWEST_RUNS,
        "by_measure": measures_alike(report, qrels, ordering) if len(measures) > 1 else None,
        "by_qrels": qrels_alike(report, measure, ordering) if len(versions) > 1 and measures else None,
        "by_run": of_runs(query, report, qrels, measure, ranking),
        "are_kept": has_agreement(report),
        "caution": about_intents(next(one for one in graded_by(report) if one.pk == qrels), measures),
    }


def of_runs(query: QueryDict, report: Report, qrels: int, measure: str, ranking: str) -> Alike | None:
    """The best runs by the measure first; only those that the reader chose, if there are two."""
    named = Choice.read(query, report).named
    found = [one.run for one in best_first(outcomes(report, qrels), measure)]
    chosen = [run for run in found if run in named]
    shown = (chosen if len(chosen) > 1 else found)[:MOST_RUNS]
    return runs_alike(report, shown, ranking) if len(shown) > 1 else None
