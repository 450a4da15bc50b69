"""Privacy pages for a site's owner: forget a person, take the log away."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from judging.access import own_site_for
from judging.audit import Deed, note, quoted
from judging.forms.site_privacy import EraseForm
from judging.logs.erasure import erase, trail_of
from judging.logs.log_export import Exporter
from judging.requests import SignedIn


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def site_erase(request: SignedIn, pk: int) -> HttpResponse:
    """A POST shows whose records these are; with `confirm` it erases them. No address and no log of a server names anybody."""
    site = own_site_for(request.user, pk)
    form = EraseForm(request.POST if request.method == "POST" else None)
    counts = None
    if form.is_valid():
        who = {"client": form.cleaned_data["client_id"], "user": form.cleaned_data["user_id"]}
        if "confirm" in request.POST:
            erased = erase(site, **who, by=request.user)._asdict()
            shown = {name: f"{count:,}" for name, count in erased.items()}
            messages.success(
                request, _("Erased: %(queries)s queries, %(events)s events, %(quarantined)s records in quarantine.") % shown
            )
            return redirect("site", pk)
        counts = trail_of(site, **who).counts
    context = {"site": site, "form": form, "counts": counts}
    return render(request, "judging/site_erase.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def site_export(request: SignedIn, pk: int) -> StreamingHttpResponse:
    site = own_site_for(request.user, pk)
    note(Deed.EXPORTED, f"the log of the site {quoted(site.name)}, as ndjson", request.user, site=site)
    attachment = {"Content-Disposition": f'attachment; filename="{site.slug}-log.ndjson"'}
    lines = Exporter(site, until=timezone.now()).lines()
    return StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8", headers=attachment)
