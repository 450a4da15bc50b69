"""The tour: a step's page, and the choice to go on or to end it."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from judging.access import refuse_all_but_researchers
from judging.accounts import tour
from judging.requests import SignedIn


@require_safe
@login_required
def tour_page(request: SignedIn, step: int) -> HttpResponse:
    """To the page of which the step speaks, wherever the reader is in the tour."""
    refuse_all_but_researchers(request.user)
    if step not in tour.STEPS:
        raise Http404("The tour has no such step.")
    return redirect(tour.page_of(step, request.user))


@require_POST
@login_required
def tour_move(request: SignedIn) -> HttpResponse:
    refuse_all_but_researchers(request.user)
    chosen = request.POST.get("step", "")
    steps = {str(step): step for step in (tour.ENDED, *tour.STEPS)}
    if chosen not in steps:
        return HttpResponse(_("Say which step of the tour."), status=400, content_type="text/plain")
    tour.move(request.user, step=steps[chosen])
    return redirect("tour_page", steps[chosen]) if steps[chosen] else redirect(page_before(request))


def page_before(request: SignedIn) -> str:
    """The page on which the tour was ended; the first one where the browser does not say."""
    before = request.headers.get("Referer", "")
    known = url_has_allowed_host_and_scheme(before, {request.get_host()}, require_https=request.is_secure())
    return before if known else reverse("home")
