"""Which system workers prefer, how sure that is, and why."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.access import pairs_for
from judging.audit import Deed, note
from judging.database.numbers import number_in
from metrics.kinds.preferences.files import FILES
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import Duel, Found, by_name
from metrics.kinds.preferences.words import best_of, cautions, headline, outlook
from metrics.kinds.quality.files import filename
from metrics.kinds.runs.files import attachment
from metrics.kinds.studies import how_it_stands, newest, request_study_report
from metrics.models import Report
from metrics.views.who import SignedIn

# A larger matrix is read by nobody; the files have it whole.
MOST_IN_MATRIX = 25


@login_required
@require_safe
@vary_on_headers("HX-Request")
def study_preferences(request: SignedIn, pk: int) -> HttpResponse:
    """The first report of a study is asked for by whoever opens the page."""
    context = how_it_stands(PREFERENCES, pairs_for(request.user, pk))
    if request.htmx.target == "quality-progress":
        if not context["waiting"]:  # the page that waited for it shows it whole
            return HttpResponseClientRefresh()
        return render(request, "metrics/_quality_progress.html", context)
    if context["report"]:
        context |= overview(context["report"], request.GET)
    return render(request, "metrics/preferences.html", context)


def overview(report: Report, query: QueryDict) -> dict[str, Any]:
    choice = chosen(report, query)
    found: Found = choice["found"]
    return {
        **choice,
        "cautions": cautions(found.pairs, report.subject.comparison),
        "said": best_of(found.ladder, found.duels) if found.ladder else "",
        "matrix": matrix(found, [one["system"] for one in found.ladder[:MOST_IN_MATRIX]]),
    }


def chosen(report: Report, query: QueryDict) -> dict[str, Any]:
    """The pair that the address names, else the strongest two; `runs` are the keys of those that were compared."""
    found, keys = Found.of(report), by_name(report.subject)
    names = {keys[name]: name for name in found.pairs["systems"] if name in keys}
    first, second = (names.get(number_in(query.get(side, "")) or 0) for side in ("first", "second"))
    one = found.duel(first, second) if first and second else found.first_to_show()
    if one:
        first, second = one["first"], one["second"]
        one = {**one, "said": headline(one, len(found.duels)), "outlook": outlook(one, len(found.duels))}
    return {"found": found, "runs": names, "keys": keys, "first": first, "second": second, "duel": one}


def matrix(found: Found, names: list[str]) -> list[tuple[str, list[tuple[float, Duel | None] | None]]]:
    """For each system how surely it is above each other: the share of draws, and the pair if it was compared."""
    return [
        (name, [None if other == name else (found.systems["above"][name][other], found.duel(name, other)) for other in names])
        for name in names
    ]


@login_required
@require_POST
def study_preferences_again(request: SignedIn, pk: int) -> HttpResponse:
    request_study_report(PREFERENCES, pairs_for(request.user, pk))
    return redirect("study_preferences", pk)


@login_required
@require_safe
def study_preferences_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = newest(PREFERENCES, pairs_for(request.user, pk))
    if report is None:
        raise Http404("Nothing has been computed of this study yet.")
    if kind not in FILES:
        raise Http404(f"“{kind}” is not one of {', '.join(FILES)}.")
    write, content_type = FILES[kind]
    note(Deed.EXPORTED, f"preferences, {kind}", request.user, report.subject)
    return attachment(write(report), content_type, filename(report, kind))
