"""Chosen documents: a launched study gets them besides its pool, or a new one begins with them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import graded_for
from judging.errors import Impossible
from judging.forms.growth import BeginningForm, GrowthForm
from judging.requests import SignedIn
from judging.studies.additions import Contents, contents_of, take_back, why_not
from judging.studies.growth import Growth, add_items, begin_with
from judging.views.refusals import refusals_on


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
    messages.success(request, drafted(len(study.chosen)))
    return redirect("study_edit", study.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("study")
def addition_take_back(request: SignedIn, pk: int, addition_pk: int) -> HttpResponse:
    """What would go and what would stay, to be confirmed. Whoever comes after all of it went is told so."""
    study = graded_for(request.user, pk)
    addition = study.additions.select_related("by").filter(pk=addition_pk).first()
    if addition is None:
        messages.info(request, _("Nothing is left of this addition: it was taken back."))
        return redirect("study", pk)
    if request.method != "POST":
        (contents,) = contents_of([addition])
        context = {"study": study, "contents": contents, "why_not": why_not(study)}
        return render(request, "judging/addition_take_back.html", context)
    gone = take_back(addition, by=request.user)
    (left,) = contents_of([addition])
    messages.success(request, result_in_words(gone, left))
    return redirect("study", pk)


def in_words(growth: Growth, study: str) -> str:
    """
    >>> in_words(Growth(1, 0), "Birds"), in_words(Growth(40, 2), "Birds")
    ('1 document was added to “Birds”.', '40 documents were added to “Birds”; 2 were in it already.')
    """
    added = {"count": f"{growth.added:,}", "study": study}
    if not growth.already:
        return (
            ngettext(
                "%(count)s document was added to “%(study)s”.", "%(count)s documents were added to “%(study)s”.", growth.added
            )
            % added
        )
    before = ngettext("%(count)s was in it already", "%(count)s were in it already", growth.already)
    return ngettext(
        "%(count)s document was added to “%(study)s”; %(before)s.",
        "%(count)s documents were added to “%(study)s”; %(before)s.",
        growth.added,
    ) % {**added, "before": before % {"count": f"{growth.already:,}"}}


def drafted(documents: int) -> str:
    return ngettext(
        "A draft of %(count)s documents. Say what workers read, then launch it.",
        "A draft of %(count)s documents. Say what workers read, then launch it.",
        documents,
    ) % {"count": f"{documents:,}"}


def result_in_words(gone: int, left: Contents) -> str:
    """
    >>> result_in_words(3, Contents(None, 0, 0, 0, 0)), result_in_words(0, Contents(None, 1, 1, 0, 0))
    ('3 documents were taken back.', 'Nothing was taken back. 1 document stays: 1 judged.')
    >>> result_in_words(1, Contents(None, 1204, 1200, 3, 1))
    '1 document was taken back. 1,204 documents stay: 1,200 judged, 3 being judged now, 1 among the checks.'
    """
    stays = what_stays(left)
    return f"{what_went(gone)} {stays}" if stays else what_went(gone)


def what_went(gone: int) -> str:
    if not gone:
        return _("Nothing was taken back.")
    went = ngettext("%(count)s document was taken back.", "%(count)s documents were taken back.", gone)
    return went % {"count": f"{gone:,}"}


def what_stays(left: Contents) -> str:
    numbers = [
        (left.judged, _("%(count)s judged")),
        (left.held, _("%(count)s being judged now")),
        (left.checks, _("%(count)s among the checks")),
    ]
    reasons = ", ".join(reason % {"count": f"{number:,}"} for number, reason in numbers if number)
    stays = ngettext("%(count)s document stays: %(reasons)s.", "%(count)s documents stay: %(reasons)s.", left.documents)
    return stays % {"count": f"{left.documents:,}", "reasons": reasons} if reasons else ""
