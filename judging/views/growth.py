"""Chosen documents: a launched study gets them besides its pool, or a new one begins with them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from judging.errors import Impossible
from judging.forms.growth import BeginningForm, GrowthForm
from judging.studies.growth import Growth, add_items, begin_with
from judging.views.who import SignedIn


@login_required
@require_POST
def study_grow(request: SignedIn) -> HttpResponse:
    form = GrowthForm(request.POST, user=request.user)
    form.is_valid()
    study = form.cleaned_data.get("study")
    if study is None:
        raise Http404("There is no such study that you may change.")
    if form.errors:
        messages.error(request, " ".join(map(str, form.errors["documents"])))
        return redirect("study", study.pk)
    try:
        growth = add_items(study, form.cleaned_data["documents"], by=request.user)
        messages.success(request, in_words(growth, study.name))
    except Impossible as refusal:
        messages.error(request, str(refusal))
    return redirect("study", study.pk)


@login_required
@require_POST
def study_begin(request: SignedIn) -> HttpResponse:
    """A draft of these documents; the next page asks what workers read."""
    form = BeginningForm(request.POST, user=request.user)
    form.is_valid()
    collection = form.cleaned_data.get("collection")
    if collection is None:
        raise Http404("There is no such collection.")
    if form.errors:
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("collection", collection.pk)
    study = begin_with(form.cleaned_data["documents"], collection=collection, runs=form.cleaned_data["runs"], by=request.user)
    messages.success(request, f"A draft of {len(study.chosen):,} documents. Say what workers read, then launch it.")
    return redirect("study_edit", study.pk)


def in_words(growth: Growth, study: str) -> str:
    """
    >>> in_words(Growth(1, 0), "Birds"), in_words(Growth(40, 2), "Birds")
    ('1 document was added to “Birds”.', '40 documents were added to “Birds”; 2 were in it already.')
    """
    added = f"{growth.added:,} {'document was' if growth.added == 1 else 'documents were'} added to “{study}”"
    return (
        f"{added}; {growth.already:,} {'was' if growth.already == 1 else 'were'} in it already."
        if growth.already
        else f"{added}."
    )
