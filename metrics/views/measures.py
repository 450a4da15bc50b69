"""The page on which measures are looked up."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ireval import MEASURES
from ireval.measures import catalogue
from judging.signed_in import SignedIn


@login_required
@require_safe
def measures(request: SignedIn) -> HttpResponse:
    query = request.GET.get("q", "").strip()
    entries = catalogue.entries(catalogue.search(query))
    return render(request, "metrics/measures.html", {"measures": entries, "query": query, "total": len(MEASURES)})
