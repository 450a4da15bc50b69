"""The judgements of a study, one by one, and its items with what workers said of each."""

from collections import Counter
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.lists import Column, Filter, ListPage, RowList, Search
from judging.access import graded_for, study_for
from judging.database.numbers import number_in
from judging.forms.priority import PriorityForm, VotesForm
from judging.labels import adjudications, results
from judging.models import Document, Item, Judgement, Slot, Study, Topic, User, Worker
from judging.models.judgement import JudgementQuerySet
from judging.requests import SignedIn
from judging.studies.wanted_votes import asked_for, offered_for, set_votes
from judging.views.bulk_actions import BulkAction, bulk, offered
from judging.views.refusals import refusals_on
from judging.work import checks
from judging.work.priority import prioritise

GRADED = Study.Kind.GRADED
A_PAGE = 100


def of_worker(judgements: QuerySet[Judgement], worker: str) -> QuerySet[Judgement]:
    key = number_in(worker.removeprefix("w"))
    return judgements.none() if key is None else judgements.filter(worker=key)


def of_item(judgements: QuerySet[Judgement], item: str) -> QuerySet[Judgement]:
    key = number_in(item)
    return judgements if key is None else judgements.filter(item=key)


def which(judgements: JudgementQuerySet, kind: str) -> QuerySet[Judgement]:
    if kind == "voting":
        return judgements.able()
    fields: dict[str, dict[str, Any]] = {
        "cannot": {"grade__isnull": True},
        "changed": {"revises__isnull": False},
        "surplus": {"slot__isnull": True},
        "excluded": {"worker__standing": Worker.Standing.EXCLUDED},
        "checks": {"item__role__in": checks.ASKED},
        "machine": {"worker__machine__gt": ""},
    }
    return judgements.filter(**fields[kind])


WHICH = [
    ("voting", _("With a vote")),
    ("cannot", _("Can’t judge")),
    ("changed", _("Changed later")),
    ("surplus", _("Surplus: came too late")),
    ("excluded", _("By excluded workers")),
    ("checks", _("On checks")),
    ("machine", _("By machine judges")),
]


def items_named(study: Study, words: str) -> QuerySet[Item]:
    """The items of a document by its id, or of topics by their number or by words of their title."""
    topics = Topic.objects.filter(Q(number=words) | Q(title__icontains=words), collection=study.collection_id)
    documents = Document.objects.filter(docno=words, collection=study.collection_id)
    return study.items.filter(Q(topic__in=topics) | Q(document__in=documents))


def judgement_list(study: Study) -> RowList:
    """What the list of a study's judgements offers."""

    def of_topic(judgements: QuerySet[Judgement], number: str) -> QuerySet[Judgement]:
        """By the topic's key, of which the database knows how many items it has."""
        key = Topic.objects.filter(collection=study.collection_id, number=number).values_list("pk", flat=True).first()
        return judgements.filter(item__topic=key) if key else judgements.none()

    def of_document(judgements: QuerySet[Judgement], docno: str) -> QuerySet[Judgement]:
        key = Document.objects.filter(collection=study.collection_id, docno=docno).values_list("pk", flat=True).first()
        return judgements.filter(item__document=key) if key else judgements.none()

    def about(judgements: QuerySet[Judgement], words: str) -> QuerySet[Judgement]:
        named = Q(comment__icontains=words) | Q(item__in=items_named(study, words).order_by().values("pk"))
        worker = number_in(words[1:]) if words.startswith("w") else None
        return judgements.filter(named if worker is None else named | Q(worker=worker))

    if study.compares:
        label = _("Topic, worker or words of a note")
        shown = [Column(_("Left and right")), Column(_("Answer"))]
    else:
        label = _("Topic, document, worker or words of a note")
        shown = [Column(_("Document"), "docno", "item__document__docno"), Column(_("Grade"), "grade", gaps=True)]
    docno = [] if study.compares else [Filter("docno", _("Document"), of_document)]
    return RowList(
        _("judgements"),
        [
            Column(_("Topic"), "topic", "item__topic_id"),
            *shown,
            Column(_("Worker"), "worker", "worker_id"),
            Column(_("Seconds"), "seconds", "milliseconds", num=True),
            Column(_("Note") if study.compares else _("Note and evidence")),
            Column(_("When"), "when", "pk"),
        ],
        order="-when",
        search=Search(label, about),
        filters=[
            Filter("topic", _("Topic"), of_topic),
            *docno,
            Filter("worker", _("Worker"), of_worker),
            Filter("grade", _("Grade"), "grade", [(step["grade"], grade_in_words(step, study)) for step in study.scale]),
            Filter("which", _("Only"), which, WHICH),
            Filter("item", _("Item"), of_item, linked=True),
        ],
        a_page=A_PAGE,
    )


def grade_in_words(step: dict[str, Any], study: Study) -> str:
    return f"{step['grade']} {gettext(step['label']) if study.compares else step['label']}"


def listed_judgements(study: Study, query: QueryDict) -> ListPage[Judgement]:
    shown = ("item__first__run", "item__second__run", "preference") if study.compares else ("item__document",)
    whole = Judgement.objects.select_related("item__topic", "worker", *shown)
    narrowed = any(query.get(name) for name in query if name not in ("page", "sort"))
    every = results.to_list(study, narrowed=narrowed, sort=query.get("sort", "").removeprefix("-"))
    return judgement_list(study).page(every, query, whole=whole)


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


