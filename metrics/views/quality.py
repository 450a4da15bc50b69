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
from judging.models import Study, Worker
from judging.requests import SignedIn
from metrics.kinds.answers import earlier_answers
from metrics.kinds.quality.figures import agreement, grades_meet, scatter
from metrics.kinds.quality.files import FILES
from metrics.kinds.quality.items import doubtful, item_rows, with_items
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.results import coefficients
from metrics.kinds.quality.words import advice, cautions, convention, in_one_sentence, reading, undefined
from metrics.kinds.quality.workers import flagged, medians_in_words, with_workers, worker_rows, workers_in_order
from metrics.kinds.studies import newest, page_context, part, request_study_report
from metrics.kinds.study_files import filename
from metrics.models import Report
from metrics.views.frames import page_of, slice_of
from metrics.views.report_files import download
from metrics.views.report_pages import progress

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
    items, workers = item_rows(report), worker_rows(report)
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
        "doubtful": with_items(report.subject, doubtful(items).head(A_GLANCE)),
        "flagged": with_workers(report.subject, flagged(workers).head(A_GLANCE)),
    }


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
    topic, order = request.GET.get("topic", "").strip(), request.GET.get("sort", "")
    frame = item_rows(report, topic=topic, order=order)
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
    frame = workers_in_order(flagged(frame) if only else frame, order)
    page = page_of(frame, request)
    context |= {
        "lines": with_workers(report.subject, slice_of(frame, page)),
        "medians": medians_in_words(report),
        "page": page,
        "sort": order,
        "only": only,
        "orders": WORKER_ORDERS,
    }
    return render(request, "metrics/quality_workers.html", context)


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
