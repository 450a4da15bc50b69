"""The judgements of a study, one by one, and its items with what workers said of each."""

from collections import Counter
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.lists import Column, Filter, ListPage, RowList, Search
from judging.access import graded_for, study_for
from judging.database.numbers import number_in
from judging.forms.priority import PriorityForm
from judging.labels import adjudications, results
from judging.models import Item, Judgement, Slot, Study, Topic
from judging.views.bulk import BulkAction, bulk, offered
from judging.views.refusals import refusals_on
from judging.views.who import SignedIn
from judging.work.priority import prioritise

GRADED = Study.Kind.GRADED


def of_worker(judgements: QuerySet[Judgement], worker: str) -> QuerySet[Judgement]:
    key = number_in(worker.removeprefix("w"))
    return judgements.none() if key is None else judgements.filter(worker=key)


def of_item(judgements: QuerySet[Judgement], item: str) -> QuerySet[Judgement]:
    key = number_in(item)
    return judgements if key is None else judgements.filter(item=key)


def which(judgements: QuerySet[Judgement], kind: str) -> QuerySet[Judgement]:
    fields: dict[str, dict[str, Any]] = {
        "cannot": {"grade__isnull": True},
        "changed": {"revises__isnull": False},
        "surplus": {"slot__isnull": True},
        "machine": {"worker__machine__gt": ""},
    }
    return judgements.filter(**fields[kind])


WHICH = [
    ("cannot", "Can’t judge"),
    ("changed", "Changed later"),
    ("surplus", "Surplus: came too late"),
    ("machine", "By programs"),
]


def judgement_list(study: Study) -> RowList:
    """What the list of a study's judgements offers."""

    def of_topic(judgements: QuerySet[Judgement], number: str) -> QuerySet[Judgement]:
        """By the topic's key, of which the database knows how many items it has."""
        key = Topic.objects.filter(collection=study.collection_id, number=number).values_list("pk", flat=True).first()
        return judgements.filter(item__topic=key) if key else judgements.none()

    shown = "Left and right" if study.compares else "Document"
    docno = [] if study.compares else [Filter("docno", "Document", "item__document__docno")]
    return RowList(
        "judgements",
        [
            Column("Topic"),
            Column(shown),
            Column("Answer" if study.compares else "Grade"),
            Column("Worker"),
            Column("Seconds", "seconds", "milliseconds", num=True),
            Column("Note" if study.compares else "Note and evidence"),
            Column("When", "when", "pk"),
        ],
        order="-when",
        search=Search("Words of the note", ["comment__icontains"]),
        filters=[
            Filter("topic", "Topic", of_topic),
            *docno,
            Filter("worker", "Worker", of_worker),
            Filter("grade", "Grade", "grade", [(step["grade"], f"{step['grade']} {step['label']}") for step in study.scale]),
            Filter("which", "Only", which, WHICH),
            Filter("item", "Item", of_item, linked=True),
        ],
        a_page=100,
    )


def listed_judgements(study: Study, query: QueryDict) -> ListPage[Judgement]:
    shown = ("item__first__run", "item__second__run", "preference") if study.compares else ("item__document",)
    whole = Judgement.objects.select_related("item__topic", "worker", *shown)
    is_plain = not any(query.get(name) for name in query if name != "page")
    return judgement_list(study).page(results.to_list(study, plain=is_plain), query, whole=whole)


@login_required
@require_safe
def study_judgements(request: SignedIn, pk: int) -> HttpResponse:
    """Every judgement that stands, a row each, the latest first."""
    study = study_for(request.user, pk)
    listed = listed_judgements(study, request.GET)
    item = number_in(listed.state.get("item", ""))
    labels = {step["grade"]: step["label"] for step in study.scale}
    context = {
        "study": study,
        "listed": listed,
        "rows": [(row, labels.get(row.grade), row.milliseconds / 1000) for row in listed],
        "item": named(study.items.all()).filter(pk=item).first() if item is not None else None,
    }
    return render(request, "judging/study_judgements.html", context)


def by_votes(items: QuerySet[Item], said: str) -> QuerySet[Item]:
    open_places = Exists(Slot.objects.filter(item=OuterRef("pk"), number__isnull=False, judged_at__isnull=True))
    if said == "disagree":
        return adjudications.disagreeing(items)
    return items.filter(open_places if said == "lacking" else ~open_places)


def adjudicated_or_not(items: QuerySet[Item], wanted: str) -> QuerySet[Item]:
    return adjudications.settled(items, yes=wanted == "1")


