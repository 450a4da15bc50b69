"""The public search page of a site, which logs itself: searches when they are shown, clicks when a document is opened."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlunsplit

from django.conf import settings
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from ireval_site import throttle
from ireval_site.addresses import sender
from judging.access import published_sites
from judging.demo import search_site
from judging.models import Document, Site
from judging.search.indexes import NotReady
from judging.search.ranking import DEPTH
from judging.search.self_log import note_event, note_search, place
from judging.search.treatment import TreatedSearch, attributes_of_first, treat
from judging.search.visits import (
    NO_LOG,
    Visitor,
    asks_for_privacy,
    forget,
    remember,
    returning_visitor,
    stop_logging,
    visitor_of,
)
from judging.text import snippets
from judging.text.highlights import marked

PAGE = 10
LONGEST = 500  # characters of a query
SUGGESTIONS, LONGEST_SUGGESTION = 60, 200
# Nobody should fill a site's log by holding down a key.
SEARCHES = throttle.Limit("searches", most=20, seconds=4)

View = Callable[..., HttpResponse]


def limited(view: View) -> View:
    @wraps(view)
    def answer(request: HttpRequest, **where: Any) -> HttpResponse:
        wait = throttle.take(SEARCHES.of(sender(request)))
        if not wait:
            return view(request, **where)
        response = render(request, "judging/search_too_fast.html", status=429)
        response["Retry-After"] = throttle.retry_after(wait)
        return response

    return answer


@require_safe
def sites(request: HttpRequest) -> HttpResponse:
    published = list(published_sites().select_related("collection").order_by("name"))
    if len(published) == 1:
        return redirect(urlunsplit(("", "", reverse("search_page", args=[published[0].slug]), request.META["QUERY_STRING"], "")))
    return render(request, "judging/search_sites.html", {"sites": published})


def site_or_404(slug: str) -> Site:
    return get_object_or_404(published_sites().select_related("collection"), slug=slug)


@never_cache
@require_safe
@limited
def search_page(request: HttpRequest, slug: str) -> HttpResponse:
    site, query = site_or_404(slug), query_of(request)
    if not query:
        return search_response(request, site, "search_start.html", suggestions=suggestions(site))
    if len(query) > LONGEST:
        return search_response(request, site, "search_start.html", query=query, too_long=LONGEST, status=400)
    visitor = visitor_of(request)
    try:
        treated = treat(site, query, visitor)
    except NotReady as state:
        response = search_response(request, site, "search_building.html", query=query, state=state, status=state.status)
        response["Retry-After"] = str(state.wait)
        return response
    page = Paginator(treated.docnos, PAGE).get_page(request.GET.get("page"))
    results = results_of(site, treated, list(page.object_list), page.start_index())
    response = search_response(request, site, "search_results.html", query=query, page=page, results=results, depth=DEPTH)
    if visitor:
        note(request, site, visitor, treated, page)
        remember(response, visitor, site)
    return response


def query_of(request: HttpRequest) -> str:
    return " ".join(request.GET.get("q", "").replace("\0", " ").split())


def search_response(request: HttpRequest, site: Site, template: str, *, status: int = 200, **more: Any) -> HttpResponse:
    about = {"site": site, "logged": not asks_for_privacy(request), "longest": LONGEST, "demo": is_demo(site)}
    return render(request, f"judging/{template}", about | more, status=status)


def is_demo(site: Site) -> bool:
    return settings.DEMO and site.slug == search_site.SLUG


def suggestions(site: Site) -> list[str]:
    """Titles of topics, short ones first: what somebody may search for who does not know the collection."""
    assert site.collection is not None
    titles = site.collection.topics.values_list("title", flat=True)[:1000]
    short = [title for title in dict.fromkeys(titles) if 0 < len(title) <= LONGEST_SUGGESTION]
    return sorted(short, key=len)[:SUGGESTIONS]


def results_of(site: Site, treated: TreatedSearch, docnos: list[str], first: int) -> list[dict[str, Any]]:
    documents = {document.docno: document for document in Document.objects.filter(collection=site.collection, docno__in=docnos)}
    return [
        {
            "docno": docno,
            "address": address_of(site, docno, treated, rank),
            **(document_context(documents[docno], treated.query) if docno in documents else {}),
        }
        for rank, docno in enumerate(docnos, start=first)
    ]


def document_context(document: Document, query: str) -> dict[str, Any]:
    return {
        "title": marked(document.title or document.docno, query),
        "snippet": snippets.snippet_of_text(document.text, query).short,
    }


def address_of(site: Site, docno: str, treated: TreatedSearch, rank: int) -> str:
    """Ids may be `..` or `//x`, which browsers would follow in a path wherever they lead."""
    parameters: dict[str, Any] = {"docno": docno, "q": treated.query}
    if treated.query_id:
        parameters |= {"from": treated.query_id, "at": rank}
    return f"{reverse('search_document', args=[site.slug])}?{urlencode(parameters)}"


def note(request: HttpRequest, site: Site, visitor: Visitor, treated: TreatedSearch, page: Any) -> None:
    """The search with its first ten results; that more of them were looked at is an event."""
    first, agent = treated.docnos[:PAGE], request.headers.get("User-Agent", "")
    attributes = attributes_of_first(treated.attributes, len(first))
    note_search(site, visitor, query_id=treated.query_id, query=treated.query, shown=first, attributes=attributes, agent=agent)
    if page.number > 1:
        seen = {"page": page.number, "object_ids": page.object_list}
        number = str(page.number)
        note_event(site, visitor, "page", query_id=treated.query_id, about=number, attributes=seen, agent=agent)


@csrf_exempt  # a beacon brings no token; what it can do is end a visit of its own browser
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@limited
def search_document(request: HttpRequest, slug: str) -> HttpResponse:
    """A document, as the click on a result; posted to by the page's script when it is left."""
    site, docno = site_or_404(slug), request.GET.get("docno", "")
    if "\0" in docno:
        raise Http404("No document is called so.")
    document = get_object_or_404(Document, collection=site.collection, docno=docno)
    if request.method == "POST":
        note_click(request, site, document, "leave")
        return HttpResponse(status=204)
    query = query_of(request)
    context: dict[str, Any] = {
        "document": document,
        "query": query,
        "text": marked(document.text, query),
        "back": back_from(request, site, query),
    }
    visitor = note_click(request, site, document, "click")
    response = search_response(request, site, "search_document.html", clicked=visitor is not None, **context)
    if visitor:
        remember(response, visitor, site)
    return response


