"""The page of an experiment's report, and its files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import experiment_for
from judging.audit import quoted
from judging.models import Experiment
from judging.requests import SignedIn
from metrics.access import may_ask
from metrics.kinds.ab import figures, words
from metrics.kinds.ab.cautions import cautions, count_rows, method
from metrics.kinds.ab.results import ABResults
from metrics.kinds.answers import earlier_answers
from metrics.kinds.experiment_reports import (
    filename,
    files_of,
    latest_reports,
    page_context,
    request_experiment_report,
    results_for,
)
from metrics.kinds.interleaving import figures as list_figures
from metrics.kinds.interleaving import words as list_words
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.models import Report
from metrics.sentences import as_p, percent
from metrics.views.report_files import download
from metrics.views.report_pages import progress

MOST_QUERIES = 50
SHOWN_REDUCTION = 0.005  # less is shown as 0 %


@login_required
@require_safe
@vary_on_headers("HX-Request")
def experiment_report(request: SignedIn, pk: int) -> HttpResponse:
    """Show the newest report; whoever opens the page first asks for the first one."""
    context = page_context(experiment_for(request.user, pk), request.user)
    if waiting := progress(request, context):
        return waiting
    if context["report"]:
        context |= overview(context["report"], request)
        context |= {"earlier": earlier_answers(context["report"], request.user)}
    return render(request, "metrics/experiment_report.html", context)


def overview(report: Report, request: SignedIn) -> dict[str, Any]:
    results = results_for(report, request.user, request.GET)
    files = [(name, file.label) for name, file in files_of(report).items()]
    context = {"results": results, "choice": results.choice, "files": files}
    if results.nothing or results.too_few:
        return context
    return context | (interleaving_context(results) if isinstance(results, InterleavingResults) else ab_context(results))


def ab_context(results: ABResults) -> dict[str, Any]:
    first = results.deciding[0]
    return {
        "definition": first.definition,
        "level": percent(results.confidence, 1),
        "coverage": percent(1 - results.experiment.alpha, 1),
        "sentence": words.warning(words.flaws(results)) or words.in_full(words.headline(results)),
        "conclusions": words.headline(results),
        "decided": results.may_be_read and all(line.judged in words.BETTER for line in results.deciding),
        "flaws": words.flaws(results),
        "cautions": cautions(results),
        "counted": count_rows(results),
        "detectable": [words.detectable(line, results) for line in results.deciding],
        "way_to_verdict": results.way_to_verdict(first.effect.arm, first.effect.control) if len(results.others) == 1 else None,
        "plans": words.plans(first, results),
        "run_time": words.run_time(results),
        "method": method(results),
        "ratio_p": as_p(results.ratio.p),
        "answer": figures.answer(results) if results.may_be_read else None,
        "looks": figures.looks(results),
        "users": figures.users(results),
        "days": figures.days_shown(results),
        "toggles": toggles(results),
    }


def interleaving_context(results: InterleavingResults) -> dict[str, Any]:
    return {
        "sentence": words.in_full(list_words.headline(results)),
        "conclusions": list_words.headline(results),
        "cautions": list_words.cautions(results),
        "counted": list_words.count_rows(results),
        "method": list_words.method(results),
        "assumes": list_words.ASSUMES,
        **(of_the_pair(results) if len(results.duels) == 1 else {}),
        "answer": list_figures.answer(results) if results.may_be_read else None,
        "looks": list_figures.looks(results),
        "queries": results.queries[:MOST_QUERIES],
        "toggles": toggles(results),
    }


def of_the_pair(results: InterleavingResults) -> dict[str, Any]:
    (duel,) = results.duels
    return {"outlook": list_words.outlook(duel, results), "way_to_verdict": results.way_to_verdict(duel.first, duel.second)}


def toggles(results: ABResults | InterleavingResults) -> list[tuple[str, list[tuple[str | Promise, str, bool]]]]:
    """The reader's choices: a name for each, and its options (label, address, whether it is chosen)."""
    choice = results.choice
    looks = [(label, choice.but(looks=value), choice.looks == value) for value, label in Experiment.Looks.choices]
    shown: list[tuple[str, list[tuple[str | Promise, str, bool]]]] = [(_("Looking"), [*looks])]
    if isinstance(results, ABResults) and results.experiment.before_days and results.reduction >= SHOWN_REDUCTION:
        labels = ((True, _("Adjusted (CUPED)")), (False, _("As they are")))
        shown.append((_("Differences"), [(label, choice.but(adjust=on), choice.adjust == on) for on, label in labels]))
    return shown


@login_required
@require_POST
def experiment_report_again(request: SignedIn, pk: int) -> HttpResponse:
    experiment = experiment_for(request.user, pk)
    if not experiment.started:
        raise Http404(_("This experiment has not started."))
    if not may_ask(request.user, experiment.site, latest_reports(experiment)):
        raise Http404(_("The site's owner has it computed again."))
    request_experiment_report(experiment)
    return redirect("experiment_report", pk)


@login_required
@require_safe
def experiment_report_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = latest_reports(experiment_for(request.user, pk)).report
    if report is None:
        raise Http404(_("Nothing has been computed of this experiment yet."))
    experiment = report.subject
    results, about = results_for(report, request.user, request.GET), f"report of {quoted(experiment)}"
    return download(request, files_of(report), kind, results, name=filename(report, kind), about=about, site=experiment.site)
