"""The page on which measures are looked up."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ireval import MEASURES
from ireval.measures import catalogue
from judging.requests import SignedIn
from judging.text.library_words import in_reader_language


@login_required
@require_safe
def measures(request: SignedIn) -> HttpResponse:
    query = request.GET.get("q", "").strip()
    entries = catalogue.entries(catalogue.search(query, in_reader_language))
    return render(request, "metrics/measures.html", {"measures": entries, "query": query, "total": len(MEASURES)})
