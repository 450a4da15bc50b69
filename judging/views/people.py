"""The page of people, for admins: who has an account and what for, who is invited, and which links wait to be passed on."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from ireval_site.addresses import public_address
from ireval_site.lists import Column, Filter, RowList, Search
from judging.access import account_for, accounts_for, refuse_all_but_admins
from judging.accounts import invitations, links, roles, second_steps
from judging.accounts.link_tokens import token_of
from judging.errors import Impossible
from judging.forms.accounts import InvitationForm, RoleForm
from judging.models import Invitation, LinkRequest, User
from judging.models.user import Role
from judging.requests import SignedIn

MOST_LINKS = 50  # the newest, on a page
ACCOUNTS = RowList(
    gettext_lazy("accounts"),
    [Column(gettext_lazy("Name"), "username")],
    order="username",
    search=Search(
        gettext_lazy("Name or address"),
        ["username__icontains", "email__icontains", "first_name__icontains", "last_name__icontains"],
    ),
    filters=[
        Filter("role", gettext_lazy("Role"), lambda users, role: users.filter(User.of_role(role)), Role.choices),
        Filter(
            "active", gettext_lazy("Accounts"), "is_active", [("True", gettext_lazy("Open")), ("False", gettext_lazy("Closed"))]
        ),
    ],
)


@never_cache
@login_required
@require_safe
def accounts(request: SignedIn) -> HttpResponse:
    refuse_all_but_admins(request.user)
    return page(request)


@never_cache
@login_required
@require_POST
def invite(request: SignedIn) -> HttpResponse:
    refuse_all_but_admins(request.user)
    form = InvitationForm(request.POST)
    if settings.SIGNUP == "closed":
        form.add_error(None, _("IREVAL_SIGNUP=closed: nobody can make an account."))
    if not form.is_valid():
        return page(request, form=form, status=422)
    invitations.invite(by=request.user, **form.cleaned_data)
    mailed = form.cleaned_data["email"] and settings.SENDS_MAIL
    messages.success(
        request, _("The invitation is being mailed.") if mailed else _("The invitation is made: copy its link below.")
    )
    return redirect(reverse("accounts") + "#invitations")


@login_required
@require_POST
def invitation_revoke(request: SignedIn, pk: int) -> HttpResponse:
    refuse_all_but_admins(request.user)
    invitations.revoke(get_object_or_404(Invitation, pk=pk), by=request.user)
    messages.success(request, _("Nobody comes in by that invitation any more."))
    return redirect("accounts")


@login_required
@require_POST
def account_role(request: SignedIn, pk: int) -> HttpResponse:
    account, form = account_for(request.user, pk), RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("There is no such role."))
        return redirect("accounts")
    return changed(request, account, lambda: roles.change_role(account, form.cleaned_data["role"], by=request.user))


@login_required
@require_POST
def account_close(request: SignedIn, pk: int) -> HttpResponse:
    account = account_for(request.user, pk)
    return changed(request, account, lambda: roles.close(account, by=request.user))


@login_required
@require_POST
def account_reopen(request: SignedIn, pk: int) -> HttpResponse:
    account = account_for(request.user, pk)
    return changed(request, account, lambda: roles.reopen(account, by=request.user))


@login_required
@require_POST
def account_one_step(request: SignedIn, pk: int) -> HttpResponse:
    account = account_for(request.user, pk)
    return changed(request, account, lambda: second_steps.take_off(account, by=request.user))


def changed(request: SignedIn, account: User, change: Any) -> HttpResponse:
    try:
        change()
    except Impossible as refusal:
        messages.error(request, _("%(account)s stays as they are. %(why)s") % {"account": account, "why": refusal})
    else:
        messages.success(request, _("%(account)s is changed.") % {"account": account})
    return redirect("accounts")


@never_cache
@login_required
@require_POST
def account_reset(request: SignedIn, pk: int) -> HttpResponse:
    """A link by which somebody chooses a new password, for the admin to pass on."""
    account = account_for(request.user, pk)
    return shown(request, links.ask(LinkRequest.Kind.RESET, account))


@never_cache
@login_required
@require_POST
def link_show(request: SignedIn, pk: int) -> HttpResponse:
    refuse_all_but_admins(request.user)
    return shown(request, get_object_or_404(LinkRequest.objects.waiting().select_related("user"), pk=pk))


def shown(request: SignedIn, asked: LinkRequest) -> HttpResponse:
    if not asked.user.is_active:
        messages.error(request, _("%(account)s cannot sign in. Reopen the account first.") % {"account": asked.user})
        return redirect("accounts")
    path = links.show(asked, by=request.user)
    link = {"asked": asked, "address": public_address(request, path) if path else ""}
    return page(request, link=link)


def page(
    request: SignedIn, *, form: InvitationForm | None = None, link: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    users = accounts_for(request.user).annotate(two_steps=second_steps.of(OuterRef("pk")))
    context = {
        "listed": ACCOUNTS.page(users, request.GET),
        "roles": Role.choices,
        "form": form or InvitationForm(),
        "link": link,
        "signup": settings.SIGNUP,
        "sends_mail": settings.SENDS_MAIL,
        "invitations": [(invitation, address_of(request, invitation)) for invitation in open_invitations()],
        "waiting": LinkRequest.objects.waiting().select_related("user")[:MOST_LINKS],
    }
    return render(request, "judging/people.html", context, status=status)


def open_invitations() -> Any:
    return Invitation.objects.open().select_related("created_by")[:MOST_LINKS]


def address_of(request: SignedIn, invitation: Invitation) -> str:
    token = token_of(invitation)
    return public_address(request, reverse("follow_invitation", args=[token])) if token else ""
