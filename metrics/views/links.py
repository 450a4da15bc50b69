"""Links by which a report is shared: listed on its page, made and revoked."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from ireval_site.addresses import public_address
from judging.access import own_hypothesis_for
from judging.accounts.link_tokens import token_of
from judging.models import Hypothesis
from judging.requests import SignedIn
from metrics.access import evident_report_for, link_for, links_for
from metrics.models import Report, SharedLink
from metrics.shared_links import revoke, share


class ShareForm(forms.Form):
    days = forms.TypedChoiceField(choices=SharedLink.Days.choices, coerce=int)


@login_required
@require_POST
def verdict_share(request: SignedIn, pk: int) -> HttpResponse:
    return make_link(request, own_hypothesis_for(request.user, pk))


@login_required
@require_POST
def report_share(request: SignedIn, pk: int) -> HttpResponse:
    return make_link(request, evident_report_for(request.user, pk))


def make_link(request: SignedIn, subject: Hypothesis | Report) -> HttpResponse:
    form = ShareForm(request.POST)
    if form.is_valid():
        link = share(subject, by=request.user, **form.cleaned_data)
        text = _("Whoever has the link reads this page until %(day)s. Copy it under Share.")
        messages.success(request, text % {"day": date_format(link.expires, "j F Y")})
    else:
        messages.error(request, _("No link was made. How long it works: %(error)s") % {"error": form.errors["days"][0]})
    return redirect(page_of(subject))


@login_required
@require_POST
def shared_link_revoke(request: SignedIn, pk: int) -> HttpResponse:
    link = link_for(request.user, pk)
    revoke(link, by=request.user)
    messages.success(request, _("That link leads nowhere from now on."))
    return redirect(page_of(link.subject))


def page_of(subject: Hypothesis | Report) -> str:
    return reverse("verdict" if isinstance(subject, Hypothesis) else "report", args=[subject.pk])


def shared_links(request: SignedIn, **subject: Any) -> dict[str, Any]:
    """The links to a subject that the reader may show, with the addresses of the page and of its figure.

    They are for the control that makes and revokes links.
    """
    rows = []
    for link in links_for(request.user).filter(**subject):
        token = token_of(link)
        page, figure = (
            public_address(request, reverse(name, args=[token])) if token else "" for name in ("shared", "shared_figure")
        )
        rows.append((link, page, f'<img src="{figure}" alt="{escape(str(link.subject))}">'))
    return {"shared_links": rows, "days": SharedLink.Days.choices, "usual_days": SharedLink.Days.MONTH}
