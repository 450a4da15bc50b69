"""Collections and what is in them: documents and topics."""

from typing import Any

import polars as pl
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval.io.qrels import highest_grades
from ireval_site.lists import Column, Filter, RowList, Search, people_of
from judging.access import (
    collection_for,
    collections_for,
    may_change,
    own_collection_for,
    own_topic_for,
    owned_collection_for,
    owns,
    published_sites,
    qrels_for,
    refuse_all_but_researchers,
    runs_for,
    studies_for,
    topic_for,
)
from judging.accounts import memberships
from judging.collections.deletion import delete_collection
from judging.collections.storage import qrels_frame, run_frame
from judging.collections.topic_tags import set_tags, tag_counts, with_tag
from judging.forms.collections import CollectionForm, TagsForm
from judging.forms.refusals import refusals_in
from judging.logs.sites import unpublish
from judging.models import Attachment, Collection, Document, Grade, Item, OwnRun, Qrels, Run, Study, Topic, Upload, User
from judging.requests import SignedIn
from judging.views.document import address_for_readers, attachment_list, document_files
from judging.views.refusals import refusals_on

MOST_UPLOADS, LATEST_UPLOADS = 50, 5
UNFINISHED = (Upload.State.RECEIVING, Upload.State.WAITING, Upload.State.CHECKING)


# What a collection may have none of, each with its count.
LACKS = [("document", _("Documents")), ("topic", _("Topics")), ("run", _("Runs")), ("qrels", _("Qrels"))]


def lacking(collections: QuerySet[Any], value: str) -> QuerySet[Any]:
    return collections.filter(**{f"{value}_count": 0})


COLLECTIONS = RowList(
    _("collections"),
    [
        Column(_("Collection"), "name"),
        Column(_("Documents"), "documents", "document_count", num=True),
        Column(_("Topics"), "topics", "topic_count", num=True),
        Column(_("Runs"), "runs", "run_count", num=True),
        Column(_("Qrels"), "qrels", "qrels_count", num=True),
        Column(_("Owner"), "owner", "owner__username"),
        Column(_("Made"), "made", "created"),
    ],
    order="name",
    search=Search(_("Name or description"), ["name__icontains", "description__icontains"]),
    filters=[Filter("lacks", _("Lacks"), lacking, LACKS), Filter("owner", _("Owner"), "owner")],
)
RUNS = RowList(
    _("runs"),
    [
        Column(_("Run"), "name"),
        Column(_("Topics"), "topics", "topic_count", num=True),
        Column(_("Results"), "results", "rows", num=True),
        Column(_("Deepest"), "deepest", "depth", num=True),
        Column(_("Unknown documents"), "unknown", "unknown_documents", num=True),
        Column(_("File"), "file", "source_name"),
        Column(_("Imported"), "imported", "created"),
    ],
    order="name",
    search=Search(_("Name of the run, or of its file"), ["name__icontains", "source_name__icontains"]),
    anchor="#runs",
)
TOPIC_COLUMNS = [Column(_("Number"), "number", "pk"), Column(_("Title"), "title")]
TOPICS, TAGGED_TOPICS = (
    RowList(
        _("topics"),
        columns,
        order="number",  # as they came: most numbers are counted, and as texts 10 is before 2
        search=Search(
            _("Number, or words of the title or description"), ["number", "title__icontains", "description__icontains"]
        ),
        filters=[Filter("tag", _("Tag"), with_tag)],
    )
    for columns in (TOPIC_COLUMNS, [*TOPIC_COLUMNS, Column(_("Tags"))])
)


def graded_in(documents: QuerySet[Document], qrels: str) -> QuerySet[Document]:
    return documents.filter(docno__in=Grade.objects.filter(qrels=int(qrels)).values("docno"))


def in_study(documents: QuerySet[Document], study: str) -> QuerySet[Document]:
    return documents.filter(pk__in=Item.objects.filter(study=int(study)).values("document"))


# A search through the texts of so many takes as long as it takes to read them all, and so does sorting by their titles.
MOST_SEARCHED = 200_000
DOCUMENT_FILTERS = [Filter("qrels", _("Graded in"), graded_in), Filter("study", _("In the study"), in_study)]
DOCUMENTS = RowList(
    _("documents"),
    [Column(_("Id"), "docno"), Column(_("Title and beginning"), "title")],
    "pk",
    Search(_("Id, or words of the title or text"), ["docno", "title__icontains", "text__icontains"]),
    DOCUMENT_FILTERS,
)
DOCUMENTS_OF_MANY = RowList(
    _("documents"),
    [Column(_("Id"), "docno"), Column(_("Title and beginning"))],
    "pk",
    Search(_("Id"), ["docno"]),
    DOCUMENT_FILTERS,
)
A_BEGINNING = 200  # characters of a text, in the list


