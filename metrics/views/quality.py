"""The pages of a graded study's report: the study as a whole, its items, its workers; and its files."""

from typing import Any

import polars as pl
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import graded_for, readable_study_for, runs_study
from judging.models import Item, Study, Worker
from judging.requests import SignedIn
from judging.rules.worker_profile import count_column, signal_text
from metrics.kinds.answers import earlier_answers
from metrics.kinds.quality.figures import agreement, grades_meet, scatter
from metrics.kinds.quality.files import FILES
from metrics.kinds.quality.items import BY_TOPIC
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.results import coefficients, in_order
from metrics.kinds.quality.words import advice, cautions, convention, in_one_sentence, reading, undefined
from metrics.kinds.quality.workers import Signal, in_reader_language
from metrics.kinds.studies import newest, page_context, part, request_study_report, rows
from metrics.kinds.study_files import filename
from metrics.models import Report
from metrics.views.common import download, progress
from metrics.views.frames import page_of, slice_of

A_GLANCE = 10
ITEM_ORDERS = {"agreement": _("Agreeing pairs"), "entropy": _("Entropy, bits"), "spread": _("Range"), "n": _("n")}
WORKER_ORDERS = {
    "answered": _("Answered"), "gold": _("Gold right"), "attention": _("Attention failed"), "agreement": _("With the others"),
    "seconds": _("Seconds"), "hasty": _("Too fast"), "run": _("Same grade in a row"), "commonest": _("Commonest"),
    "cannot": _("Can’t judge"), "twin": _("Nearest twin"),
}  # fmt: skip


@login_required
@require_safe
@vary_on_headers("HX-Request")
def study_quality(request: SignedIn, pk: int) -> HttpResponse:
    """Show the newest report; whoever opens the page first asks for the first one."""
    study = readable_study_for(request.user, pk, Study.Kind.GRADED)
    context = page_context(QUALITY, study) | {"reading": not runs_study(request.user, study)}
    if waiting := progress(request, context):
        return waiting
    if context["report"]:
        context |= overview(context["report"]) | {"earlier": earlier_answers(context["report"], request.user)}
    return render(request, "metrics/quality.html", context)


def overview(report: Report) -> dict[str, Any]:
    every, about = coefficients(report), part(report, "agreement")
    items, workers = rows(report, "items"), worker_rows(report)
    flagged = workers.filter(pl.col("why").list.len() > 0)
    return {
        "coefficients": [(coefficient, reading(coefficient), undefined(coefficient)) for coefficient in every]
        if any(coefficient.value is not None for coefficient in every)
        else [],
        "answer": agreement(every),
        "grades_meet": grades_meet(items, sorted(report.subject.grades)),
        "scatter": scatter_of(report.subject, workers),
        "main": every[-1] if every else None,
        "sentence": in_one_sentence(about),
        "cautions": cautions(about),
        "about": about,
        "items": part(report, "items"),
        "workers": part(report, "workers"),
        "advice": advice(every, workers=about["workers"]),
        "convention": convention(every),
        "doubtful": with_items(report.subject, items.filter(pl.col("agreement") < 1).head(A_GLANCE)),
        "flagged": with_workers(report.subject, flagged.head(A_GLANCE)),
    }


def worker_rows(report: Report) -> pl.DataFrame:
    return in_reader_language(rows(report, "workers"), report.evidence["rules"])


def scatter_of(study: Study, frame: pl.DataFrame) -> dict[str, Any] | None:
    people = Worker.objects.filter(study=study).in_bulk(frame["worker"].to_list())
    addresses = {pk: reverse("study_worker", args=[study.pk, pk]) for pk in people}
    return scatter(frame.iter_rows(named=True), {pk: str(worker) for pk, worker in people.items()}, addresses)


@login_required
@require_safe
def study_quality_items(request: SignedIn, pk: int) -> HttpResponse:
    context = page_context(QUALITY, graded_for(request.user, pk))
    if not (report := context["report"]):
        return redirect("study_quality", pk)
    frame, topic, order = rows(report, "items"), request.GET.get("topic", "").strip(), request.GET.get("sort", "")
    if topic:
        frame = frame.filter(pl.col("topic") == topic)
    if order.removeprefix("-") in {"topic", "docno", *ITEM_ORDERS}:
        frame = in_order(frame, order, ties=BY_TOPIC)
    page = page_of(frame, request)
    lines = with_items(report.subject, slice_of(frame, page))
    context |= {"lines": lines, "page": page, "topic": topic, "sort": order, "orders": ITEM_ORDERS}
    return render(request, "metrics/quality_items.html", context)


@login_required
@require_safe
def study_quality_workers(request: SignedIn, pk: int) -> HttpResponse:
    context = page_context(QUALITY, graded_for(request.user, pk))
    if not (report := context["report"]):
        return redirect("study_quality", pk)
    frame, order, only = worker_rows(report), request.GET.get("sort", ""), request.GET.get("flagged")
    frame = frame.with_columns(flags=pl.col("why").list.len())
    if only:
        frame = frame.filter(pl.col("flags") > 0)
    is_column = order.removeprefix("-") in {"worker", *WORKER_ORDERS}
    frame = in_order(frame, order if is_column else "-flags", ties=[pl.col("worker")])
    page = page_of(frame, request)
    medians = part(report, "workers")["medians"]
    context |= {
        "lines": with_workers(report.subject, slice_of(frame, page)),
        "medians": [signal_text(key, medians[key]) for key in list(WORKER_ORDERS)[1:]],
        "page": page,
        "sort": order,
        "only": only,
        "orders": WORKER_ORDERS,
    }
    return render(request, "metrics/quality_workers.html", context)


def with_items(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Item, list[tuple[int, int]]]]:
    """Each row with its item and its votes as pairs of (grade, how many)."""
    items = Item.objects.select_related("topic", "document").defer("document__text").in_bulk(frame["item"].to_list())
    grades = sorted(study.grades)
    return [
        (row, items[row["item"]], [(grade, count) for grade, count in zip(grades, row["votes"], strict=True) if count])
        for row in frame.iter_rows(named=True)
    ]


def with_workers(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Worker, list[str]]]:
    """Each row with its worker as they are now, and the worker's signals in the order of the table."""
    people = Worker.objects.filter(study=study).in_bulk(frame["worker"].to_list())
    signals = [Signal(key) for key in list(WORKER_ORDERS)[1:]]
    return [
        (
            row,
            people[row["worker"]],
            [signal_text(signal, row[signal.value] if row[count_column(signal)] else None) for signal in signals],
        )
        for row in frame.iter_rows(named=True)
    ]


@login_required
@require_POST
def study_quality_again(request: SignedIn, pk: int) -> HttpResponse:
    request_study_report(QUALITY, graded_for(request.user, pk))
    return redirect("study_quality", pk)


@login_required
@require_safe
def study_quality_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = newest(QUALITY, graded_for(request.user, pk))
    if report is None:
        raise Http404(str(_("Nothing has been computed of this study yet.")))
    return download(request, FILES, kind, report, name=filename(report, kind), about="quality", study=report.subject)
