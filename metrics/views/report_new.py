"""The pages on which a report on runs is asked for: first the collection, then its runs, qrels and measures."""

from django.contrib.auth.decorators import login_required
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import collection_for, collections_for, qrels_for
from judging.database.numbers import number_in
from judging.errors import BadFields
from judging.models import Collection, User
from judging.requests import SignedIn
from metrics.forms import ReportForm, starting_values
from metrics.kinds.runs.question import request_report


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report_new(request: SignedIn) -> HttpResponse:
    pk = number_in(request.GET.get("collection", ""))
    if pk is None:
        return choose_collection(request)
    collection = collection_for(request.user, pk)
    start = starting_values(request.GET, collection, request.user)
    form = ReportForm(request.POST or None, initial=start, collection=collection, user=request.user)
    report = form.ask() if form.is_valid() else None
    if report:
        return redirect("report", report.pk)
    context = {"form": form, "collection": collection}
    return render(request, "metrics/report_new.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def report_usual(request: SignedIn) -> HttpResponse:
    """Ask what the form would ask as it comes: all runs, these qrels or the newest, the usual measures and rules."""
    collection = collection_for(request.user, number_in(request.POST.get("collection", "")) or 0)
    start = starting_values(request.POST, collection, request.user)
    runs = collection.runs.filter(pk__in=start["runs"])
    qrels = qrels_for(request.user).filter(collection=collection, pk__in=start["qrels"])
    try:
        report = request_report(collection=collection, runs=list(runs), qrels=list(qrels), by=request.user)
    except BadFields:
        named = "".join(f"&qrels={version.pk}" for version in qrels)
        return redirect(f"{reverse('report_new')}?collection={collection.pk}{named}")  # which says what is missing
    return redirect("report", report.pk)


def choose_collection(request: SignedIn) -> HttpResponse:
    collections = list(with_counts(collections_for(request.user), request.user))
    if len(collections) == 1:
        return redirect(f"{request.path}?collection={collections[0].pk}")
    return render(request, "metrics/report_choose.html", {"collections": collections})


def with_counts(collections: QuerySet[Collection], user: User) -> list[Collection]:
    """The collections with the number of their runs, and of the qrels that this user may see."""
    runs = dict(collections.annotate(n=Count("runs", distinct=True)).values_list("pk", "n"))
    seen = qrels_for(user).order_by().values("collection").annotate(n=Count("pk", distinct=True))
    qrels = dict(seen.values_list("collection", "n"))
    counted = list(collections)
    for collection in counted:
        collection.run_count, collection.qrels_count = runs[collection.pk], qrels.get(collection.pk, 0)  # type: ignore[attr-defined]
    return counted
