"""The administrators' page: how the installation is, what failed, what takes room, and how long things are kept."""

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from ireval_site import condition, disk_use
from judging.access import refuse_all_but_admins
from judging.background import executions
from judging.collections import attachments, orphans, upload_check
from judging.models import ParkedTask, Site
from judging.models.account import FORGOTTEN
from judging.news import delivery
from judging.requests import SignedIn

A_PAGE = 50  # tasks that were given up; and the reports that have taken longest


class Kept(NamedTuple):
    """What is kept for so many days; where that can be changed."""

    what: str
    days: int
    counted: str
    url: str = ""


@login_required
@require_safe
def administration(request: SignedIn) -> HttpResponse:
    refuse_all_but_admins(request.user)
    findings = list(condition.findings())
    rooms, counted = disk_use.counted()
    context = {
        "findings": findings,
        "unwell": [finding for finding in findings if not finding.well],
        "to_look_at": [finding for finding in findings if finding.well and finding.look],
        "parked": Paginator(ParkedTask.objects.all(), A_PAGE).get_page(request.GET.get("page")),
        "slow": condition.slow_reports()[:A_PAGE],
        "rooms": rooms,
        "counted": counted,
        "files": sum(room.files for room in rooms),
        "bytes": sum(room.bytes for room in rooms),
        "kept": list(kept()),
    }
    return render(request, "administration.html", context)


@login_required
@require_POST
def parked_again(request: SignedIn, pk: int) -> HttpResponse:
    refuse_all_but_admins(request.user)
    executions.run_again(get_object_or_404(ParkedTask, pk=pk), by=request.user)
    messages.success(request, _("It is tried again."))
    return redirect("administration")


@login_required
@require_POST
def parked_drop(request: SignedIn, pk: int) -> HttpResponse:
    refuse_all_but_admins(request.user)
    executions.drop(get_object_or_404(ParkedTask, pk=pk), by=request.user)
    messages.success(request, _("It is given up."))
    return redirect("administration")


def kept() -> Iterator[Kept]:
    """What is deleted by itself, and when."""
    for site in Site.objects.all():
        url = reverse("site_settings", args=[site.pk])
        yield Kept(_("Queries and events of %(site)s") % {"site": site}, site.keep_days, _("after they came"), url)
        yield Kept(_("Refused records of %(site)s") % {"site": site}, site.keep_quarantine_days, _("after they came first"), url)
    yield Kept(
        _("Attachments that were removed"), days(attachments.KEPT), _("after their removal; until then they can be put back")
    )
    yield Kept(_("Stored files that nothing names"), days(orphans.IN_TRASH), _("in the trash"))
    yield Kept(_("Uploads that nobody confirmed"), days(upload_check.ABANDONED), _("after their last piece"))
    yield Kept(_("Failed attempts of tasks"), days(executions.REMEMBERED), _("after the attempt"))
    yield Kept(_("Messages with news"), days(delivery.KEPT), _("after they were written"))
    yield Kept(_("Requests for a link to an account"), days(FORGOTTEN), _("after they were made, once anybody makes another"))
    yield Kept(_("Sign-ins"), settings.SESSION_COOKIE_AGE // 86400, _("after signing in"))


def days(span: timedelta) -> int:
    return span.days
