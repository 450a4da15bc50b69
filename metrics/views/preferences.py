"""Which system workers prefer, how sure that is, and why."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from judging.access import pairs_for
from judging.auditing import Deed, note
from judging.models import Study
from judging.numbers import number_in
from metrics.downloading import attachment
from metrics.models import StudyReport
from metrics.preferences.downloading import FILES
from metrics.preferences.reading import Duel, by_name, duel, duels, pair_to_show, ranked
from metrics.preferences.wording import best_of, cautions, headline, outlook
from metrics.quality import asking
from metrics.quality.downloading import filename
from metrics.quality.reading import part
from metrics.views.quality import finished, how_it_stands
from metrics.views.who import SignedIn

# A larger matrix is read by nobody; the files have it whole.
MOST_IN_MATRIX = 25


@login_required
@require_safe
@vary_on_headers("HX-Request")
def study_preferences(request: SignedIn, pk: int) -> HttpResponse:
    """The first report of a study is asked for by whoever opens the page."""
    context = how_it_stands(pairs_for(request.user, pk))
    if request.htmx.target == "quality-progress":
        if not context["waiting"]:  # the page that waited for it shows it whole
            return HttpResponseClientRefresh()
        return render(request, "metrics/_quality_progress.html", context)
    if context["report"]:
        context |= found_by(context["report"], request.GET)
    return render(request, "metrics/preferences.html", context)


def found_by(report: StudyReport, query: QueryDict) -> dict[str, Any]:
    about, choice = part(report, "pairs"), chosen(report, query)
    ladder, found = choice["ladder"], choice["duels"]
    return {
        **choice,
        "about": about,
        "cautions": cautions(about, report.study.comparison),
        "said": best_of(ladder, found) if ladder else "",
        "sure": part(report, "systems") if ladder else None,
        "matrix": matrix(report, ladder[:MOST_IN_MATRIX], found) if ladder else [],
    }


def chosen(report: StudyReport, query: QueryDict) -> dict[str, Any]:
    """The pair that the address names, else the strongest two; `runs` are the keys of those that were compared."""
    found, ladder, keys = duels(report), ranked(report), by_name(report.study)
    systems = part(report, "pairs")["systems"]
    names = {key: name for name, key in keys.items() if name in systems}
    first, second = (names.get(number_in(query.get(side, "")) or 0) for side in ("first", "second"))
    asked = first and second
    one = duel(found, first, second) if first and second else pair_to_show(found, ladder)
    return {
        "duels": found,
        "ladder": ladder,
        "runs": dict(sorted(names.items(), key=lambda one: one[1])),
        "runs_by_name": keys,
        "first": first if asked else one and one["first"],
        "second": second if asked else one and one["second"],
        "duel": one and {**one, "said": headline(one, len(found)), "outlook": outlook(one, len(found))},
    }


def matrix(report: StudyReport, ladder: list[dict[str, Any]], found: list[Duel]) -> list[Any]:
    """For each system how surely it is above each other: the name, and the share of resamples with the pair."""
    above = part(report, "systems")["above"]
    names = [one["system"] for one in ladder]
    return [
        (name, [(above[name][other], duel(found, name, other)) if other != name else None for other in names]) for name in names
    ]


@login_required
@require_POST
def study_preferences_again(request: SignedIn, pk: int) -> HttpResponse:
    study: Study = pairs_for(request.user, pk)
    asking.request_study_report(study)
    return redirect("study_preferences", pk)


@login_required
@require_safe
def study_preferences_download(request: SignedIn, pk: int, kind: str) -> HttpResponse:
    report = finished(pairs_for(request.user, pk))
    if kind not in FILES:
        raise Http404(f"“{kind}” is not one of {', '.join(FILES)}.")
    write, content_type = FILES[kind]
    note(Deed.EXPORTED, f"preferences, {kind}", request.user, report.study)
    return attachment(write(report), content_type, filename(report, kind))
