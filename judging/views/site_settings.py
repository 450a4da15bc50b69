"""A site's settings: what it is called, who may read, how long records stay, its keys, its end."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import own_site_for, owned_site_for, owns
from judging.forms.refusals import refusals_in
from judging.forms.sites import KeyForm, SiteForm
from judging.logs import keys, overviews, sites
from judging.logs.site_deletion import delete_site
from judging.requests import SignedIn
from judging.views.refusals import refusals_on


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def site_settings(request: SignedIn, pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    form = SiteForm(request.POST or None, instance=site, user=request.user)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            sites.change(site, form.cleaned_data, by=request.user)
            messages.success(request, _("The settings are saved."))
            return redirect("site_settings", pk)
    context = {
        "form": form,
        "site": own_site_for(request.user, pk),  # not the instance that the form has changed
        "keys": [(key, keys.key_text(key)) for key in site.keys.select_related("created_by")],
        "key_form": KeyForm(),
        "owned": owns(request.user, site),
    }
    return render(request, "judging/site_settings.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def key_new(request: SignedIn, pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    form = KeyForm(request.POST)
    if form.is_valid():
        keys.make(site, by=request.user, label=form.cleaned_data["label"])
        messages.success(request, _("The key works from now on."))
    else:
        messages.error(request, _("No key was made. %(why)s") % {"why": next(iter(form.errors.values()))[0]})
    return redirect(reverse("site_settings", args=[pk]) + "#keys")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def key_revoke(request: SignedIn, pk: int, key_pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    key = get_object_or_404(site.keys.select_related("site"), pk=key_pk)
    if request.method != "POST":
        return render(request, "judging/site_key_revoke.html", {"site": site, "key": key, "shown": keys.key_text(key)})
    keys.revoke(key, by=request.user)
    messages.success(request, _("That key opens nothing any more; it may take a few seconds until every process knows."))
    return redirect(reverse("site_settings", args=[pk]) + "#keys")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("site")
def site_delete(request: SignedIn, pk: int) -> HttpResponse:
    site = owned_site_for(request.user, pk)
    if request.method != "POST":
        return render(request, "judging/site_delete.html", {"site": site, "totals": overviews.totals(site, request.user)})
    delete_site(site, by=request.user)
    gone = _("Deleted the site “%(site)s”. Its records are being taken away in the background.") % {"site": site.name}
    messages.success(request, gone)
    return redirect("sites")
