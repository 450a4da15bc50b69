"""Search sites: the list of them, one at a glance, how to send to it."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.addresses import public_address
from ireval_site.lists import Column, Filter, RowList, Search, people_of
from judging.access import (
    collections_for,
    is_published,
    own_site_for,
    refuse_all_but_researchers,
    sees_records,
    site_for,
    sites_for,
)
from judging.forms.refusals import refusals_in
from judging.forms.sites import NewSiteForm
from judging.logs import daily_columns, keys, overviews, sender_examples
from judging.logs import sites as verbs
from judging.logs.intake import ACCEPTED, CONFLICT, DUPLICATE, REJECTED, receive
from judging.models import Site
from judging.requests import SignedIn

MOST_EXPERIMENTS = 50  # of a site, on its page
TESTED = {
    ACCEPTED: gettext_lazy("The test record was accepted. It is among the newest records, as the action “test”."),
    DUPLICATE: gettext_lazy("The test record was a duplicate. It is among the newest records, as the action “test”."),
    CONFLICT: gettext_lazy("The test record was in conflict with another. It is among the newest records, as the action “test”."),
    REJECTED: gettext_lazy("The test record was rejected. It is among the newest records, as the action “test”."),
}


RUNNING = [("1", gettext_lazy("Running")), ("0", gettext_lazy("None running"))]


def running_or_not(sites: QuerySet[Any], value: str) -> QuerySet[Any]:
    return sites.filter(running__gt=0) if value == "1" else sites.filter(running=0)


SITES = RowList(
    gettext_lazy("sites"),
    [
        Column(gettext_lazy("Site"), "name"),
        Column(gettext_lazy("Last record")),
        Column(gettext_lazy("Running experiments"), "running", num=True),
        Column(gettext_lazy("Collection"), "collection", "collection__name", gaps=True),
        Column(gettext_lazy("Owner"), "owner", "owner__username"),
        Column(gettext_lazy("Made"), "made", "created"),
    ],
    order="name",
    search=Search(gettext_lazy("Name"), ["name__icontains"]),
    filters=[
        Filter("collection", gettext_lazy("Collection"), "collection"),
        Filter("running", gettext_lazy("Experiments"), running_or_not, RUNNING),
        Filter("owner", gettext_lazy("Owner"), "owner"),
    ],
)


@login_required
@require_safe
def sites(request: SignedIn) -> HttpResponse:
    mine = sites_for(request.user)
    active = overviews.with_activity(mine.select_related("owner", "collection"))
    searched = collections_for(request.user).filter(sites__in=mine).order_by("name").distinct().values_list("pk", "name")
    listed = SITES.page(active, request.GET, collection=list(searched), owner=people_of(mine, "owner", request.user))
    rows = [(site, overviews.last_of_both(site) if sees_records(request.user, site) else None) for site in listed]
    readable = set(collections_for(request.user).filter(sites__in=list(listed)).values_list("pk", flat=True))
    context = {"listed": listed, "rows": rows, "readable": readable, "may_create": request.user.may_research}
    return render(request, "judging/sites.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def site_new(request: SignedIn) -> HttpResponse:
    refuse_all_but_researchers(request.user)
    form = NewSiteForm(request.POST or None, instance=Site(owner=request.user), user=request.user)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            return redirect("site", verbs.make(by=request.user, **form.cleaned_data).pk)
    return render(request, "judging/site_new.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_safe
def site(request: SignedIn, pk: int) -> HttpResponse:
    site = site_for(request.user, pk)
    mine = sees_records(request.user, site)
    readable = site.collection is not None and collections_for(request.user).filter(pk=site.collection.pk).exists()
    context = {
        "site": site,
        "mine": mine,
        "readable": readable,
        "published": is_published(site),
        "experiments": site.experiments.all()[:MOST_EXPERIMENTS],
    }
    if mine:
        overview = overviews.overview(site)
        drawn = {"columns": daily_columns.columns(overview.bars), "highest": daily_columns.highest(overview.bars)}
        context |= {"overview": overview, **drawn, **how_to_send(request, site)}
    else:
        context["totals"] = overviews.totals(site, request.user)
    return render(request, "judging/site.html", context)


def how_to_send(request: SignedIn, site: Site) -> dict:
    """The newest key that works, and what to copy."""
    key = site.keys.filter(revoked__isnull=True).first()
    if key is None:
        return {}
    shown, now = keys.key_text(key), timezone.now()
    address = public_address(request, reverse("log-list", args=["v1"]))
    script = public_address(request, f"{settings.STATIC_URL}{sender_examples.SCRIPT}")
    return {
        "key": key,
        "shown": shown,
        "address": address,
        "curl": sender_examples.curl(address, shown, now, site.first_ordinal),
        "python": sender_examples.python(address, shown, site.first_ordinal),
        "browser": sender_examples.browser(script, shown, site.first_ordinal),
    }


@login_required
@require_POST
def site_test(request: SignedIn, pk: int) -> HttpResponse:
    """Send it a record of ours, to see that it arrives."""
    site, now = own_site_for(request.user, pk), timezone.now()
    receipt = receive(site, [sender_examples.test_record(str(request.user), now)], kind="event", now=now)
    messages.success(request, TESTED[receipt.statuses[0]])
    return redirect("site_records", pk)
