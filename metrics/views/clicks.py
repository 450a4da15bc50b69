"""The pages of a click report: the site as a whole, one query, and grades from clicks; and its files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import own_site_for, sees_records, site_for
from judging.audit import quoted
from judging.models import Collection, Document, Site
from judging.requests import SignedIn
from judging.text.library_words import in_reader_language
from metrics.access import may_ask
from metrics.kinds.answers import earlier_answers
from metrics.kinds.clicks import words
from metrics.kinds.clicks.disagreements import disagreements
from metrics.kinds.clicks.figures import answer, ranks, trend
from metrics.kinds.clicks.files import FILES, filename
from metrics.kinds.clicks.freshness import latest_reports, page_context, request_again, request_click_report, staleness
from metrics.kinds.clicks.labels import SOURCES, choices, label_choice, labels_of
from metrics.kinds.clicks.results import ClickResults
from metrics.kinds.clicks.window import WindowForm
from metrics.views.report_files import download
from metrics.views.report_pages import progress

A_PAGE = 25
A_GLANCE = 10
ORDERS = {
    "impressions": gettext_lazy("Impressions"),
    "users": gettext_lazy("Users"),
    "clicked": gettext_lazy("With a click"),
    "abandoned": gettext_lazy("Abandoned"),
    "clicks": gettext_lazy("Clicks"),
}
LONGEST = 10_000


@login_required
@require_safe
@vary_on_headers("HX-Request")
def site_clicks(request: SignedIn, pk: int) -> HttpResponse:
    """Show the newest report; whoever opens the page first asks for the first one."""
    context = page_context(site_for(request.user, pk), request.user)
    if waiting := progress(request, context):
        return waiting
    report = context["report"]
    context["form"] = WindowForm(initial=WindowForm.of(report))
    if report:
        context |= overview(ClickResults(report, request.user), request)
    return render(request, "metrics/clicks.html", context)


def overview(results: ClickResults, request: SignedIn) -> dict[str, Any]:
    context: dict[str, Any] = {
        "results": results,
        "window": words.window(results.report),
        "earlier": earlier_answers(results.report, request.user),
    }
    if results.nothing or results.too_few:
        return context
    return context | {
        "sentence": words.in_one_sentence(results),
        "answer": answer(results),
        "cautions": words.cautions(results),
        "counted": words.count_rows(results),
        "foresight": words.foresight(results),
        "method": words.method(results),
        "figure": ranks(results),
        "trend": trend(results),
        "files": [(name, file.label) for name, file in FILES.items()],
        "labels_wanted": results.sees_records and results.collection is not None,
        **queries_shown(results, request),
    }


def queries_shown(results: ClickResults, request: SignedIn) -> dict[str, Any]:
    wanted, sort = request.GET.get("q", "").strip()[:LONGEST], request.GET.get("sort", "")
    page = Paginator(results.queries_with(wanted, sort), A_PAGE).get_page(request.GET.get("page"))
    return {"page": page, "orders": ORDERS, "sort": sort, "q": wanted}


@login_required
@require_POST
def site_clicks_again(request: SignedIn, pk: int) -> HttpResponse:
    """Ask for a report. Readers cannot choose the period or ask twice: the difference of two could be what one user did."""
    site = site_for(request.user, pk)
    if not may_ask(request.user, site, latest_reports(site)):
        raise Http404(_("The site's owner has it computed again."))
    if not sees_records(request.user, site):
        request_again(site)
        return redirect("site_clicks", pk)
    form = WindowForm(request.POST)
    if not form.is_valid():
        context = page_context(site, request.user, asks=False) | {"form": form}
        if context["report"]:
            context |= overview(ClickResults(context["report"], request.user), request)
        return render(request, "metrics/clicks.html", context, status=422)
    request_click_report(site, **form.window)
    return redirect("site_clicks", pk)


@login_required
@require_safe
def site_clicks_query(request: SignedIn, pk: int) -> HttpResponse:
    """Show what was shown for one query, and what was clicked; redirect to the report's page while there is none."""
    results = finished(site_for(request.user, pk), request)
    if results is None:
        return redirect("site_clicks", pk)
    text = request.GET.get("q", "")[:LONGEST]
    query = None if results.nothing or results.too_few else results.query(text)
    documents = results.documents(text) if query else None
    context = {**standing(results), "q": text, "query": query}
    if query is None or documents is None:
        return render(request, "metrics/clicks_query.html", context, status=404)
    grades = results.grades(text)
    page = Paginator(range(documents.height), A_PAGE).get_page(request.GET.get("page"))
    rows = documents.slice(max(page.start_index() - 1, 0), A_PAGE).to_dicts()
    keys = keys_of(results.collection, [row["document"] for row in rows]) if results.collection else {}
    context |= {
        "page": page,
        "rows": [(row, keys.get(row["document"]), grades.get(row["document"])) for row in rows],
        "graded": bool(grades),
        "topic": results.topic(text),
        "disagreements": disagreements(documents, grades)[:A_GLANCE],
        "model": "position-based",
        "method": words.method(results),
    }
    return render(request, "metrics/clicks_query.html", context)


def keys_of(collection: Collection, docnos: list[str]) -> dict[str, int]:
    return dict(Document.objects.filter(collection=collection, docno__in=docnos).values_list("docno", "pk"))


@login_required
@require_safe
def site_clicks_grades(request: SignedIn, pk: int) -> HttpResponse:
    """Preview the grades that clicks would give."""
    results = finished(own_site_for(request.user, pk), request)
    if results is None:
        return redirect("site_clicks", pk)
    if results.collection is None:
        raise Http404(_("The site searches none of the collections that you may read."))
    choice = None if results.nothing else label_choice(results, request.GET)
    context = {
        **standing(results),
        "choice": choice,
        "sources": {name: in_reader_language(title) for name, title in SOURCES.items()},
    }
    if choice:
        context |= {"labels": labels_of(results, choice), "every_qrels": choices(results)}
    return render(request, "metrics/clicks_grades.html", context)


@login_required
@require_safe
def site_clicks_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    results = finished(site_for(request.user, pk), request)
    if results is None or results.nothing or results.too_few:
        raise Http404(_("There is nothing to download."))
    site = results.site
    name, about = filename(results.report, kind), f"clicks of {quoted(site)}"
    return download(request, FILES, kind, results, name=name, about=about, site=site)


def standing(results: ClickResults) -> dict[str, Any]:
    """What every page says of its report: of which time it is, what has come since, and what to ask again."""
    report = results.report
    return {
        "site": results.site,
        "results": results,
        "window": words.window(report),
        "since": staleness(report),
        "form": WindowForm(initial=WindowForm.of(report)),
    }


def finished(site: Site, request: SignedIn) -> ClickResults | None:
    report = latest_reports(site).report
    return ClickResults(report, request.user) if report else None
