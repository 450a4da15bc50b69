"""The history of who did what: to one study, for its members; and on the whole site, for admins."""

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from ireval_site.lists import Column, Filter, ListPage, RowList, Search
from judging.access import refuse_all_but_admins, study_for
from judging.audit import as_csv, history, people
from judging.models import AuditEntry, Study
from judging.requests import SignedIn

COLUMNS = [
    Column(_("When"), "when", "pk"),
    Column(_("Who"), "by", "by__username", gaps=True),
    Column(_("What"), "what", "deed"),
    Column(_("About")),
]
HISTORY, AUDIT = (
    RowList(
        _("entries"),
        columns,
        order="-when",
        search=Search(_("Words"), lambda entries, words: history(entries, search=words)),
        filters=[
            Filter("deed", _("What"), "deed", AuditEntry.Deed.choices, all=_("Everything")),
            Filter("by", _("Who"), lambda entries, key: history(entries, by=int(key)), all=_("Everybody")),
        ],
        a_page=100,
    )
    for columns in (COLUMNS, [*COLUMNS, Column(_("Study")), Column(_("Collection"))])
)


@login_required
@require_safe
def study_history(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    return page(request, listed(request, study.audit.all(), HISTORY), study)


@login_required
@require_safe
def study_history_file(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    return as_file(listed(request, study.audit.all(), HISTORY), f"{slugify(study.name) or study.pk}-history.csv")


@login_required
@require_safe
def audit(request: SignedIn) -> HttpResponse:
    return page(request, listed(request, everything(request), AUDIT))


@login_required
@require_safe
def audit_file(request: SignedIn) -> HttpResponse:
    return as_file(listed(request, everything(request), AUDIT), "audit.csv")


def everything(request: SignedIn) -> QuerySet[AuditEntry]:
    refuse_all_but_admins(request.user)
    return AuditEntry.objects.all()


def listed(request: SignedIn, entries: QuerySet[AuditEntry], rows: RowList) -> ListPage[AuditEntry]:
    somebody = [(person.pk, str(person)) for person in people(entries)]
    return rows.page(history(entries), request.GET, by=[*somebody, (0, _("No person"))])


def page(request: SignedIn, entries: ListPage[AuditEntry], study: Study | None = None) -> HttpResponse:
    return render(request, "judging/history.html", {"study": study, "listed": entries})


def as_file(entries: ListPage[AuditEntry], name: str) -> HttpResponse:
    content = as_csv(entries.matching.order_by(*entries.fields).iterator(chunk_size=2000))
    attachment = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=attachment)
