"""Files of reports of every kind, handed out and noted; and the downloads of a report on runs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from judging.audit import Deed, note, quoted
from judging.requests import SignedIn
from metrics.access import report_for
from metrics.downloads import File, attachment
from metrics.kinds.runs.files import FILES, filename, trec_text
from metrics.kinds.runs.results import outcome_of
from metrics.models import Report


def download(
    request: SignedIn, files: Mapping[str, File], kind: str, results: Any, *, name: str, about: str, **subject: Any
) -> HttpResponse:
    """One of a report's files. Who took it away is noted, with what it is `about`; 404 for one that there is not."""
    if kind not in files:
        raise Http404(_("“%(kind)s” is not one of %(kinds)s.") % {"kind": kind, "kinds": ", ".join(files)})
    file = files[kind]
    note(Deed.EXPORTED, f"{about}, {kind}", request.user, **subject)
    return attachment(file.write(results), file.content_type, name)


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
