"""The page of a finished report on runs, and the parts of it that htmx replaces."""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django_htmx.http import HttpResponseClientRefresh

from ireval import PROFILES
from judging.requests import SignedIn
from metrics.access import evident_reports_for, run_reports_for
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.difference_words import in_words
from metrics.kinds.runs.differences import CORRECTIONS, TESTS, Differences, measures_of
from metrics.kinds.runs.figures import from_the_best
from metrics.kinds.runs.files import TABLES
from metrics.kinds.runs.results import graded_by
from metrics.kinds.runs.rules import rules_of
from metrics.kinds.runs.sections import charts, means, topics
from metrics.kinds.runs.versions import other_versions
from metrics.kinds.runs.words import cautions, headline
from metrics.models import Report
from metrics.views.links import shared_links
from metrics.views.report_pages import is_own, page_of_a_report


@page_of_a_report
def report(request: SignedIn, report: Report) -> HttpResponse:
    if request.htmx.target == "report-progress":  # the page that waited for it shows it whole
        return HttpResponseClientRefresh()
    if request.htmx and not request.htmx.history_restore_request:
        return replacement(request, report, request.htmx.target or "")
    return render(request, "metrics/report.html", page_context(request, report))


def page_context(request: SignedIn, report: Report) -> dict:
    context, own = overview(request.GET, report), is_own(request, report)
    return {
        **context,
        **shared_links(request, report=report),
        "is_own": own,
        "is_evident": own or evident_reports_for(request.user).filter(pk=report.pk).exists(),
        "earlier": other_versions(report, run_reports_for(request.user), request.user),
        "topics": topics(request.GET, report, context["choice"]),
        "file_tables": TABLES,
        "rules": rules_of(report.spec),
        "profile": PROFILES[report.spec["profile"]],
    }


def overview(query: QueryDict, report: Report, *, leads: bool = True) -> dict:
    """The answer with its figure and its tables, as pages of the report and shared ones, which lead nowhere, show them."""
    choice = Choice.read(query, report)
    graded = graded_by(report)
    return {
        "report": report,
        "choice": choice,
        **answer(report, choice, leads=leads),
        "cautions": cautions(report, graded),
        "tables": [means(query, report, qrels) for qrels in graded],
        "charts": charts(choice, leads=leads),
        "qrels": graded,
    }


def answer(report: Report, choice: Choice, *, leads: bool) -> dict:
    """The best run by the chosen measure and which can be told apart, as the page of differences says before any choice there.

    `answer_has_all` says whether the figure shows every run.
    """
    sentence = headline(choice.outcomes, choice.measure, choice.qrels_name if len(report.spec["qrels"]) > 1 else "")
    if len(report.spec["runs"]) < 2 or choice.measure not in measures_of(report):
        return {"sentence": sentence, "answer": None, "answer_has_all": False}
    differences = Differences(report, choice.qrels, choice.measure, next(iter(TESTS)), next(iter(CORRECTIONS)))
    figure = from_the_best(differences, leads=leads)
    has_all = figure is not None and len(figure.marks) == len(report.spec["runs"]) - 1
    return {
        "sentence": f"{sentence} {in_words(differences, in_short=True)}".strip(),
        "decided": in_words(differences),
        "answer": figure,
        "answer_has_all": has_all,
    }


def replacement(request: SignedIn, report: Report, target: str) -> HttpResponse:
    """The part of the page that a link asks htmx to replace: a table of means, the topics, or all about one measure."""
    choice = Choice.read(request.GET, report)
    context = {"report": report, "choice": choice}
    if target.startswith("means-"):
        tables = [means(request.GET, report, qrels) for qrels in graded_by(report)]
        context |= {"tables": tables, "table": next((table for table in tables if table["anchor"] == target), tables[0])}
        return with_tabs(request, "metrics/_means.html", context)
    context["topics"] = topics(request.GET, report, choice)
    if target == "topics":
        return with_tabs(request, "metrics/_topics.html", context)
    return with_tabs(request, "metrics/_explore.html", context | {"charts": charts(choice)})


def with_tabs(request: SignedIn, template: str, context: dict) -> HttpResponse:
    """The part and the tabs, whose links carry what the reader has just chosen."""
    context["is_beside"] = True
    parts = [render_to_string(name, context, request) for name in (template, "metrics/_report_tabs.html")]
    return HttpResponse("".join(parts))
