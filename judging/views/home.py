"""The first page: what this is for a visitor, what goes on for a researcher, their studies for a worker."""

import ipaddress
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import login
from django.db.models import Case, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from judging.access import (
    adjudicable_studies_for,
    collections_for,
    hypotheses_for,
    readable_studies_for,
    sites_for,
    studies_for,
    uploads_for,
)
from judging.collections import stamps
from judging.demo import showcase
from judging.labels.study_progress import overviews
from judging.models import Invite, Study, User, Worker
from judging.recruiting import invites
from judging.requests import SignedIn

DEMO_USER = "demo"
RUNNING_FIRST = Case(When(state=Study.State.RUNNING, then=0), default=1)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "judging/welcome.html", welcome(request))
    if not request.user.may_research:
        return home_of_worker(cast(SignedIn, request))
    return render(request, "judging/dashboard.html", dashboard(cast(SignedIn, request)))


def welcome(request: HttpRequest) -> dict:
    return {"demo": demo_links(request) if demo_open(request) else None, "figures": showcase.FIGURES}


def home_of_worker(request: SignedIn) -> HttpResponse:
    mine = Worker.objects.filter(user=request.user).select_related("study").order_by("-id")
    context = {"participations": mine, "adjudicated": adjudicable_studies_for(request.user), **shared_with(request.user)}
    return render(request, "judging/home_worker.html", context)


def shared_with(user: User) -> dict[str, Any]:
    """What somebody who does no research reads all the same, and may judge."""
    return {
        "called": invites.called_for(user).filter(open_call=False).exclude(workers__user=user),
        "studies": readable_studies_for(user).order_by("-created"),
        "sites": sites_for(user),
        "verdicts": hypotheses_for(user),
    }


def dashboard(request: SignedIn) -> dict:
    """The page's context, with one study and one collection more than are shown where there are more."""
    studies = studies_for(request.user).filter(archived__isnull=True).select_related("collection")
    return {
        "running": overviews(studies.exclude(state=Study.State.DRAFT).order_by(RUNNING_FIRST, "-created")[:12]),
        "drafts": studies.filter(state=Study.State.DRAFT)[:6],
        "collections": collections_for(request.user)[:9],
        "uploads": uploads_for(request.user).select_related("collection")[:5],
        "demo": demo_links(request) if demo_open(request) else None,
        "files_problem": stamps.problem() if request.user.is_admin else "",
    }


def demo_open(request: HttpRequest) -> bool:
    """Whether this is the demo, seen from its own machine: only there may anybody enter without a password."""
    return settings.DEMO and not settings.PUBLIC_URL and ipaddress.ip_address(request.META["REMOTE_ADDR"]).is_loopback


def demo_links(request: HttpRequest) -> dict:
    links = Invite.objects.filter(
        study__members__username=DEMO_USER, study__state=Study.State.RUNNING, revoked=None, machines=False
    )
    link = links.select_related("study").order_by("pk").first()  # the one that came with the demo, whatever was made since
    token = invites.token_of(link) if link else None
    return {"join": reverse("follow_invite", args=[token]) if token else None, "study": link.study if link else None}


@require_POST
def enter_demo(request: HttpRequest) -> HttpResponse:
    """Sign in as the demo's researcher."""
    user = User.objects.filter(username=DEMO_USER, is_active=True).first()
    if user is None or not demo_open(request):
        raise Http404("There is no demo here.")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("home")
