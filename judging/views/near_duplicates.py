"""The page of a collection's near-duplicates: has Celery look for them, and lists the groups that were found."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.access import collection_for, may_change, own_collection_for
from judging.collections.duplicate_search import found_in, groups_of, search_near_duplicates
from judging.models import Collection, Document, NearDuplicates
from judging.requests import SignedIn
from judging.views.refusals import refusals_on

A_PAGE = 50
# A template of a thousand pages makes a group that nobody reads through.
MOST_SHOWN = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("near_duplicates")
def near_duplicates(request: SignedIn, pk: int) -> HttpResponse:
    if request.method == "POST":
        search_near_duplicates(collection=own_collection_for(request.user, pk), by=request.user)
        return redirect("near_duplicates", pk)
    collection = collection_for(request.user, pk)
    duplicates = found_in(collection)
    page = Paginator(groups_of(duplicates) if duplicates else [], A_PAGE).get_page(request.GET.get("page"))
    context = {
        "collection": collection,
        "last": collection.near_duplicates.first(),
        "kept": duplicates,
        "page": page,
        "groups": [(titled(collection, docnos[:MOST_SHOWN]), len(docnos[MOST_SHOWN:])) for docnos in page],
        "documents": collection.documents.count(),
        "mine": may_change(request.user, collection),
        "State": NearDuplicates.State,
    }
    return render(request, "judging/near_duplicates.html", context)


def titled(collection: Collection, docnos: list[str]) -> list[Document]:
    return list(collection.documents.filter(docno__in=docnos).only("docno", "title"))
