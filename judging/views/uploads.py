"""Uploads: a form that works by itself, and the chunk protocol by which its script sends large files.

announce → PUT chunks, each at the byte where the last one ended → finish. Answers are JSON. Where a chunk is out of step,
`received` says where to go on; a script that lost its connection asks for it.
"""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval.io.files import Problem
from ireval.io.problem_kinds import alike
from judging.access import own_collection_for, uploads_for
from judging.collections.uploads import (
    OutOfStep,
    UploadRefused,
    begin_upload,
    cancel_upload,
    confirm_uploads,
    finish_upload,
    receive_chunk,
    receive_whole,
    refuse_large_chunk,
)
from judging.database.numbers import number_in
from judging.forms.refusals import refusals_in
from judging.forms.uploads import FilesForm, RecognisedFileForm
from judging.models import Collection, Qrels, Run, Upload
from judging.requests import SignedIn
from judging.views.collections import UNFINISHED
from judging.views.refusals import refusals_on
from judging.views.systems import ask_systems

# What a form has beside its file: the fields and the boundaries between them.
FORM_BYTES = 2**20


@csrf_exempt  # looking for the form's token reads the whole body; what is too large must be refused before
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload_new(request: SignedIn, pk: int) -> HttpResponse:
    """Where files are dropped, and what those were taken for that have come."""
    collection = own_collection_for(request.user, pk)
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.UPLOAD_MAX_BYTES + FORM_BYTES:
        return add_page(request, collection, FilesForm(), too_large=True)
    return add(request, collection)


@csrf_protect
def add(request: SignedIn, collection: Collection) -> HttpResponse:
    form = FilesForm(request.POST, request.FILES) if request.method == "POST" else FilesForm()
    if form.is_valid():
        with refusals_in(form, "file"):
            for file in form.cleaned_data["file"]:
                receive_whole(file, collection=collection, by=request.user)
            return redirect("upload_new", collection.pk)
    return add_page(request, collection, form)


def add_page(
    request: SignedIn,
    collection: Collection,
    form: FilesForm,
    rows: list[RecognisedFileForm] | None = None,
    *,
    too_large: bool = False,
) -> HttpResponse:
    if rows is None:
        rows = [RecognisedFileForm(upload=upload) for upload in recognised(collection)]
    context = {
        "collection": collection,
        "form": form,
        "rows": rows,
        "sendable": [row for row in rows if row.upload.recognition["kind"] in Upload.Kind.values],
        "largest": settings.UPLOAD_MAX_BYTES,
        "too_large": too_large,
    }
    wrong = form.errors or any(row.errors for row in rows)
    return render(request, "judging/upload_new.html", context, status=413 if too_large else 422 if wrong else 200)


def recognised(collection: Collection) -> QuerySet[Upload]:
    return collection.uploads.filter(state=Upload.State.RECOGNISED).order_by("created")


@login_required
@require_POST
@refusals_on("upload_new")
def uploads_confirm(request: SignedIn, pk: int) -> HttpResponse:
    """Import the files that were recognised, as what the form says that they are."""
    collection = own_collection_for(request.user, pk)
    rows = [
        RecognisedFileForm(request.POST, upload=upload)
        for upload in recognised(collection)
        if f"{upload.pk}-taken" in request.POST  # others came after the page was made
    ]
    wrong = [row for row in rows if not row.is_valid()]
    if wrong:
        return add_page(request, collection, FilesForm(), rows)
    answers = {row.upload: row.confirmed() for row in rows}
    confirm_uploads(answers)
    imported = [upload for upload, as_what in answers.items() if as_what]
    if left_out := ", ".join(upload.filename for upload, as_what in answers.items() if not as_what):
        messages.info(request, _("Left out, and not kept: %(files)s.") % {"files": left_out})
    return redirect("upload", imported[0].pk) if len(imported) == 1 else redirect("collection", pk)


