"""The page on which a thing is shared: a collection, study, site or verdict of judging, or a report of metrics."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from ireval_site.lists import Words
from judging import access
from judging.accounts import memberships
from judging.accounts.memberships import Role
from judging.forms.refusals import refusals_in
from judging.models import Study, User
from judging.requests import SignedIn
from metrics.access import own_report_for


class Kind(NamedTuple):
    """A kind of thing that is shared: the names of its page and list, who sees the page, and who changes what is on it."""

    page: str
    listed: Words
    seen_by: Callable[[User, int], Any]
    changed_by: Callable[[User, int], Any]
    rights: dict[Role, Words]


KINDS = {
    "collections": Kind(
        "collection",
        gettext_lazy("Collections"),
        access.own_collection_for,
        access.owned_collection_for,
        {
            Role.READER: gettext_lazy("sees it, and makes studies and reports over it"),
            Role.RESEARCHER: gettext_lazy("adds and deletes files, runs and qrels, too"),
        },
    ),
    "studies": Kind(
        "study",
        gettext_lazy("Studies"),
        access.study_for,
        access.owned_study_for,
        {
            Role.READER: gettext_lazy("sees what came out of it"),
            Role.JUDGE: gettext_lazy("joins it without a link, as a worker"),
            Role.RESEARCHER: gettext_lazy("runs it: workers, pay, results"),
        },
    ),
    "sites": Kind(
        "site",
        gettext_lazy("Sites"),
        access.own_site_for,
        access.owned_site_for,
        {
            Role.READER: gettext_lazy("sees its reports, and nothing of fewer than ten users"),
            Role.RESEARCHER: gettext_lazy("sees single records and runs its experiments, too"),
        },
    ),
    "verdicts": Kind(
        "verdict",
        gettext_lazy("Verdicts"),
        access.own_hypothesis_for,
        access.own_hypothesis_for,
        {Role.READER: gettext_lazy("sees the newest verdict and its evidence")},
    ),
    "reports": Kind(
        "report",
        gettext_lazy("Reports"),
        own_report_for,
        own_report_for,
        {Role.READER: gettext_lazy("sees the report, its topics and what was found for them")},
    ),
}


OVER = "over_%s"  # ids of the fields of the second form on the page
GIVEN = {
    Role.READER: gettext_lazy("%(person)s is a reader of it from now on."),
    Role.JUDGE: gettext_lazy("%(person)s is a judge of it from now on."),
    Role.RESEARCHER: gettext_lazy("%(person)s is a researcher of it from now on."),
}


class KindConverter:
    """The kinds of things that are shared, in addresses."""

    regex = "|".join(KINDS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class NameField(forms.CharField):
    """The user name of somebody with an account."""

    def clean(self, value: Any) -> User:
        name = super().clean(value)
        person = User.objects.filter(username=name, is_active=True).first()
        if person is None:
            raise forms.ValidationError(gettext_lazy("There is no account of this name. An admin can invite people."))
        return person


class ShareForm(forms.Form):
    person = NameField(label=gettext_lazy("User name"), max_length=150, widget=forms.TextInput(attrs={"list": "researchers"}))
    role = forms.ChoiceField(label=gettext_lazy("As"), widget=forms.RadioSelect)

    def __init__(self, *args: Any, kind: Kind, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = [(role, f"{role.label}: {right}") for role, right in kind.rights.items()]  # type: ignore[attr-defined]
        self.initial["role"] = Role.READER


class HandOverForm(forms.Form):
    person = NameField(label=gettext_lazy("User name"), max_length=150, widget=forms.TextInput(attrs={"list": "researchers"}))
    sure = forms.BooleanField(label=gettext_lazy("I hand it over: then only they can share it, and hand it back"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: SignedIn, kind: str, pk: int) -> HttpResponse:
    """Show who has which role; give somebody one."""
    of = KINDS[kind]
    if request.method != "POST":
        return page(request, kind, of.seen_by(request.user, pk))
    subject = of.changed_by(request.user, pk)
    form = ShareForm(request.POST, kind=of)
    if form.is_valid():
        person, role = form.cleaned_data["person"], Role(form.cleaned_data["role"])
        with refusals_in(form, "person"):
            memberships.give(subject, person, role, by=request.user)
            messages.success(request, GIVEN[role] % {"person": person})
            return redirect("people", kind, pk)
    return page(request, kind, subject, form=form, status=422)


@login_required
@require_POST
def person_remove(request: SignedIn, kind: str, pk: int, person_pk: int) -> HttpResponse:
    subject = KINDS[kind].changed_by(request.user, pk)
    person = get_object_or_404(User, pk=person_pk)
    if person not in dict(memberships.people_in(subject)):
        raise Http404("They have no role here.")
    memberships.remove(subject, person, by=request.user)
    messages.success(request, _("%(person)s has no role here any more.") % {"person": person})
    return redirect("people", kind, pk)


@login_required
@require_POST
def hand_over(request: SignedIn, kind: str, pk: int) -> HttpResponse:
    subject = KINDS[kind].changed_by(request.user, pk)
    if not hasattr(subject, "owner"):
        raise Http404("Who owns the collection shares and deletes its reports, too.")
    form = HandOverForm(request.POST, auto_id=OVER)
    if form.is_valid():
        with refusals_in(form, "person"):
            memberships.hand_over(subject, form.cleaned_data["person"], by=request.user)
            messages.success(request, _("%(person)s owns it from now on.") % form.cleaned_data)
            return redirect("people", kind, pk)
    return page(request, kind, subject, hand_over_form=form, status=422)


def page(
    request: SignedIn,
    kind: str,
    subject: Any,
    *,
    form: ShareForm | None = None,
    hand_over_form: HandOverForm | None = None,
    status: int = 200,
) -> HttpResponse:
    of = KINDS[kind]
    has_owner = hasattr(subject, "owner")
    changes = access.owns(request.user, subject) if has_owner else True
    context = {
        "kind": kind,
        "of": of,
        "subject": subject,
        "study": subject if isinstance(subject, Study) else None,
        "home": reverse(of.page, args=[subject.pk]),
        "list": reverse(kind),
        "owner": memberships.owner_of(subject),
        "has_owner": has_owner,
        "changes": changes,
        "people": [(person, role, of.rights[role]) for person, role in memberships.people_in(subject)],
        "form": form or ShareForm(kind=of),
        "hand_over_form": hand_over_form or HandOverForm(auto_id=OVER),
        "researchers": access.researchers().exclude(pk=memberships.owner_of(subject).pk) if changes else [],
    }
    return render(request, "people.html", context, status=status)