ITEMS = RowList(
    "items",
    [
        Column("Choose", hidden=True),
        Column("Topic", "topic", "position"),
        Column("Document"),
        Column("Votes", "votes", "wanted"),
        Column("Adjudicated"),
        Column("Judgements", num=True),
    ],
    order="topic",
    filters=[
        Filter("topic", "Topic", "topic__number"),
        Filter("docno", "Document", "document__docno"),
        Filter(
            "votes",
            "Votes",
            by_votes,
            [("disagree", "Workers disagree"), ("lacking", "Judgements are missing"), ("complete", "No judgement is missing")],
        ),
        Filter("settled", "Adjudicated", adjudicated_or_not, [("1", "Yes"), ("0", "No")]),
        Filter("first", "Judged first", "urgent", [("True", "Yes"), ("False", "No")]),
    ],
)


def named(items: QuerySet[Item]) -> QuerySet[Item]:
    """With topic and document, but not the document's text."""
    return items.select_related("topic", "document").defer("document__text")


def listed_items(study: Study, query: QueryDict) -> ListPage[Item]:
    return ITEMS.page(study.items.filter(role=Item.Role.WORK), query, whole=named(Item.objects.all()))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_items(request: SignedIn, pk: int) -> HttpResponse:
    """The items of the pool; a form names some that are to be judged first."""
    study = graded_for(request.user, pk)
    form = PriorityForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        count = prioritise(study, form.cleaned_data["lines"])
        messages.success(request, f"{count} more document{'' if count == 1 else 's'} to be judged first.")
        return redirect(f"{reverse('study_items', args=[pk])}?first=True")
    listed = listed_items(study, request.GET)
    context = {
        "study": study,
        "listed": listed,
        "rows": with_votes(list(listed)),
        "form": form,
        "actions": offered(ITEM_ACTIONS, study),
    }
    return render(request, "judging/study_items.html", context, status=422 if form.errors else 200)


def with_votes(items: list[Item]) -> list[tuple[Item, list[tuple[int, int]], Any, int]]:
    """Each item with its votes as pairs of (grade, how many), its adjudication, and how many judgements stand on it."""
    keys = [item.pk for item in items]
    votes: dict[int, Counter[int]] = {key: Counter() for key in keys}
    for key, grade in adjudications.votes_of(keys):
        votes[key][grade] += 1
    settled = {standing.item_id: standing for standing in adjudications.STANDING.filter(item__in=keys).select_related("by")}
    stand = Judgement.objects.filter(item__in=keys, revised_by__isnull=True).order_by()
    counts = Counter(stand.values_list("item", flat=True))
    return [(item, sorted(votes[item.pk].items()), settled.get(item.pk), counts[item.pk]) for item in items]


def judge_first(study: Study, items: QuerySet[Item], **asked: Any) -> str:
    count = prioritise(study, items.values_list("pk", flat=True))
    return f"{count} more document{'' if count == 1 else 's'} to be judged first."


def judge_in_turn(study: Study, items: QuerySet[Item], **asked: Any) -> str:
    count = prioritise(study, items.values_list("pk", flat=True), urgent=False)
    return f"{count} document{' takes its' if count == 1 else 's take their'} turn again."


ITEM_ACTIONS = [
    BulkAction(
        name="first",
        label="Judge first",
        does="Given out before all others, as long as judgements are missing. Nothing else changes, and it can be taken back.",
        do=judge_first,
        able=lambda items: named(items).filter(urgent=False),
        others="is judged first already",
        name_of=adjudications.name_of,
    ),
    BulkAction(
        name="turn",
        label="In turn again",
        does="Given out in the order of the pool again.",
        do=judge_in_turn,
        able=lambda items: named(items).filter(urgent=True),
        others="is in its turn already",
        name_of=adjudications.name_of,
    ),
]


@login_required
@require_POST
@refusals_on("study_items")
def items_act(request: SignedIn, pk: int) -> HttpResponse:
    """Ask whether to do something to several items, and then do it."""
    study = graded_for(request.user, pk)
    return bulk(request, study, listed_items(study, request.GET), ITEM_ACTIONS, back=reverse("study_items", args=[pk]))


@login_required
@require_safe
def study_first(request: SignedIn, pk: int) -> HttpResponse:
    """The address of before, when what is judged first had a page of its own."""
    return redirect(f"{reverse('study_items', args=[graded_for(request.user, pk).pk])}?first=True", permanent=True)