@login_required
@require_POST
def upload_begin(request: SignedIn, pk: int) -> JsonResponse:
    """Announce a file by its name and size. What it is, is told when it is here."""
    collection = own_collection_for(request.user, pk)
    size = number_in(request.POST.get("size", ""))
    if size is None:
        return error_response(_("Expected size, a number of bytes."), status=400)
    try:
        upload = begin_upload(collection=collection, filename=request.POST.get("filename", ""), size=size, by=request.user)
    except UploadRefused as why:
        return refusal(why)
    return JsonResponse(progress(upload) | {"chunk_bytes": settings.UPLOAD_CHUNK_BYTES}, status=201)


def progress(upload: Upload) -> dict[str, Any]:
    return {
        "id": str(upload.pk),
        "url": reverse("upload", args=[upload.pk]),
        "state": upload.state,
        "label": upload.get_state_display(),
        "received": upload.received,
        "size": upload.size,
        "lines_read": upload.lines_read,
        "problems": len(upload.problems),
    }


def error_response(error: str, *, status: int, **more: Any) -> JsonResponse:
    return JsonResponse({"error": error, **more}, status=status)


def refusal(why: UploadRefused) -> JsonResponse:
    where = {"received": why.received} if isinstance(why, OutOfStep) else {}
    return error_response(str(why), status=why.status, **where)


def own_upload_for(request: SignedIn, pk: UUID) -> Upload:
    return get_object_or_404(uploads_for(request.user).select_related("collection"), pk=pk)


@login_required
@require_http_methods(["PUT"])
def upload_chunk(request: SignedIn, pk: UUID) -> JsonResponse:
    upload = own_upload_for(request, pk)
    offset = number_in(request.GET.get("offset", ""))
    if offset is None:
        return error_response(_("Expected ?offset=, the byte at which this chunk begins."), status=400)
    try:
        refuse_large_chunk(int(request.META.get("CONTENT_LENGTH") or 0))
        return JsonResponse({"received": receive_chunk(upload, offset=offset, data=request.body)})
    except UploadRefused as why:
        return refusal(why)


@login_required
@require_POST
def upload_finish(request: SignedIn, pk: UUID) -> JsonResponse:
    try:
        return JsonResponse(progress(finish_upload(own_upload_for(request, pk))))
    except UploadRefused as why:
        return refusal(why)


@login_required
@require_POST
def upload_cancel(request: SignedIn, pk: UUID) -> HttpResponse:
    upload = own_upload_for(request, pk)
    if cancel_upload(upload):
        messages.success(request, _("Cancelled: nothing of %(file)s is kept.") % {"file": upload.filename})
        return redirect("collection", upload.collection_id)
    messages.error(request, _("%(file)s is imported already.") % {"file": upload.filename})
    return redirect("upload", pk)


@never_cache
@login_required
@require_safe
def upload_state(request: SignedIn, pk: UUID) -> JsonResponse:
    return JsonResponse(progress(own_upload_for(request, pk)))


@never_cache
@login_required
@require_safe
def upload(request: SignedIn, pk: UUID) -> HttpResponse:
    """How far a file is; in the end what came in, or everything that is wrong with it."""
    upload = own_upload_for(request, pk)
    if upload.state == Upload.State.RECOGNISED:
        return redirect("upload_new", upload.collection_id)
    runs = runs_made(upload)
    context = {
        "upload": upload,
        "collection": upload.collection,
        "changing": upload.state in UNFINISHED and upload.state != Upload.State.RECEIVING,
        "runs": runs,
        "qrels": qrels_made(upload),
        "problems": alike(Problem(**problem) for problem in upload.problems),
    } | ask_systems(runs, upload.collection)
    return render(request, "judging/_upload.html" if request.htmx else "judging/upload.html", context)


def runs_made(upload: Upload) -> QuerySet[Run]:
    """The runs that came of it, if they are still there."""
    if upload.kind not in (Upload.Kind.RUN, Upload.Kind.RESULTS):
        return Run.objects.none()
    return Run.objects.filter(pk__in=upload.summary.get("runs", [upload.summary.get("kept")]))


def qrels_made(upload: Upload) -> Qrels | None:
    return Qrels.objects.filter(pk=upload.summary.get("kept")).first() if upload.kind == Upload.Kind.QRELS else None
