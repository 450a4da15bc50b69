"""The training of a study's workers: items in order, each with its right grades and why they are right."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import graded_for, study_for
from judging.forms.refusals import refusals_in
from judging.forms.training import ExplanationForm, PracticeForm
from judging.labels import gold_choice, training
from judging.models import Item, Study
from judging.requests import SignedIn


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_training(request: SignedIn, pk: int) -> HttpResponse:
    """The training, and a form to add a document. Pairs of lists are added on the page of checks."""
    study = graded_for(request.user, pk) if request.method == "POST" else study_for(request.user, pk)
    form = PracticeForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        wanted = dict(form.cleaned_data)
        document = wanted.pop("docno")
        with refusals_in(form):
            gold_choice.add(study, document=document, role=Item.Role.TRAINING, by=request.user, **wanted)
            messages.success(request, _("Added. Workers who come from now on practise on it."))
            return redirect("study_training", pk)
    return page(request, study, form)


def page(request: SignedIn, study: Study, form: PracticeForm, wrong: ExplanationForm | None = None) -> HttpResponse:
    counts = training.answer_counts(study)
    items = training.items_of(study)
    rows = [(item, counts.get(item.pk, 0), explanation_form(study, item)) for item in items]
    context = {"study": study, "rows": rows, "form": form, "wrong": wrong}
    failed = form.is_bound or wrong is not None
    return render(request, "judging/study_training.html", context, status=422 if failed else 200)


def explanation_form(study: Study, item: Item, data=None) -> ExplanationForm:
    initial = {"right": item.right, "explanation": item.explanation}
    return ExplanationForm(data, study=study, initial=initial, prefix=f"item-{item.pk}")


def item_or_404(study: Study, item_pk: int) -> Item:
    return get_object_or_404(Item, pk=item_pk, study=study, role=Item.Role.TRAINING)


@login_required
@require_POST
def training_explain(request: SignedIn, pk: int, item_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    item = item_or_404(study, item_pk)
    form = explanation_form(study, item, request.POST)
    if not form.is_valid():
        return page(request, study, PracticeForm(study=study), wrong=form)
    training.explain(item, by=request.user, **form.cleaned_data)
    messages.success(request, _("Saved. Workers are told this from now on."))
    return redirect("study_training", pk)


@login_required
@require_POST
def training_move(request: SignedIn, pk: int, item_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    training.move(item_or_404(study, item_pk), up=request.POST.get("to") == "up")
    return redirect("study_training", pk)
