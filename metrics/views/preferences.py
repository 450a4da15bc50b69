"""The first page of a side-by-side study's report, and its files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from judging.access import pairs_for, readable_study_for, runs_study
from judging.models import Study
from judging.requests import SignedIn
from metrics.kinds.answers import earlier_answers
from metrics.kinds.preferences.chosen_pair import chosen_pair, matrix
from metrics.kinds.preferences.figures import score, strengths
from metrics.kinds.preferences.files import FILES
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import PreferenceResults
from metrics.kinds.preferences.words import cautions, in_one_sentence
from metrics.kinds.studies import newest, page_context, part, request_study_report
from metrics.kinds.study_files import filename
from metrics.models import Report
from metrics.views.report_files import download
from metrics.views.report_pages import progress

# Nobody reads a larger matrix; the files have all of it.
MOST_IN_MATRIX = 25


@login_required
@require_safe
@vary_on_headers("HX-Request")
def study_preferences(request: SignedIn, pk: int) -> HttpResponse:
    """Show the newest report; whoever opens the page first asks for the first one."""
    study = readable_study_for(request.user, pk, Study.Kind.SIDE_BY_SIDE)
    context = page_context(PREFERENCES, study) | {"reading": not runs_study(request.user, study)}
    if waiting := progress(request, context):
        return waiting
    if context["report"]:
        context |= overview(context["report"], request)
        context |= {"earlier": earlier_answers(context["report"], request.user)}
    return render(request, "metrics/preferences.html", context)


def overview(report: Report, request: SignedIn) -> dict[str, Any]:
    choice = chosen_pair(report, request.GET, request.user)
    results: PreferenceResults = choice["results"]
    return {
        **choice,
        "cautions": cautions(results.pairs, part(report, "trust"), report.subject.comparison),
        "answer": strengths(results),
        "score": score(choice["duel"]) if choice["duel"] else None,
        "sentence": in_one_sentence(results),
        "matrix": matrix(results, [row["system"] for row in results.ladder[:MOST_IN_MATRIX]]),
    }


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
        raise Http404(_("Nothing has been computed of this study yet."))
    return download(request, FILES, kind, report, name=filename(report, kind), about="preferences", study=report.subject)
