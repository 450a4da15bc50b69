"""What an experiment found."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.access import experiment_for
from judging.audit import Deed, note, quoted
from judging.models import Experiment
from metrics.downloads import attachment
from metrics.figures.plotly_static import style_ids
from metrics.kinds.ab import words
from metrics.kinds.ab.cautions import cautions, counted, method
from metrics.kinds.ab.effects import Found
from metrics.kinds.experiments import figures
from metrics.kinds.experiments.files import filename, files_of, found_in, labels_of
from metrics.kinds.experiments.freshness import how_it_stands, request_experiment_report, what_stands
from metrics.kinds.interleaving import words as list_words
from metrics.kinds.interleaving.duels import Lists
from metrics.logs.kind import may_ask
from metrics.models import Report
from metrics.views.who import SignedIn

MOST_QUERIES = 50


@login_required
@require_safe
@vary_on_headers("HX-Request")
def experiment_report(request: SignedIn, pk: int) -> HttpResponse:
    """The first report of an experiment is asked for by whoever opens the page."""
    context = how_it_stands(experiment_for(request.user, pk), request.user)
    if request.htmx.target == "report-progress":
        if not context["waiting"]:  # the page that waited for it shows it whole
            return HttpResponseClientRefresh()
        return render(request, "metrics/_experiment_progress.html", context)
    if context["report"]:
        context |= overview(context["report"], request)
    return render(request, "metrics/experiment_report.html", context)


def overview(report: Report, request: SignedIn) -> dict[str, Any]:
    found = found_in(report, request.user, request.GET)
    context = {"found": found, "choice": found.choice, "style_ids": style_ids(), "files": labels_of(report)}
    if found.nothing or found.too_few:
        return context
    return context | (of_lists(found) if isinstance(found, Lists) else of_arms(found))


def of_arms(found: Found) -> dict[str, Any]:
    first = found.deciding[0]
    return {
        "definition": first.definition,
        "level": words.percent(found.confidence),
        "each": words.percent(1 - found.experiment.alpha),
        "said": words.headline(found),
        "broken": words.broken(found),
        "cautions": cautions(found),
        "counted": counted(found),
        "detectable": [words.detectable(line, found) for line in found.deciding],
        "plans": words.plans(first, found),
        "run_time": words.run_time(found),
        "method": method(found),
        "ratio_p": words.as_p(found.ratio.p),
        "looks": figures.looks(found),
        "users": figures.users(found),
        "toggles": toggles(found),
        "expected": [(arm, seen, words.whole(expected)) for arm, seen, expected in found.shares],
        "questions": len(found.every),
    }


def of_lists(found: Lists) -> dict[str, Any]:
    return {
        "each": words.percent(1 - found.experiment.alpha),
        "said": list_words.headline(found),
        "cautions": list_words.cautions(found),
        "counted": list_words.counted(found),
        "method": list_words.method(found),
        "assumes": list_words.ASSUMES,
        "outlook": list_words.outlook(found.duels[0], found) if len(found.duels) == 1 else "",
        "looks": figures.duel_looks(found),
        "queries": found.queries[:MOST_QUERIES],
        "toggles": toggles(found),
    }


def toggles(found: Found | Lists) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """What may be chosen: of each its name, and label, address and whether it is chosen."""
    choice = found.choice
    looks = [(label, choice.but(looks=value), choice.looks == value) for value, label in Experiment.Looks.choices]
    shown = [("Looking", looks)]
    if found.experiment.before_days and not found.experiment.interleaves:
        labels = ((True, "Adjusted (CUPED)"), (False, "As they are"))
        shown.append(("Differences", [(label, choice.but(adjust=on), choice.adjust == on) for on, label in labels]))
    return shown


@login_required
@require_POST
def experiment_report_again(request: SignedIn, pk: int) -> HttpResponse:
    experiment = experiment_for(request.user, pk)
    if not experiment.started:
        raise Http404("This experiment has not started.")
    if not may_ask(request.user, experiment.site, what_stands(experiment)):
        raise Http404("The site's owner has it computed again.")
    request_experiment_report(experiment)
    return redirect("experiment_report", pk)


@login_required
@require_safe
def experiment_report_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = what_stands(experiment_for(request.user, pk)).report
    if report is None:
        raise Http404("Nothing has been computed of this experiment yet.")
    files = files_of(report)
    if kind not in files:
        raise Http404(f"“{kind}” is not one of {', '.join(files)}.")
    assert report.experiment
    file = files[kind]
    note(Deed.EXPORTED, f"report of {quoted(report.experiment)}, {kind}", request.user, site=report.experiment.site)
    return attachment(file.write(report, request.user, request.GET), file.content_type, filename(report, kind))
