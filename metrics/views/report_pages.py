"""Pages of reports that are not finished show their progress; pages of reports on runs check access, too."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.requests import SignedIn
from metrics.access import own_reports_for, report_for
from metrics.models import Report
from metrics.pipeline import note_look


def progress(request: SignedIn, context: dict[str, Any]) -> HttpResponse | None:
    """How far the report is, for the page that waits for it; None for who asked for the page."""
    if request.htmx.target != "report-progress":
        return None
    if not context["waiting"]:  # the page that waited for it shows it whole
        return HttpResponseClientRefresh()
    return render(request, "metrics/_progress.html", context)


def page_of_a_report(view: Callable[[SignedIn, Report], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the report itself, and only once it is finished."""

    @login_required
    @require_safe
    @vary_on_headers("HX-Request")
    @wraps(view)
    def opened(request: SignedIn, pk: int) -> HttpResponse:
        report = report_for(request.user, pk)
        if not report.is_done:
            return unfinished(request, report)
        note_look(report)
        return view(request, report)

    return opened


def unfinished(request: SignedIn, report: Report) -> HttpResponse:
    template = "metrics/_report_progress.html" if request.htmx else "metrics/report_unfinished.html"
    return render(request, template, {"report": report, "is_own": is_own(request, report)})


def is_own(request: SignedIn, report: Report) -> bool:
    return own_reports_for(request.user).filter(pk=report.pk).exists()
