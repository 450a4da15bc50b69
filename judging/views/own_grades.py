"""The researcher's own grades of documents in a draft's pool, one after the other; each becomes a check."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.access import graded_for
from judging.database.numbers import number_in
from judging.forms.checks import OwnForm
from judging.labels import gold_choice
from judging.models import Document, Item, Study, Topic
from judging.requests import SignedIn
from judging.views.document import topic_and_document
from judging.views.refusals import refusals_on
from judging.work import checks

Pair = tuple[int, int]  # topic and document, by primary key


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("study_checks")
def check_own(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    left = gold_choice.to_judge(study)
    skipped = number_in(request.GET.get("skipped", "")) or 0
    pair = named_pair(request, left) if request.method == "POST" else next(iter(left[skipped:]), None)
    if pair is None:
        messages.info(request, _("There is no other document in the pool to judge."))
        return redirect("study_checks", pk)
    item = Item(pk=0, study=study, topic=Topic.objects.get(pk=pair[0]), document=Document.objects.get(pk=pair[1]))
    form = OwnForm(request.POST if request.method == "POST" else None, study=study)
    if form.is_valid():
        keep(request, item, form)
        return redirect(f"{request.path}?skipped={skipped}")
    context = {
        "study": study,
        "form": form,
        "pair": text_of(pair),
        "evidence": topic_and_document(item, is_preview=True),
        "next": skipped + 1 if skipped + 1 < len(left) else None,
        "made": number_of_checks(study),
    }
    return render(request, "judging/check_own.html", context, status=422 if form.is_bound else 200)


def named_pair(request: SignedIn, left: list[Pair]) -> Pair | None:
    return next((pair for pair in left if text_of(pair) == request.POST.get("pair")), None)


def text_of(pair: Pair) -> str:
    return "{} {}".format(*pair)


def keep(request: SignedIn, item: Item, form: OwnForm) -> None:
    wanted = form.cleaned_data
    gold_choice.add(
        item.study,
        topic=item.topic,
        document=item.document,
        role=Item.Role(wanted["role"]),
        right=[wanted["grade"]],
        explanation=wanted["explanation"],
        by=request.user,
    )
    kept = {"document": item.document, "topic": item.topic.number}
    messages.success(request, _("Kept: %(document)s for topic %(topic)s.") % kept)


def number_of_checks(study: Study) -> int:
    return study.items.filter(role__in=checks.ASKED).count()
