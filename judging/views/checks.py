"""A study's items with known grades: the qualification test, and gold and attention checks among the work."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from judging import audit
from judging.access import graded_for, study_for
from judging.forms.checks import AttentionForm, HowOften, PairsForm, PromoteForm, TakeForm
from judging.labels import gold_choice, known_pairs
from judging.models import Item, Study
from judging.requests import SignedIn
from judging.studies import pair_plan, pool_plan
from judging.views.refusals import refusals_on
from judging.work import checks


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_checks(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    form = HowOften(request.POST if request.method == "POST" else None, instance=study)
    if request.method == "POST" and form.is_valid():
        audit.change(study, form.cleaned_data, by=request.user)
        messages.success(request, _("Saved. It holds for whatever workers are given from now on."))
        return redirect("study_checks", pk)
    return page(request, study, often=form)


def page(request: SignedIn, study: Study, **forms) -> HttpResponse:
    context = {
        "study": study,
        "items": checks_with_scores(study),
        "often": HowOften(instance=study),
        **(context_of_pairs if study.compares else context_of_documents)(request, study),
        **forms,
    }
    return render(request, "judging/pair_checks.html" if study.compares else "judging/study_checks.html", context)


def context_of_documents(request: SignedIn, study: Study) -> dict[str, Any]:
    planned = None if study.is_launched else pool_plan.plan(study)
    return {
        "plan": planned,
        "lowest": min(study.grades),
        "agreed": len(gold_choice.agreed(study)),
        "met_every": checks.answers_a_check(planned.as_launched if planned else study),
        "take": TakeForm(study=study, user=request.user),
        "promote": PromoteForm(),
        "attention": AttentionForm(),
    }


def context_of_pairs(request: SignedIn, study: Study) -> dict[str, Any]:
    as_launched = study if study.is_launched else pair_plan.plan(study).as_launched
    return {"met_every": checks.answers_a_check(as_launched), "take": PairsForm(study=study, user=request.user)}


def checks_with_scores(study: Study) -> list[tuple[Item, checks.Score]]:
    """The checks, each with how many answered it and how many of them rightly."""
    items = study.items.filter(role__in=checks.ASKED).select_related("topic", "document", "first", "second")
    items = items.order_by("role", "position")
    scores = checks.scores(study)
    return [(item, scores.get(item.pk, checks.Score(0, 0))) for item in items]


@login_required
@require_POST
@refusals_on("study_checks")
def checks_take(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    form_of, take = (PairsForm, known_pairs.take_from_qrels) if study.compares else (TakeForm, gold_choice.take_from_qrels)
    form = form_of(request.POST, study=study, user=request.user)
    if not form.is_valid():
        return page(request, study, take=form)
    wanted = form.cleaned_data
    role = Item.Role(wanted.pop("role"))
    return make_and_return(request, study, lambda: take(study, role=role, by=request.user, **wanted))


@login_required
@require_POST
@refusals_on("study_checks")
def checks_promote(request: SignedIn, pk: int) -> HttpResponse:
    return make_from_form(request, pk, "promote", PromoteForm(request.POST), gold_choice.promote)


@login_required
@require_POST
@refusals_on("study_checks")
def checks_attention(request: SignedIn, pk: int) -> HttpResponse:
    return make_from_form(request, pk, "attention", AttentionForm(request.POST), gold_choice.attention)


def make_from_form(request: SignedIn, pk: int, name: str, form: forms.Form, make: Callable[..., int]) -> HttpResponse:
    """Make as many checks as the form, called `name` on the page, asks for."""
    study = graded_for(request.user, pk)
    if not form.is_valid():
        return page(request, study, **{name: form})
    return make_and_return(request, study, lambda: make(study, count=form.cleaned_data["count"], by=request.user))


def make_and_return(request: SignedIn, study: Study, make: Callable[[], int]) -> HttpResponse:
    count = make()
    messages.success(request, ngettext("%(count)s more check.", "%(count)s more checks.", count) % {"count": count})
    return redirect("study_checks", study.pk)


@login_required
@require_POST
def check_withdraw(request: SignedIn, pk: int, item_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    gold_choice.withdraw(get_object_or_404(Item, pk=item_pk, study=study, role__in=checks.ASKED), by=request.user)
    messages.success(request, _("Withdrawn. What was answered is kept."))
    return redirect("study_checks", pk)
