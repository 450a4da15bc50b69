"""The list of reports, of every kind."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.access import collections_for
from judging.database.numbers import number_in
from metrics.access import reports_for
from metrics.kinds.overview import sentence, with_sentences
from metrics.models import Report, ReportQuerySet
from metrics.views.who import SignedIn

A_PAGE = 30
FILTERS = ("kind", "collection", "state")


@login_required
@require_safe
def reports(request: SignedIn) -> HttpResponse:
    chosen = filtered(reports_for(request.user), request.GET).select_related("created_by", "hypothesis__created_by")
    page = Paginator(with_sentences(chosen), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "lines": [(report, sentence(report, request.user)) for report in page],
        "is_filtered": any(request.GET.get(name) for name in FILTERS),
        "collections": collections_for(request.user),
        "kinds": Report.Kind.choices,
        "states": Report.State.choices,
        **{name: request.GET.get(name, "") for name in FILTERS},
    }
    return render(request, "metrics/reports.html", context)


def filtered(reports: ReportQuerySet, query: QueryDict) -> ReportQuerySet:
    """The reports that match the address; values that no report can have are ignored."""
    collection = number_in(query.get("collection", ""))
    if collection is not None:
        of_a_verdict = Q(hypothesis__a__collection=collection)
        reports = reports.filter(Q(collection=collection) | Q(study__collection=collection) | of_a_verdict)
    choices = {"kind": Report.Kind.values, "state": Report.State.values}
    return reports.filter(**{name: query[name] for name, values in choices.items() if query.get(name) in values})
