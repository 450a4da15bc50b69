"""Systems of a collection, or of a site without one: which run and which arm of an experiment is which system's."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.access import collection_for, may_change, own_collection_for, own_site_for, sees_records, site_for
from judging.collections import systems
from judging.models import Arm, Collection, Run, Site
from judging.requests import SignedIn
from judging.views.refusals import refusals_on


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("collection_systems")
def collection_systems(request: SignedIn, pk: int) -> HttpResponse:
    if request.method == "POST":
        return confirm(request, own_collection_for(request.user, pk), "collection_systems")
    collection = collection_for(request.user, pk)
    return page(request, collection, {"collection": collection, "mine": may_change(request.user, collection)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("site_systems")
def site_systems(request: SignedIn, pk: int) -> HttpResponse:
    if request.method == "POST":
        return confirm(request, own_site_for(request.user, pk), "site_systems")
    site = site_for(request.user, pk)
    scope = systems.scope_of(site)
    if isinstance(scope, Collection):
        return redirect("collection_systems", scope.pk)
    return page(request, site, {"site": site, "mine": sees_records(request.user, site)})


def page(request: SignedIn, scope: Collection | Site, context: dict) -> HttpResponse:
    rows = systems.visible_to(request.user, systems.proposals(scope))
    context |= {
        "rows": rows,
        "proposed": sum(not row.is_confirmed for row in rows),
        "systems": systems.systems_of(scope),
    }
    return render(request, "judging/systems.html", context)


def confirm(request: SignedIn, scope: Collection | Site, address: str) -> HttpResponse:
    form = request.POST
    chosen = [
        (row.thing, form[f"system-{row.key}"], form.get(f"version-{row.key}", ""))
        for row in systems.visible_to(request.user, systems.proposals(scope))
        if f"system-{row.key}" in form
    ]
    changed = systems.confirm(scope, chosen, by=request.user)
    confirmed = _("%(number)s confirmed or changed.") % {"number": changed}
    messages.success(request, confirmed if changed else _("Nothing has changed."))
    back = form.get("back", "")
    return redirect(back if is_path_here(back) else reverse(address, args=[scope.pk]))


def is_path_here(address: str) -> bool:
    """Whether an address that a form sent leads to a page of this application."""
    return address.startswith("/") and url_has_allowed_host_and_scheme(address, allowed_hosts=None)


def ask_systems(things: QuerySet[Run] | QuerySet[Arm], scope: Collection | Site) -> dict[str, Any]:
    """What a page needs that asks of which systems these are: nothing where all is said."""
    if not (proposed := systems.unconfirmed(things)):
        return {}
    address = "collection_systems" if isinstance(scope, Collection) else "site_systems"
    return {"proposed": proposed, "systems": systems.systems_of(scope), "systems_address": reverse(address, args=[scope.pk])}
