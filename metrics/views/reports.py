"""The list of reports, of every kind."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from ireval_site.lists import Column, Filter, RowList, Search
from judging.access import collections_for
from judging.requests import SignedIn
from metrics.access import reports_for
from metrics.kinds.overview import sentence, with_sentences
from metrics.models import Report, ReportQuerySet

REPORTS = RowList(
    _("reports"),
    [
        Column(_("Report"), "title"),
        Column(_("Kind"), "kind"),
        Column(_("About")),
        Column(_("State"), "state"),
        Column(_("Asked by"), "by", "created_by__username", gaps=True),
        Column(_("When"), "when", "created"),
    ],
    order="-when",
    search=Search(
        _("Title, or a name of what it is about"),
        [
            "title__icontains", "collection__name__icontains", "study__name__icontains", "site__name__icontains",
            "experiment__name__icontains", "hypothesis__a__name__icontains", "hypothesis__b__name__icontains",
        ],
    ),
    filters=[
        Filter("collection", _("Collection"), ReportQuerySet.of_collection),
        Filter("kind", _("Kind"), "kind", Report.Kind.choices),
        Filter("state", _("State"), "state", Report.State.choices),
    ],
    a_page=30,
)  # fmt: skip


@login_required
@require_safe
def reports(request: SignedIn) -> HttpResponse:
    collections = list(collections_for(request.user).order_by("name").values_list("pk", "name"))
    mine = with_sentences(reports_for(request.user).select_related("created_by", "hypothesis__created_by"))
    listed = REPORTS.page(mine, request.GET, collection=collections)
    context = {
        "listed": listed,
        "lines": [(report, sentence(report, request.user)) for report in listed],
        "collections": collections,
        "collection": listed.state.get("collection"),
    }
    return render(request, "metrics/reports.html", context)
