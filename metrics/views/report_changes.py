"""Changes to a report on runs: asking its question again, and deleting it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.requests import SignedIn
from judging.views.refusals import refusals_on
from metrics.access import evident_report_for, own_report_for
from metrics.kinds.runs.question import ask_again
from metrics.kinds.runs.versions import ask_newest


@login_required
@require_POST
@refusals_on("report")
def report_retry(request: SignedIn, pk: int) -> HttpResponse:
    """Ask a report's question again; whoever may read its evidence may ask its question."""
    return redirect("report", ask_again(evident_report_for(request.user, pk), request.user).pk)


@login_required
@require_POST
@refusals_on("report")
def report_newest(request: SignedIn, pk: int) -> HttpResponse:
    """Ask a report's question of the newest versions of its qrels."""
    return redirect("report", ask_newest(evident_report_for(request.user, pk), request.user).pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report_delete(request: SignedIn, pk: int) -> HttpResponse:
    report = own_report_for(request.user, pk)
    if request.method == "POST":
        report.delete()
        text = _("Deleted the report “%(title)s”. Ask the same question to compute it again.")
        messages.success(request, text % {"title": report.title})
        return redirect("reports")
    return render(request, "metrics/report_delete.html", {"report": report})
