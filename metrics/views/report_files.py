"""Downloads of a report on runs."""

from functools import partial

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from judging.audit import quoted
from judging.requests import SignedIn
from metrics.access import report_for
from metrics.downloads import File
from metrics.kinds.runs.files import FILES, filename, trec_text
from metrics.kinds.runs.results import outcome_of
from metrics.models import Report
from metrics.views.common import download


@login_required
@require_safe
def report_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = finished_report_for(request, pk)
    name, about = filename(report, kind), f"report {quoted(report)}"
    return download(request, FILES, kind, report, name=name, about=about, collection=report.subject)


@login_required
@require_safe
def report_trec(request: SignedIn, pk: int, qrels: int, run: int) -> HttpResponse:
    report = finished_report_for(request, pk)
    outcome = outcome_of(report, qrels=qrels, run=run)
    if outcome is None:
        raise Http404("This report knows no such run or qrels.")
    file = {"eval.txt": File(partial(trec_text, report), "text/plain; charset=utf-8")}
    name, about = filename(report, outcome.name, "eval.txt"), f"report {quoted(report)}, {outcome.name}"
    return download(request, file, "eval.txt", outcome, name=name, about=about, collection=report.subject)


def finished_report_for(request: SignedIn, pk: int) -> Report:
    report = report_for(request.user, pk)
    if not report.is_done:
        raise Http404("This report has no numbers yet.")
    return report
