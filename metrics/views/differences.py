"""A report's page on differences: which runs differ, and how surely."""

from django.core.paginator import Paginator
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from judging.database.numbers import number_in
from judging.models import Topic
from metrics.figures.plotly_static import style_ids
from metrics.kinds.runs.choice import Choice, one_of
from metrics.kinds.runs.differences import CORRECTIONS, TESTS, Differences, Pair, in_words, matrix, measures_of
from metrics.kinds.runs.parts import has_differences
from metrics.kinds.runs.results import Outcome, graded_by
from metrics.kinds.runs.tables import headings, order_asked
from metrics.kinds.runs.topic_duel import Duel, bars, duel
from metrics.kinds.runs.values import main_measure
from metrics.kinds.runs.words import about_intents
from metrics.models import Report
from metrics.views.report_pages import page_of_a_report
from metrics.views.who import SignedIn

MOST_AT_FIRST = 12
MOST_IN_A_MATRIX = 60
PAIRS_A_PAGE = 50
COLUMNS = {
    "first": "Run",
    "second": "Compared with",
    "n": "n",
    "difference": "Difference",
    "low": "95 % interval",
    "effect": "Effect (g)",
    "p": "p",
    "corrected": "Corrected p",
}


@page_of_a_report
def report_differences(request: SignedIn, report: Report) -> HttpResponse:
    measures = measures_of(report)
    context = {"report": report, "measures": measures, "tests": TESTS, "corrections": CORRECTIONS}
    context["collection"] = str(report.collection_id)
    if measures and len(report.spec["runs"]) > 1:
        context |= parts(request.GET, read(request.GET, report, measures))
    return render(request, "metrics/report_differences.html", context)


def read(query: QueryDict, report: Report, measures: list[str]) -> Differences:
    """Read the query string; ignore choices that no longer exist."""
    qrels, asked = [one["id"] for one in report.spec["qrels"]], number_in(query.get("qrels", ""))
    usual = main_measure(report)
    return Differences(
        report=report,
        qrels=asked if asked and asked in qrels else qrels[0],
        measure=one_of(measures, query.get("measure"), usual if usual in measures else measures[0]),
        test=one_of(TESTS, query.get("test"), "t"),
        correction=one_of(CORRECTIONS, query.get("correction"), "holm"),
    )


def parts(query: QueryDict, found: Differences) -> dict:
    shown, chosen = runs_shown(query, found), chosen_duel(query, found)
    return {
        "found": found,
        "words": in_words(found),
        "caution": about_intents(next(one for one in graded_by(found.report) if one.pk == found.qrels), [found.measure]),
        "are_kept": has_differences(found.report),
        "matrix": matrix(found, shown),
        "are_chosen": "run" in query and shown != found.runs[: len(shown)],
        "can_show": min(len(found.runs), MOST_IN_A_MATRIX),
        "pairs": pairs(query, found),
        "duel": chosen,
        "titles": titles(found.report, chosen) if chosen else {},
        "figure": bars(chosen) if chosen else None,
        "style_ids": style_ids(),
    }


def runs_shown(query: QueryDict, found: Differences) -> list[Outcome]:
    """Those that the reader chose, here or on another page of the report; one alone differs from nothing."""
    named = Choice.read(query, found.report).named
    chosen = [one for one in found.runs if one.run in named]
    return chosen[:MOST_IN_A_MATRIX] if len(chosen) > 1 else found.runs[:MOST_AT_FIRST]


def pairs(query: QueryDict, found: Differences) -> dict:
    labels = {key: label for key, label in COLUMNS.items() if key != "corrected" or found.test != "tukey"}
    order = order_asked(query, "sort", labels, default="p")
    page = Paginator(in_order(found, order), PAIRS_A_PAGE).get_page(query.get("page"))
    return {
        "headings": headings(query, "sort", labels, order, "pairs", names=("second",)),
        "page": page,
        "lines": [(found.names[pair.first], found.names[pair.second], pair) for pair in page],
    }


def in_order(found: Differences, order: str) -> list[Pair]:
    """What is not known comes last."""
    column, falling = order.removeprefix("-"), order.startswith("-")
    if column in ("first", "second"):
        return sorted(found.pairs, key=lambda pair: found.names[getattr(pair, column)].lower(), reverse=falling)
    known = [pair for pair in found.pairs if getattr(pair, column) is not None]
    unknown = [pair for pair in found.pairs if getattr(pair, column) is None]
    return [*sorted(known, key=lambda pair: getattr(pair, column), reverse=falling), *unknown]


def chosen_duel(query: QueryDict, found: Differences) -> Duel | None:
    """Of the two runs that the reader named, else of the best two that are shown."""
    best = [one.run for one in runs_shown(query, found)[:2]]
    first, second = number_in(query.get("first", "")), number_in(query.get("second", ""))
    if first and second and (asked := duel(found, first, second)):
        return asked
    return duel(found, *best) if len(best) == 2 else None


def titles(report: Report, chosen: Duel) -> dict[str, Topic]:
    numbers = [topic for topic, _ in chosen.listed]
    return {topic.number: topic for topic in Topic.objects.filter(collection=report.subject, number__in=numbers)}
