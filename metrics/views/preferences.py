"""Which system workers prefer, how sure that is, and why."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.access import pairs_for
from judging.preferences import answers
from metrics.views.who import SignedIn


@login_required
@require_safe
def study_preferences(request: SignedIn, pk: int) -> HttpResponse:
    study = pairs_for(request.user, pk)
    return render(request, "metrics/preferences.html", {"study": study, "answers": answers(study).count()})