def by_votes(items: QuerySet[Item], choice: str) -> QuerySet[Item]:
    open_places = Exists(Slot.objects.filter(item=OuterRef("pk"), number__isnull=False, judged_at__isnull=True))
    if choice == "disagree":
        return adjudications.disagreeing(items)
    return items.filter(open_places if choice == "lacking" else ~open_places)


def adjudicated_or_not(items: QuerySet[Item], wanted: str) -> QuerySet[Item]:
    return adjudications.settled(items, yes=wanted == "1")


JUDGEMENTS = Coalesce(
    Subquery(
        Judgement.objects.standing()
        .filter(item=OuterRef("pk"))
        .order_by()
        .values("item")
        .annotate(number=Count("pk"))
        .values("number")
    ),
    0,
)
ITEMS = RowList(
    _("items"),
    [
        Column(_("Choose"), hidden=True),
        Column(_("Topic"), "topic", "position"),
        Column(_("Document"), "docno", "document__docno"),
        Column(_("Votes"), "votes", "wanted"),
        Column(_("Adjudicated")),
        Column(_("Judgements"), "judgements", JUDGEMENTS, num=True),
    ],
    order="topic",
    search=Search(_("Id, topic, or words of its title"), ["document__docno", "topic__number", "topic__title__icontains"]),
    filters=[
        Filter("topic", _("Topic"), "topic__number"),
        Filter("docno", _("Document"), "document__docno"),
        Filter(
            "votes",
            _("Votes"),
            by_votes,
            [
                ("disagree", _("Workers disagree")),
                ("lacking", _("Judgements are missing")),
                ("complete", _("No judgement is missing")),
            ],
        ),
        Filter("settled", _("Adjudicated"), adjudicated_or_not, [("1", _("Yes")), ("0", _("No"))]),
        Filter("first", _("Judged first"), "urgent", [("True", _("Yes")), ("False", _("No"))]),
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
        messages.success(request, more_first(count))
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
    votes: dict[int, Counter[Any]] = {key: Counter() for key in keys}
    for key, grade in Judgement.objects.filter(item__in=keys).deciding().values_list("item", "grade"):
        votes[key][grade] += 1
    settled = {standing.item_id: standing for standing in adjudications.STANDING.filter(item__in=keys).select_related("by")}
    stand = Judgement.objects.filter(item__in=keys).standing().order_by()
    counts = Counter(stand.values_list("item", flat=True))
    return [(item, sorted(votes[item.pk].items()), settled.get(item.pk), counts[item.pk]) for item in items]


def judge_first(study: Study, items: QuerySet[Item], **asked: Any) -> str:
    return more_first(prioritise(study, items.values_list("pk", flat=True)))


def more_first(count: int) -> str:
    text = ngettext("%(count)s more document to be judged first.", "%(count)s more documents to be judged first.", count)
    return text % {"count": count}


def judge_in_turn(study: Study, items: QuerySet[Item], **asked: Any) -> str:
    count = prioritise(study, items.values_list("pk", flat=True), urgent=False)
    return ngettext("%(count)s document takes its turn again.", "%(count)s documents take their turn again.", count) % {
        "count": count
    }


def judge_by_several(study: Study, items: QuerySet[Item], *, by: User, votes: int) -> str:
    change = set_votes(study, items.values_list("pk", flat=True), votes, by=by)
    more = ngettext("%(n)s judgement more is asked for.", "%(n)s judgements more are asked for.", change.more)
    fewer = ngettext("%(n)s judgement fewer is asked for.", "%(n)s judgements fewer are asked for.", change.fewer)
    told = [text % {"n": f"{count:,}"} for text, count in ((more, change.more), (fewer, change.fewer)) if count]
    return " ".join(told) or gettext("As many judgements are asked for as before: what is there or is being judged stays.")


def name_of(item: Item) -> str:
    return gettext("%(docno)s for topic %(number)s") % {"docno": item.document.docno, "number": item.topic.number}


def counted(items: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", items) % {"n": f"{items:,}"}


ITEM_ACTIONS = [
    BulkAction(
        name="first",
        label=_("Judge first"),
        does=_("Given out before all others, as long as judgements are missing. Nothing else changes, and it can be taken back."),
        do=judge_first,
        able=lambda items: named(items).filter(urgent=False),
        others=_("is judged first already"),
        name_of=name_of,
    ),
    BulkAction(
        name="turn",
        label=_("In turn again"),
        does=_("Given out in the order of the pool again."),
        do=judge_in_turn,
        able=lambda items: named(items).filter(urgent=True),
        others=_("is in its turn already"),
        name_of=name_of,
    ),
    BulkAction(
        name="votes",
        label=_("Judged by more"),
        does=_(
            "So many workers judge each; every judgement is paid as others are. Who had finished gets work again while the "
            "study runs."
        ),
        do=judge_by_several,
        able=lambda items: named(asked_for(items)),
        others=_("has a known grade, so that nobody judges it"),
        name_of=name_of,
        form=VotesForm,
        offered=offered_for,
    ),
]


@login_required
@require_POST
@refusals_on("study_items")
def items_act(request: SignedIn, pk: int) -> HttpResponse:
    """Ask whether to do something to several items, and then do it."""
    study = graded_for(request.user, pk)
    listed, back = listed_items(study, request.GET), reverse("study_items", args=[pk])
    return bulk(request, study, listed, ITEM_ACTIONS, counted=counted, back=back)


@login_required
@require_safe
def study_first(request: SignedIn, pk: int) -> HttpResponse:
    """Redirect from the former page of the items that are judged first."""
    return redirect(f"{reverse('study_items', args=[graded_for(request.user, pk).pk])}?first=True", permanent=True)
