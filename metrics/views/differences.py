"""A report's page on the differences between its runs, and how sure they are."""

from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from judging.database.numbers import number_in
from judging.requests import SignedIn
from metrics.kinds.margins import versions_of_runs, way_to_verdict, what_matters
from metrics.kinds.runs.choice import Choice, one_of
from metrics.kinds.runs.difference_words import caution, confidence, in_words
from metrics.kinds.runs.differences import CORRECTIONS, TESTS, Differences, matrix, measures_of
from metrics.kinds.runs.figures import topic_addresses
from metrics.kinds.runs.parts import has_differences
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.tables import chosen_order, headings
from metrics.kinds.runs.topic_duel import bars, duel
from metrics.kinds.runs.topic_rankings import topic_names
from metrics.kinds.runs.values import main_measure
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report

MOST_AT_FIRST = 12
MOST_IN_A_MATRIX = 60
PAIRS_A_PAGE = 50
COLUMNS = {
    "first": _("Run"),
    "second": _("Compared with"),
    "n": "n",
    "difference": _("Difference"),
    "low": _("Interval"),
    "effect": _("Effect (g)"),
    "p": "p",
    "corrected": _("Corrected p"),
}


@page_of_a_report
def report_differences(request: SignedIn, report: Report) -> HttpResponse:
    measures = measures_of(report)
    context = {"report": report, "measures": measures, "tests": TESTS, "corrections": CORRECTIONS}
    context["collection"] = str(report.collection_id)
    if measures and len(report.spec["runs"]) > 1:
        context |= parts(request, read(request.GET, report, measures))
    return render(request, "metrics/report_differences.html", context)


def read(query: QueryDict, report: Report, measures: list[str]) -> Differences:
    """Read the query string; ignore choices that no longer exist."""
    versions, qrels = [version["id"] for version in report.spec["qrels"]], number_in(query.get("qrels", ""))
    usual = main_measure(report)
    return Differences(
        report=report,
        qrels=qrels if qrels and qrels in versions else versions[0],
        measure=one_of(measures, query.get("measure"), usual if usual in measures else measures[0]),
        test=one_of(TESTS, query.get("test"), "t"),
        correction=one_of(CORRECTIONS, query.get("correction"), "holm"),
    )


def parts(request: SignedIn, differences: Differences) -> dict:
    query = request.GET
    shown, chosen = runs_shown(query, differences), chosen_runs(query, differences)
    return {
        "differences": differences,
        "words": in_words(differences),
        "caution": caution(differences),
        "are_kept": has_differences(differences.report),
        "matrix": matrix(differences, shown),
        "largest": max((abs(pair.difference) for pair in differences.pairs), default=0.0),
        "are_chosen": "run" in query and shown != differences.runs[: len(shown)],
        "can_show": min(len(differences.runs), MOST_IN_A_MATRIX),
        "pairs": pairs(query, differences),
        **(topic_by_topic(differences, chosen, request) if chosen else {}),
    }


def topic_by_topic(differences: Differences, runs: tuple[int, int], request: SignedIn) -> dict:
    """The duel of two runs with its figure, and rows: where each topic is shown, its name, its number and the difference."""
    text, versions = request.GET.get("matters", ""), versions_of_runs(*runs)
    matters = what_matters("experts", versions, measure=differences.measure, text=text, user=request.user)
    chosen = duel(differences, *runs, matters=matters.difference)
    if chosen is None:
        return {}
    topics = [topic for topic, _difference in chosen.differences]
    names = topic_names(differences.report.subject, topics)
    addresses = topic_addresses(differences.report.pk, topics, differences.qrels, differences.measure)
    page_of_topic = dict(zip(topics, addresses, strict=True))
    return {
        "duel": chosen,
        "level": confidence(chosen.pair),
        "matters": matters,
        "way_to_verdict": way_to_verdict(versions, request.user),
        "figure": bars(chosen, list(names.values()), addresses),
        "listed": [(page_of_topic[topic], names[topic], topic, difference) for topic, difference in chosen.listed],
    }


def runs_shown(query: QueryDict, differences: Differences) -> list[Outcome]:
    """The runs that the reader chose, here or on another page of the report, if there are two; else the best."""
    named = Choice.read(query, differences.report).named
    chosen = [outcome for outcome in differences.runs if outcome.run in named]
    return chosen[:MOST_IN_A_MATRIX] if len(chosen) > 1 else differences.runs[:MOST_AT_FIRST]


def pairs(query: QueryDict, differences: Differences) -> dict:
    labels = {key: str(label) for key, label in COLUMNS.items() if key != "corrected" or differences.test != "tukey"}
    order = chosen_order(query, "sort", labels, default="p")
    page = Paginator(differences.in_order(order), PAIRS_A_PAGE).get_page(query.get("page"))
    return {
        "headings": headings(query, "sort", labels, order, "pairs", names=("second",)),
        "page": page,
        "lines": [(differences.names[pair.first], differences.names[pair.second], pair) for pair in page],
    }


def chosen_runs(query: QueryDict, differences: Differences) -> tuple[int, int] | None:
    """The two runs that the reader named, if they were compared, else the best two that are shown."""
    best = [outcome.run for outcome in runs_shown(query, differences)[:2]]
    first, second = number_in(query.get("first", "")), number_in(query.get("second", ""))
    if first and second and differences.between(first, second):
        return first, second
    return (best[0], best[1]) if len(best) == 2 else None
