"""One worker of a study: what they did, and setting it aside or taking that back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import study_for
from judging.forms.workers import ExclusionForm
from judging.labels import results
from judging.models import Exclusion, Item, Worker
from judging.rules import worker_profile
from judging.views.who import SignedIn
from judging.work import checks, exclusions


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_worker(request: SignedIn, pk: int, worker_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    worker = get_object_or_404(Worker, pk=worker_pk, study=study)
    form = ExclusionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        exclusions.exclude(worker, reason=wanted["reason"], standing=Worker.Standing(wanted["standing"]), by=request.user)
        messages.success(request, f"{worker} is set aside. It can be taken back here.")
        return redirect("study_worker", pk, worker_pk)
    context = {
        "study": study,
        "worker": worker,
        "row": next(iter(results.worker_table(study, worker)), None),
        "scores": [(role.label, score) for role in CHECKED if (score := checks.score(worker, role)).answered],
        "signals": worker_profile.beside_the_study(worker),
        "confusions": [
            confusion for confusion in (worker_profile.against_others(worker), worker_profile.against_gold(worker)) if confusion
        ],
        "exclusions": worker.exclusions.select_related("by", "lifted_by").order_by("-id"),
        "form": form,
    }
    return render(request, "judging/study_worker.html", context)


CHECKED = (Item.Role.TEST, Item.Role.GOLD)


@login_required
@require_POST
def exclusion_lift(request: SignedIn, pk: int, worker_pk: int, exclusion_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    exclusion = get_object_or_404(Exclusion, pk=exclusion_pk, worker=worker_pk, worker__study=study)
    exclusions.lift(exclusion, by=request.user)
    messages.success(request, f"Taken back. {exclusion.worker} is judged by their work again.")
    return redirect("study_worker", pk, worker_pk)
