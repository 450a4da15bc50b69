"""A report's page on rank correlations: how alike measures and qrels order the runs, and runs the documents."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from ireval.correlation.lists import DEFAULT_P
from judging.database.numbers import number_in
from judging.requests import SignedIn
from metrics.kinds.runs.choice import Choice, one_of
from metrics.kinds.runs.correlation import (
    DEPTH,
    FEWEST_RUNS,
    ORDERINGS,
    RANKINGS,
    Correlations,
    measure_correlations,
    qrels_correlations,
    run_correlations,
)
from metrics.kinds.runs.parts import has_agreement
from metrics.kinds.runs.results import best_first, outcomes
from metrics.kinds.runs.values import main_measure, ranking_measures
from metrics.kinds.runs.words import about_intents_of
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report

# A wider matrix cannot be read; the file has all.
MOST_RUNS = 30


@page_of_a_report
def report_agreement(request: SignedIn, report: Report) -> HttpResponse:
    context = {"report": report, "orderings": ORDERINGS, "rankings": RANKINGS, "p": DEFAULT_P, "depth": DEPTH}
    context["collection"] = str(report.collection_id)
    return render(request, "metrics/report_agreement.html", context | choices(request.GET, report))


def choices(query: QueryDict, report: Report) -> dict:
    """Read the query string; ignore choices that no longer exist."""
    measures = ranking_measures(report.spec["measures"])
    versions = {version["id"]: version["name"] for version in report.spec["qrels"]}
    number = number_in(query.get("qrels", ""))
    qrels = number if number and number in versions else next(iter(versions))
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
        "by_measure": measure_correlations(report, qrels, ordering) if len(measures) > 1 else None,
        "by_qrels": qrels_correlations(report, measure, ordering) if len(versions) > 1 and measures else None,
        "by_run": shown_correlations(query, report, qrels, measure, ranking),
        "are_kept": has_agreement(report),
        "caution": about_intents_of(report, qrels, measures),
    }


def shown_correlations(query: QueryDict, report: Report, qrels: int, measure: str, ranking: str) -> Correlations | None:
    """The correlations of the runs that the reader chose, or of all if these are fewer than two; the best runs first."""
    named = Choice.read(query, report).named
    every = [outcome.run for outcome in best_first(outcomes(report, qrels), measure)]
    chosen = [run for run in every if run in named]
    shown = (chosen if len(chosen) > 1 else every)[:MOST_RUNS]
    return run_correlations(report, shown, ranking) if len(shown) > 1 else None
