"""Growth: documents that a launched study gets besides its pool."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from judging.errors import Impossible
from judging.forms.growth import GrowthForm
from judging.studies.growth import Growth, add_items
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
