"""A decorator of the pages of a report on runs: it checks access, and shows the progress of unfinished reports."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from judging.requests import SignedIn
from metrics.access import own_reports_for, report_for
from metrics.models import Report
from metrics.pipeline import note_look


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
