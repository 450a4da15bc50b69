"""A site's filter of programs: its versions, what the next one would leave out, and what browsers call themselves."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.access import own_site_for
from judging.forms.bots import BotForm
from judging.logs import bots
from judging.requests import SignedIn


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def site_bots(request: SignedIn, pk: int) -> HttpResponse:
    """Posted limits are previewed; posted with `save` they are a new version."""
    site = own_site_for(request.user, pk)
    current = bots.current(site)
    form = BotForm(request.POST if request.method == "POST" else None, initial=bots.limits_of(current)._asdict())
    if form.is_valid() and "save" in request.POST:
        made = bots.save(site, form.limits, by=request.user, why=form.cleaned_data["note"])
        messages.success(
            request,
            _("New reports leave out whom version %(version)s catches. Those that there are keep theirs.")
            % {"version": made.version},
        )
        return redirect("site_bots", pk)
    limits = form.limits if form.is_valid() else bots.limits_of(current)
    context = {
        "site": site,
        "form": form,
        "current": current,
        "days": bots.DAYS,
        "most": bots.MOST,
        "preview": bots.preview(site, limits) if form.is_valid() else None,
        "browsers": bots.browsers(site, limits.agents),
        "versions": site.bot_filters.select_related("created_by"),
    }
    return render(request, "judging/site_bots.html", context, status=422 if form.errors else 200)
