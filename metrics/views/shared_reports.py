"""A report shared by a link, as whoever has the link sees it."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from metrics.access import shared_report
from metrics.figures.intervals import drawing
from metrics.kinds.runs.choice import Choice
from metrics.kinds.verdict.figures import forest
from metrics.kinds.verdict.results import VerdictResults
from metrics.kinds.verdict.words import in_one_sentence
from metrics.models import Report
from metrics.pipeline import note_look
from metrics.views.report import answer, overview
from metrics.views.verdict import answer as verdict_answer


@require_safe
@never_cache
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """The answer of a report with its figure and its table, and no way into the application."""
    link, report = shared_report(token)
    note_look(report)
    if report.kind == Report.Kind.RUNS:
        template, context = "metrics/shared_runs.html", overview(QueryDict(), report, leads=False)
    else:
        template = "metrics/shared_verdict.html"
        results = VerdictResults(report)
        context = {"results": results, "hypothesis": report.subject, **verdict_answer(results, {})}
    return render(request, template, {**context, "report": report, "link": link, "is_shared": True})


@require_safe
@never_cache
def shared_figure(request: HttpRequest, token: str) -> HttpResponse:
    """The answer and its figure as a picture, for a page elsewhere that has the link."""
    _, report = shared_report(token)
    note_look(report)
    if report.kind == Report.Kind.RUNS:
        result = answer(report, Choice.read(QueryDict(), report), leads=False)
        picture = drawing(result["sentence"], result["answer"])
    else:
        results = VerdictResults(report)
        picture = drawing(in_one_sentence(results), forest(results, {}))
    return HttpResponse(picture, content_type="image/svg+xml")
