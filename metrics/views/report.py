"""The page of one report: how far it is, why it failed, or what came out."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from judging.models import Qrels
from metrics.access import own_reports_for, report_for
from metrics.engine import PROFILES
from metrics.models import Report
from metrics.views.choice import Choice
from metrics.views.parts import charts, means, topics
from metrics.views.who import SignedIn
from metrics.wording import cautions, headline


@login_required
@require_safe
def report(request: SignedIn, pk: int) -> HttpResponse:
    found = report_for(request.user, pk)
    if not found.is_done:
        return unfinished(request, found)
    if request.htmx.trigger == "progress":  # the page that waited for it shows it whole
        return HttpResponseClientRefresh()
    return render(request, "metrics/report.html", finished(request, found))


def unfinished(request: SignedIn, report: Report) -> HttpResponse:
    template = "metrics/_report_progress.html" if request.htmx else "metrics/report_unfinished.html"
    return render(request, template, {"report": report, "is_own": is_own(request, report)})


def finished(request: SignedIn, report: Report) -> dict:
    choice = Choice.read(request.GET, report)
    graded = Qrels.objects.select_related("study").in_bulk([one["id"] for one in report.spec["qrels"]])
    return {
        "report": report,
        "is_own": is_own(request, report),
        "choice": choice,
        "headline": headline(choice.outcomes, choice.measure),
        "cautions": cautions(report, graded),
        "qrels": list(graded.values()),
        "tables": [means(request.GET, report, graded[one["id"]]) for one in report.spec["qrels"]],
        "charts": charts(choice),
        "topics": topics(request.GET, report, choice),
        "profile": PROFILES[report.spec["profile"]],
    }


def is_own(request: SignedIn, report: Report) -> bool:
    return own_reports_for(request.user).filter(pk=report.pk).exists()
