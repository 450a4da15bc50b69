"""The page of one report: how far it is, why it failed, or what came out."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.models import Qrels
from metrics.access import own_reports_for, report_for
from metrics.engine import PROFILES
from metrics.models import Report
from metrics.plotly_static import style_ids
from metrics.views.choice import Choice
from metrics.views.parts import charts, means, topics
from metrics.views.who import SignedIn
from metrics.wording import cautions, headline


@login_required
@require_safe
@vary_on_headers("HX-Request")
def report(request: SignedIn, pk: int) -> HttpResponse:
    found = report_for(request.user, pk)
    if not found.is_done:
        return unfinished(request, found)
    if request.htmx.target == "progress":  # the page that waited for it shows it whole
        return HttpResponseClientRefresh()
    if request.htmx:
        return replacement(request, found, request.htmx.target or "")
    return render(request, "metrics/report.html", finished(request, found))


def unfinished(request: SignedIn, report: Report) -> HttpResponse:
    template = "metrics/_report_progress.html" if request.htmx else "metrics/report_unfinished.html"
    return render(request, template, {"report": report, "is_own": is_own(request, report)})


def finished(request: SignedIn, report: Report) -> dict:
    choice = Choice.read(request.GET, report)
    graded = graded_by(report)
    return {
        "report": report,
        "is_own": is_own(request, report),
        "choice": choice,
        "headline": headline(choice.outcomes, choice.measure, choice.qrels_name if len(graded) > 1 else ""),
        "cautions": cautions(report, graded),
        "tables": [means(request.GET, report, qrels) for qrels in graded],
        "charts": charts(choice),
        "topics": topics(request.GET, report, choice),
        "qrels": graded,
        "profile": PROFILES[report.spec["profile"]],
        "style_ids": style_ids(),
    }


def replacement(request: SignedIn, report: Report, target: str) -> HttpResponse:
    """The one part of the page that a link asks htmx to replace: a table of means, the topics, or all about one measure."""
    choice = Choice.read(request.GET, report)
    context = {"report": report, "choice": choice}
    if target.startswith("means-"):
        tables = [means(request.GET, report, qrels) for qrels in graded_by(report)]
        context |= {"tables": tables, "table": next((table for table in tables if table["anchor"] == target), tables[0])}
        return render(request, "metrics/_means.html", context)
    context["topics"] = topics(request.GET, report, choice)
    if target == "topics":
        return render(request, "metrics/_topics.html", context)
    return render(request, "metrics/_explore.html", context | {"charts": charts(choice)})


def graded_by(report: Report) -> list[Qrels]:
    found = Qrels.objects.in_bulk([one["id"] for one in report.spec["qrels"]])
    return [found[one["id"]] for one in report.spec["qrels"]]


def is_own(request: SignedIn, report: Report) -> bool:
    return own_reports_for(request.user).filter(pk=report.pk).exists()
