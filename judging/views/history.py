"""The history of who did what: to one study, for its members; and on the whole site, for admins."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from judging.access import study_for
from judging.audit import as_csv, history, people
from judging.database.numbers import number_in
from judging.models import AuditEntry, Study
from judging.views.collections import search_words
from judging.views.who import SignedIn

A_PAGE = 100


@login_required
@require_safe
def study_history(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    return page(request, study.audit.all(), study)


@login_required
@require_safe
def study_history_file(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    return as_file(filtered_entries(request, study.audit.all()), f"{slugify(study.name) or study.pk}-history.csv")


@login_required
@require_safe
def audit(request: SignedIn) -> HttpResponse:
    return page(request, everything(request))


@login_required
@require_safe
def audit_file(request: SignedIn) -> HttpResponse:
    return as_file(filtered_entries(request, everything(request)), "audit.csv")


def everything(request: SignedIn) -> QuerySet[AuditEntry]:
    if not request.user.is_admin:
        raise Http404("The history of the site is for admins.")
    return AuditEntry.objects.all()


def page(request: SignedIn, entries: QuerySet[AuditEntry], study: Study | None = None) -> HttpResponse:
    context = {
        "study": study,
        "page": Paginator(filtered_entries(request, entries), A_PAGE).get_page(request.GET.get("page")),
        "deeds": AuditEntry.Deed.choices,
        "deed": request.GET.get("deed", ""),
        "people": people(entries),
        "by": request.GET.get("by", ""),
        "search": search_words(request),
        "narrowed": any(request.GET.get(name) for name in ("deed", "by", "q")),
    }
    return render(request, "judging/history.html", context)


def filtered_entries(request: SignedIn, entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    """What the filters leave over; those that say nothing understandable leave all."""
    deed = request.GET.get("deed", "")
    chosen = deed if deed in AuditEntry.Deed.values else ""
    return history(entries, deed=chosen, by=number_in(request.GET.get("by", "")), search=search_words(request))


def as_file(entries: QuerySet[AuditEntry], name: str) -> HttpResponse:
    content = as_csv(entries.iterator(chunk_size=2000))
    attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=attachment)