@login_required
@require_safe
def collections(request: SignedIn) -> HttpResponse:
    mine = collections_for(request.user)
    counted = mine.select_related("owner").annotate(
        document_count=number_of(Document), topic_count=number_of(Topic), run_count=number_of(Run), qrels_count=number_of(Qrels)
    )
    listed = COLLECTIONS.page(counted, request.GET, owner=people_of(mine, "owner", request.user))
    return render(request, "judging/collections.html", {"listed": listed, "may_create": request.user.may_research})


def number_of(model: type[Model]) -> Coalesce:
    """A count by a query of its own: joined, documents would multiply topics would multiply runs."""
    rows = model._default_manager.filter(collection=OuterRef("pk")).order_by().values("collection")
    return Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def collection_new(request: SignedIn) -> HttpResponse:
    refuse_all_but_researchers(request.user)
    form = CollectionForm(request.POST or None, instance=Collection(owner=request.user), user=request.user)
    if request.method == "POST" and form.is_valid():
        return redirect("upload_new", save(form, by=request.user).pk)
    return render(request, "judging/collection_form.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def collection_edit(request: SignedIn, pk: int) -> HttpResponse:
    collection = own_collection_for(request.user, pk)
    form = CollectionForm(request.POST or None, instance=collection, user=request.user)
    if request.method == "POST" and form.is_valid():
        save(form, by=request.user)
        return redirect("collection", pk)
    context = {"form": form, "collection": own_collection_for(request.user, pk)}  # not the instance that the form has changed
    return render(request, "judging/collection_form.html", context, status=422 if form.errors else 200)


@transaction.atomic
def save(form: CollectionForm, *, by: User) -> Collection:
    saved = form.save()
    if "shared" in form.changed_data:
        memberships.note_sharing(saved, by=by)
    return saved


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("collection")
def collection_delete(request: SignedIn, pk: int) -> HttpResponse:
    collection = owned_collection_for(request.user, pk)
    if request.method == "POST":
        delete_collection(collection, by=request.user)
        messages.success(request, gettext("Deleted the collection “%(name)s” with everything in it.") % {"name": collection.name})
        return redirect("collections")
    attachments = Attachment.objects.filter(topic__collection=collection).count()
    context = {"collection": collection, "counts": counts(collection) | {"attachments": attachments}}
    return render(request, "judging/collection_delete.html", context)


def counts(collection: Collection) -> dict[str, int]:
    return {
        "documents": collection.documents.count(),
        "topics": collection.topics.count(),
        "runs": collection.runs.count(),
        "qrels": collection.qrels.count(),
        "images": collection.images.count(),
    }


@login_required
@require_safe
def collection(request: SignedIn, pk: int) -> HttpResponse:
    collection = collection_for(request.user, pk)
    if request.htmx:
        context = under_way(request, collection)
        response = render(request, "judging/_under_way.html", context)
        if not context["changing"]:
            response["HX-Refresh"] = "true"  # what came in is all over the page
        return response
    mine = may_change(request.user, collection)
    context = {
        "collection": collection,
        "counts": counts(collection),
        "mine": mine,
        "owned": owns(request.user, collection),
        "publishing": published_sites().filter(collection=collection).select_related("owner") if mine else None,
        "runs": RUNS.page(collection.runs.all(), request.GET),
        "qrels": qrels_for(request.user).filter(collection=collection).select_related("study"),
        "studies": studies_for(request.user).filter(collection=collection, archived__isnull=True),
        **under_way(request, collection),
    }
    return render(request, "judging/collection.html", context)


@login_required
@require_POST
def collection_unpublish(request: SignedIn, pk: int, site_pk: int) -> HttpResponse:
    """End a search page over the collection, whoever owns the site."""
    site = get_object_or_404(published_sites().filter(collection=own_collection_for(request.user, pk)), pk=site_pk)
    unpublish(site, by=request.user)
    messages.success(request, gettext("The search page of “%(site)s” is closed. Its log goes on.") % {"site": site.name})
    return redirect("collection", pk)


def under_way(request: SignedIn, collection: Collection) -> dict[str, Any]:
    """The uploads and own runs that are on their way, or else the latest few uploads and what failed of the newest own runs."""
    mine = may_change(request.user, collection)
    every = collection.uploads.exclude(state=Upload.State.RECOGNISED) if mine else collection.uploads.none()
    unfinished = list(every.filter(state__in=UNFINISHED)[:MOST_UPLOADS])
    own_runs = list(collection.own_runs.filter(state=OwnRun.State.WAITING))
    return {
        "collection": collection,
        "uploads": unfinished or list(every[:LATEST_UPLOADS]),
        "to_confirm": collection.uploads.filter(state=Upload.State.RECOGNISED).count() if mine else 0,
        "own_runs": own_runs or last_failed(collection),
        "changing": bool(own_runs) or any(upload.state != Upload.State.RECEIVING for upload in unfinished),
    }


def last_failed(collection: Collection) -> list[OwnRun]:
    """What failed, unless it was made since."""
    newest = {own.ranker: own for own in collection.own_runs.all()}
    return [own for own in newest.values() if own.state == OwnRun.State.FAILED]


@login_required
@require_safe
def topics(request: SignedIn, pk: int) -> HttpResponse:
    collection = collection_for(request.user, pk)
    every = collection.topics.all()
    tags = [(tag, f"{tag} ({count:,})") for tag, count in tag_counts(every)]
    context = {"listed": (TAGGED_TOPICS if tags else TOPICS).page(every, request.GET, tag=tags), "tags": tags}
    return render(request, "judging/topics.html", context | about(request, collection))


@login_required
@require_safe
def documents(request: SignedIn, pk: int) -> HttpResponse:
    collection = collection_for(request.user, pk)
    many = collection.documents.order_by()[: MOST_SEARCHED + 1].count() > MOST_SEARCHED
    graded = studies_for(request.user).filter(collection=collection, kind=Study.Kind.GRADED).order_by("name")
    listed = (DOCUMENTS_OF_MANY if many else DOCUMENTS).page(
        collection.documents.all(),
        request.GET,
        whole=Document.objects.defer("text").annotate(beginning=Left("text", A_BEGINNING + 1)),
        qrels=[(version.pk, str(version)) for version in qrels_for(request.user).filter(collection=collection)],
        study=graded.values_list("pk", "name"),
    )
    context = {"listed": listed, "many": many, "a_beginning": A_BEGINNING}
    return render(request, "judging/documents.html", context | about(request, collection))


def about(request: SignedIn, collection: Collection) -> dict[str, Any]:
    return {"collection": collection, "mine": may_change(request.user, collection)}


@login_required
@require_safe
def document(request: SignedIn, pk: int) -> HttpResponse:
    documents = Document.objects.filter(collection__in=collections_for(request.user)).select_related("collection")
    document = get_object_or_404(documents, pk=pk)
    context = {"document": document, "collection": document.collection}
    return render(request, "judging/document.html", context | document_files(document, "", address_for_readers))


@login_required
@require_safe
def topic(request: SignedIn, pk: int) -> HttpResponse:
    """A topic, and what runs and qrels have for it."""
    topic = topic_for(request.user, pk)
    siblings = topic.collection.topics
    context = {
        "topic": topic,
        "collection": topic.collection,
        "previous": siblings.filter(pk__lt=pk).order_by("-pk").first(),
        "next": siblings.filter(pk__gt=pk).order_by("pk").first(),
        "runs": results_of(topic, runs_for(request.user).filter(collection=topic.collection)),
        "qrels": grades_of(topic, qrels_for(request.user).filter(collection=topic.collection)),
        "attachments": attachment_list(list(topic.attachments.filter(removed=None)), address_for_readers),
        "mine": may_change(request.user, topic.collection),
    }
    return render(request, "judging/topic.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_tags(request: SignedIn, pk: int) -> HttpResponse:
    topic = own_topic_for(request.user, pk)
    form = TagsForm(request.POST or None, initial={"tags": ", ".join(topic.tags)})
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            set_tags(topic, [form.cleaned_data["tags"]], by=request.user)
            return redirect("topic", pk)
    return render(request, "judging/topic_tags.html", {"form": form, "topic": topic}, status=422 if form.errors else 200)


def results_of(topic: Topic, runs: QuerySet[Run]) -> list[tuple[Run, int]]:
    return [(run, run_frame(run, topic=topic.number, columns=["rank"]).height) for run in runs]


def grades_of(topic: Topic, qrels: QuerySet[Qrels]) -> list[tuple[Qrels, list[tuple[int, int]]]]:
    """Each qrels with how many documents have which grade for the topic, the best grade first."""
    rows = []
    for version in qrels:
        documents = highest_grades(qrels_frame(version, topic=topic.number))
        grades = documents.group_by("grade").agg(pl.len()).sort("grade", descending=True)
        rows.append((version, list(grades.iter_rows())))
    return rows
