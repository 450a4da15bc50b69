"""Pages of enquiries: a worker's questions with their replies, and the study's for its researchers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.access import study_for
from judging.forms.enquiries import EnquiryForm, ReplyForm
from judging.forms.refusals import refusals_in
from judging.models import Enquiry, Item, Study, Worker
from judging.requests import SignedIn
from judging.views.item_page import bar
from judging.views.judge import worker_or_404
from judging.views.refusals import refusals_on
from judging.work.enquiries import ask, enquiries_of, item_for, mark_read, own_enquiries, published_enquiries, reply
from judging.work.progress import progress_of
from judging.work.tickets import item_of

A_PAGE = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enquiries(request: HttpRequest, study_id: int) -> HttpResponse:
    """A worker's questions and the form for another; `?item=` is the ticket of what it is about."""
    worker = worker_or_404(request, study_id)
    item = item_for(worker, item_of(worker, request.GET.get("item", "")))
    form = EnquiryForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusals_in(form, "text"):
            ask(worker=worker, item=item, text=form.cleaned_data["text"])
            return redirect("enquiries", study_id)
    return worker_page(request, worker, item, form)


def worker_page(request: HttpRequest, worker: Worker, item: Item | None, form: EnquiryForm) -> HttpResponse:
    own = list(own_enquiries(worker)[:200])
    context = bar(worker, progress_of(worker)) | {
        "worker": worker,
        "item": item,
        "form": form,
        "own": own,
        "published": published_enquiries(worker)[:200],
        "is_fresh": any(enquiry.replied and not enquiry.read for enquiry in own),  # what they came for stands first
        "has_reply": False,
    }
    if request.method == "GET":
        mark_read(worker, own)
    return render(request, "judging/enquiries.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def study_enquiries(request: SignedIn, pk: int) -> HttpResponse:
    return study_page(request, study_for(request.user, pk))


@login_required
@require_POST
@refusals_on("study_enquiries")
def enquiry_reply(request: SignedIn, pk: int, enquiry_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    enquiry = get_object_or_404(enquiries_of(study), pk=enquiry_pk)
    form = ReplyForm(request.POST, enquiry=enquiry.pk)
    if not form.is_valid():
        return study_page(request, study, refused=(enquiry, form))
    wanted = form.cleaned_data
    reply(enquiry, text=wanted["reply"], published=wanted["published"], by=request.user)
    if wanted["published"]:
        messages.success(request, _("Sent. All workers of the study can read it now."))
    else:
        messages.success(request, _("Sent. %(worker)s can read it now.") % {"worker": enquiry.worker})
    return redirect("study_enquiries", pk)


def study_page(request: SignedIn, study: Study, refused: tuple[Enquiry, ReplyForm] | None = None) -> HttpResponse:
    """All questions, each open one with a form; one that was refused keeps what was typed, and stands first."""
    page = Paginator(enquiries_of(study), A_PAGE).get_page(request.GET.get("page"))
    rows = [(enquiry, form_of(enquiry)) for enquiry in page if not refused or enquiry != refused[0]]
    context = {"study": study, "page": page, "rows": [refused, *rows] if refused else rows}
    return render(request, "judging/study_enquiries.html", context, status=422 if refused else 200)


def form_of(enquiry: Enquiry) -> ReplyForm | None:
    return None if enquiry.replied else ReplyForm(enquiry=enquiry.pk)
