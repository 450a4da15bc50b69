"""The page on what a study's labels mean for its systems."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from judging.access import graded_for
from judging.requests import SignedIn
from metrics.kinds.quality.effect_words import in_words
from metrics.kinds.quality.figures import effect_figure
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.systems import effect_of, has_effect
from metrics.kinds.studies import not_people, page_context, part


@login_required
@require_safe
def study_systems(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    context = page_context(QUALITY, study)
    if not context["report"]:
        return redirect("study_quality", pk)
    if has_effect(context["report"]):
        effect = effect_of(context["report"], request.GET.get("measure", ""))
        if isinstance(effect, str):
            context["reason"] = effect
        else:
            context |= {"effect": effect, "figure": effect_figure(effect), "sentences": in_words(effect)}
        context["cautions"] = list(filter(None, [not_people(part(context["report"], "agreement"))]))
    return render(request, "metrics/systems.html", context)
