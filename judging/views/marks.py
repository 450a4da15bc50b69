"""Marks that workers made while they compared lists, kept as qrels."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from judging.access import pairs_for
from judging.labels.preferences import settle_marks
from judging.models import Study
from judging.requests import SignedIn
from judging.views.refusals import refusals_on
from judging.views.results import kept_as


@login_required
@require_POST
@refusals_on("study_preferences_measure")
def study_marks_settle(request: SignedIn, pk: int) -> HttpResponse:
    study: Study = pairs_for(request.user, pk)
    before = set(study.qrels.values_list("pk", flat=True))
    qrels = settle_marks(study, by=request.user)
    if qrels.pk in before:
        unchanged = _("No mark has changed since “%(qrels)s” was kept, so it stays the newest version.")
        messages.info(request, unchanged % {"qrels": qrels})
    else:
        messages.success(request, kept_as(qrels))
    return redirect(f"{reverse('study_preferences_measure', args=[pk])}?qrels={qrels.pk}")
