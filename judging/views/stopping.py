"""Whether a study may end: a part of its page, which comes after the rest, and a page of its own."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.access import graded_for
from judging.labels import stopping
from judging.labels.study_progress import kept_since, progress
from judging.pay.work import work
from judging.requests import SignedIn


@login_required
@require_safe
def study_stopping(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    context: dict = {"study": study}
    try:
        result = stopping.stopping_of(study)
    except stopping.CannotTell as reason:
        context["why_not"] = str(reason)
    else:
        context |= {
            "result": result,
            "kept": None if result.open else kept_since(study, progress(study).last),
            "sentence": stopping.sentence(result),
            "beyond": stopping.beyond(result),
            "work": work(study, result.more) if result.more else "",
            "duels": [(order.rival(result.best), order.seen_from(result.best), order.better) for order in result.duels],
        }
    return render(request, "judging/_stopping.html" if request.htmx else "judging/study_stopping.html", context)
