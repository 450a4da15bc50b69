"""Images of documents and attachments of topics: the files themselves, for workers and readers, and the owner's pages.

Who may open a file is asked each time; its address has a secret that only those were shown who may.
"""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Sum
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.lists import Column, RowList, Search
from judging.access import (
    attachments_for,
    collection_for,
    images_for,
    may_change,
    own_attachment_for,
    own_collection_for,
    own_topic_for,
)
from judging.api.files import stored_file
from judging.collections import attachments
from judging.collections.document_images import delete_images
from judging.errors import Refusal
from judging.forms.collections import AttachmentForm
from judging.forms.refusals import refusals_in
from judging.models import Attachment, Image
from judging.requests import SignedIn
from judging.views.judge import worker_or_404

IMAGE_COLUMNS = [
    Column(_("Image")),
    Column(_("Name"), "name"),
    Column(_("Size"), "size", num=True),
    Column(_("Added"), "added", "created"),
]
IMAGES_TO_SEE, IMAGES = (
    RowList(_("images"), columns, order="name", search=Search(_("A part of the name"), ["name__icontains"]))
    for columns in (IMAGE_COLUMNS, [Column(_("Delete")), *IMAGE_COLUMNS])
)
kept_by_its_reader = cache_control(private=True, max_age=24 * 3600)


@require_safe
@kept_by_its_reader
def judge_image(request: HttpRequest, study_id: int, image: UUID) -> FileResponse:
    """For a worker of a study over the collection, who is not told the name: documents' ids are in it."""
    worker = worker_or_404(request, study_id)
    images = Image.objects.filter(collection=worker.study.collection_id, collection__shows_images=True)
    shown = get_object_or_404(images, pk=image)
    return stored_file(shown, name=f"image.{shown.kind}")


@require_safe
@kept_by_its_reader
def judge_attachment(request: HttpRequest, study_id: int, attachment: UUID) -> FileResponse:
    worker = worker_or_404(request, study_id)
    attached = Attachment.objects.filter(topic__collection=worker.study.collection_id, removed=None)
    return stored_file(get_object_or_404(attached, pk=attachment))


@login_required
@require_safe
@kept_by_its_reader
def image(request: SignedIn, pk: UUID) -> FileResponse:
    return stored_file(get_object_or_404(images_for(request.user), pk=pk))


@login_required
@require_safe
@kept_by_its_reader
def attachment(request: SignedIn, pk: UUID) -> FileResponse:
    return stored_file(get_object_or_404(attachments_for(request.user), pk=pk))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def images(request: SignedIn, pk: int) -> HttpResponse:
    """The collection's images, to look at and to delete."""
    collection = collection_for(request.user, pk)
    if request.method == "POST":
        number = delete_images(own_collection_for(request.user, pk), chosen_keys(request), by=request.user)
        deleted = ngettext("Deleted %(number)s image.", "Deleted %(number)s images.", number) % {"number": number}
        messages.success(request, deleted)
        return redirect("images", pk)
    mine = may_change(request.user, collection)
    context = {
        "collection": collection,
        "mine": mine,
        "listed": (IMAGES if mine else IMAGES_TO_SEE).page(collection.images.all(), request.GET),
        "bytes": collection.images.aggregate(size=Sum("size"))["size"],
    }
    return render(request, "judging/images.html", context)


def chosen_keys(request: SignedIn) -> list[UUID]:
    keys = []
    for text in request.POST.getlist("images")[: IMAGES.a_page]:
        with suppress(ValueError):
            keys.append(UUID(text))
    return keys


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_attachments(request: SignedIn, pk: int) -> HttpResponse:
    topic = own_topic_for(request.user, pk)
    form = AttachmentForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    if request.method == "POST" and form.is_valid():
        with refusals_in(form, "file"):
            for file in form.cleaned_data["file"]:
                attachments.attach(topic, filename=file.name or "", content=file.read(attachments.LARGEST + 1), by=request.user)
            return redirect("topic_attachments", pk)
    every = list(topic.attachments.all())
    context = {
        "topic": topic,
        "form": form,
        "shown": [attached for attached in every if not attached.removed],
        "removed": [attached for attached in every if attached.removed],
        "kept_days": attachments.KEPT.days,
    }
    return render(request, "judging/topic_attachments.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def attachment_remove(request: SignedIn, pk: UUID) -> HttpResponse:
    attached = own_attachment_for(request.user, pk)
    attachments.remove(attached, by=request.user)
    messages.success(request, gettext("Removed “%(file)s”. It can be put back below.") % {"file": attached})
    return redirect("topic_attachments", attached.topic_id)


@login_required
@require_POST
def attachment_put_back(request: SignedIn, pk: UUID) -> HttpResponse:
    attached = own_attachment_for(request.user, pk)
    try:
        attachments.put_back(attached, by=request.user)
    except Refusal as refusal:
        messages.error(request, str(refusal))
    return redirect("topic_attachments", attached.topic_id)
