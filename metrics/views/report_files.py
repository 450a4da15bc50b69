"""Downloads of a report on runs."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from judging.signed_in import SignedIn
from metrics.access import report_for
from metrics.downloads import attachment
from metrics.kinds.runs.files import FILES, filename, trec_text
from metrics.kinds.runs.results import outcome_of
from metrics.models import Report


@login_required
@require_safe
def report_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = finished_report_for(request, pk)
    if kind not in FILES:
        raise Http404(f"“{kind}” is not one of {', '.join(FILES)}.")
    write, content_type = FILES[kind]
    return attachment(write(report), content_type, filename(report, kind))


@login_required
@require_safe
def report_trec(request: SignedIn, pk: int, qrels: int, run: int) -> HttpResponse:
    report = finished_report_for(request, pk)
    outcome = outcome_of(report, qrels=qrels, run=run)
    if outcome is None:
        raise Http404("This report knows no such run or qrels.")
    return attachment(trec_text(report, outcome), "text/plain; charset=utf-8", filename(report, outcome.name, "eval.txt"))


def finished_report_for(request: SignedIn, pk: int) -> Report:
    report = report_for(request.user, pk)
    if not report.is_done:
        raise Http404("This report has no numbers yet.")
    return report
