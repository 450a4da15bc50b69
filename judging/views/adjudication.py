"""Adjudication: one item after the other on which workers disagree, for the study's members and the experts they name."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.access import adjudicable_for, graded_for, runs_study
from judging.database.numbers import number_in
from judging.errors import Refusal
from judging.forms.adjudication import AdjudicationForm, ExpertsForm
from judging.labels import adjudications
from judging.models import Item, Judgement, Study
from judging.requests import SignedIn
from judging.views.document import topic_and_document

MOST_COUNTED = 1000  # of the queue


@login_required
@require_safe
def adjudicate_next(request: SignedIn, pk: int) -> HttpResponse:
    """The next item behind `?after=`, a position; or that there is none."""
    study = adjudicable_for(request.user, pk)
    item = adjudications.next_in_queue(study, after=number_in(request.GET.get("after", "")))
    if item:
        return redirect("adjudicate", pk, item.pk)
    return render(request, "judging/adjudicated.html", {"study": study, **experts_of(request, study)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate(request: SignedIn, pk: int, item_pk: int) -> HttpResponse:
    """An item with what its workers said of it, and the grades to settle it on."""
    study = adjudicable_for(request.user, pk)
    item = item_of(study, item_pk)
    form = AdjudicationForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        return settled(request, item, form)
    waiting = adjudications.queue(study)
    context = {
        "study": study,
        "item": item,
        "evidence": topic_and_document(item, is_preview=True),
        "judgements": judgements_on(item),
        "labels": {step["grade"]: step["label"] for step in study.scale},
        "standing": adjudications.standing_of(item),
        "before": item.adjudications.filter(withdrawn__isnull=False).select_related("by", "withdrawn_by").order_by("-pk"),
        "left": waiting.order_by()[: MOST_COUNTED + 1].count(),
        "most": MOST_COUNTED,
        "form": form,
        **experts_of(request, study),
    }
    return render(request, "judging/adjudicate.html", context, status=422 if form.errors else 200)


def item_of(study: Study, pk: int) -> Item:
    items = study.items.filter(role=Item.Role.WORK).select_related("topic", "document")
    item = get_object_or_404(items, pk=pk)
    item.study = study
    return item


def judgements_on(item: Item) -> list[tuple[Judgement, str, bool]]:
    """What stands on an item: each judgement, the grade in words, and whether it has a vote."""
    stand = item.judgements.standing().select_related("worker", "item__document")
    deciding = set(item.judgements.deciding().values_list("pk", flat=True))
    labels = {step["grade"]: step["label"] for step in item.study.scale}
    return [(judgement, labels.get(judgement.grade, ""), judgement.pk in deciding) for judgement in stand.order_by("pk")]


def settled(request: SignedIn, item: Item, form: AdjudicationForm) -> HttpResponse:
    try:
        standing = adjudications.adjudicate(item, by=request.user, **form.cleaned_data)
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return redirect("adjudicate", item.study_id, item.pk)
    about = {"docno": item.document.docno, "topic": item.topic.number, "grade": standing.grade}
    messages.success(request, _("%(docno)s for topic %(topic)s is settled on %(grade)s.") % about)
    return redirect(f"{reverse('adjudicate_next', args=[item.study_id])}?after={item.position}&settled={item.pk}")


@login_required
@require_POST
def adjudication_withdraw(request: SignedIn, pk: int, item_pk: int) -> HttpResponse:
    item = item_of(adjudicable_for(request.user, pk), item_pk)
    standing = adjudications.standing_of(item)
    if standing and adjudications.withdraw(standing, by=request.user):
        messages.success(request, _("Taken back. What the workers said decides again."))
    return redirect("adjudicate", pk, item_pk)


def experts_of(request: SignedIn, study: Study) -> dict:
    """Who else settles grades: for the study's members to see and to change."""
    runs = runs_study(request.user, study)
    return {"runs": runs, "experts": ExpertsForm(study=study) if runs else None}


@login_required
@require_POST
def experts_name(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    form = ExpertsForm(request.POST, study=study)
    if form.is_valid():
        adjudications.name_experts(study, form.cleaned_data["names"], by=request.user)
        messages.success(request, _("Kept. They find the study on their first page."))
    else:
        messages.error(request, _("Nothing was changed. %(why)s") % {"why": next(iter(form.errors.values()))[0]})
    return redirect("adjudicate_next", pk)
