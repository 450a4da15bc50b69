"""The list of reports."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.access import collections_for
from judging.database.numbers import number_in
from metrics.access import reports_for
from metrics.models import Report, ReportQuerySet
from metrics.views.who import SignedIn

A_PAGE = 30


@login_required
@require_safe
def reports(request: SignedIn) -> HttpResponse:
    mine = reports_for(request.user)
    found = filtered(mine, request.GET.get("collection", ""), request.GET.get("state", ""))
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "is_filtered": bool(request.GET.get("collection") or request.GET.get("state")),
        "collections": collections_for(request.user),
        "states": Report.State.choices,
    }
    return render(request, "metrics/reports.html", context)


def filtered(reports: ReportQuerySet, collection: str, state: str) -> ReportQuerySet:
    pk = number_in(collection)
    if pk is not None:
        reports = reports.filter(collection__pk=pk)
    if state in Report.State.values:
        reports = reports.filter(state=state)
    return reports.with_progress().select_related("collection", "created_by").defer("result")