def back_from(request: HttpRequest, site: Site, query: str) -> str:
    """The page of results that it was on."""
    parameters: dict[str, Any] = {"q": query}
    if (rank := rank_in(request)) > PAGE:
        parameters["page"] = (rank - 1) // PAGE + 1
    address = reverse("search_page", args=[site.slug])
    return f"{address}?{urlencode(parameters)}" if query else address


def rank_in(request: HttpRequest) -> int:
    """The rank at which the document stood, from 1; 0 if nobody says."""
    rank = request.GET.get("at", "")
    return int(rank) if rank.isascii() and rank.isdecimal() and len(rank) <= 3 and int(rank) <= DEPTH else 0


def note_click(request: HttpRequest, site: Site, document: Document, action: str) -> Visitor | None:
    """Log it if this browser searched, and say who it was."""
    visitor, query_id, rank = returning_visitor(request), request.GET.get("from", ""), rank_in(request)
    if visitor is None or not rank or not visitor.searched(query_id):
        return None
    where = place(document.docno, rank - 1 + site.first_ordinal)
    agent = request.headers.get("User-Agent", "")
    note_event(site, visitor, action, query_id=query_id, about=document.docno, attributes=where, agent=agent)
    return visitor


@require_http_methods(["GET", "HEAD", "POST"])
def search_privacy(request: HttpRequest, slug: str) -> HttpResponse:
    """What is logged, and the choice not to be."""
    site = site_or_404(slug)
    if request.method != "POST":
        chosen = bool(request.COOKIES.get(NO_LOG))
        return search_response(
            request, site, "search_privacy.html", chosen=chosen, by_browser=asks_for_privacy(request) and not chosen
        )
    response = redirect("search_privacy", slug)
    if request.POST.get("log") == "no":
        stop_logging(response, site)
    else:
        forget(response, site, NO_LOG)
    return response
