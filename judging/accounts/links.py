"""Links to somebody's own account, for a new password or to confirm an e-mail address.

They are asked for and passed on: by mail where this server sends mail, else by an admin, to whom they are shown. A link is
derived when it is needed, so that neither the database nor the broker holds one.
"""

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from judging.accounts.link_tokens import token_of
from judging.accounts.mail import send
from judging.audit import Deed, note
from judging.models import Invitation, LinkRequest, Outbox, User
from judging.models.account import FORGOTTEN
from judging.models.mail_language import language_of_page

Kind = LinkRequest.Kind
IN_AUDIT = {Kind.RESET: "new password", Kind.CONFIRM: "confirm the e-mail address"}


@transaction.atomic
def ask(kind: LinkRequest.Kind, user: User, *, email: str = "") -> LinkRequest:
    """Note that somebody wants a link; whoever asks again is noted once."""
    LinkRequest.objects.filter(asked__lt=timezone.now() - FORGOTTEN).delete()
    asked = {"email": email, "asked": timezone.now(), "mailed": None, "language": language_of_page()}
    request = LinkRequest.objects.update_or_create(user=user, kind=kind, defaults=asked)[0]
    if email and settings.SENDS_MAIL:
        Outbox.objects.post_anew("judging.tasks.mail_link", request=request.pk)
    return request


def done(kind: LinkRequest.Kind, user: User) -> None:
    """The link was followed: nobody has to pass it on any more."""
    LinkRequest.objects.filter(kind=kind, user=user).delete()


@transaction.atomic
def show(request: LinkRequest, *, by: User) -> str:
    """The path of the link, for an admin to pass on. Whoever has it can enter the account, so that it is written down."""
    note(Deed.ACCESS, f"account {request.user}: link shown to pass on ({IN_AUDIT[Kind(request.kind)]})", by)
    return path_of(request)


def path_of(request: LinkRequest) -> str:
    if request.kind == Kind.RESET:
        return reset_path(request.user)
    address = EmailAddress.objects.filter(user=request.user, email__iexact=request.email).first()
    return reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key]) if address else ""


def reset_path(user: User) -> str:
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), default_token_generator.make_token(user)])


def mail(request_pk: int) -> None:
    """Send a link to who asked for it; not again if that was done."""
    request = LinkRequest.objects.waiting().select_related("user").filter(pk=request_pk).first()
    if request is None or not request.email or not (path := path_of(request)):
        return
    with translation.override(request.language):
        if request.kind == Kind.RESET:
            subject, words = _("A new password"), _("Choose a new password here, within a day:")
        else:
            subject, words = _("Confirm your e-mail address"), _("Confirm that this address is yours, within three days:")
        greeting, nothing = _("Hello %(user)s,") % {"user": request.user}, _("Whoever did not ask for it can ignore this.")
    send(request.email, subject, f"{greeting}\n\n{words}\n{settings.PUBLIC_URL}{path}\n\n{nothing}\n")
    LinkRequest.objects.filter(pk=request.pk).update(mailed=timezone.now())


def mail_invitation(invitation_pk: int) -> None:
    invitation = Invitation.objects.open().select_related("created_by").filter(pk=invitation_pk).first()
    if invitation is None or not (token := token_of(invitation)):
        return
    address = f"{settings.PUBLIC_URL}{reverse('follow_invitation', args=[token])}"
    with translation.override(invitation.language):
        until = {"person": invitation.created_by, "date": date_format(invitation.expires)}
        words = _("%(person)s invites you to ireval. Make your account here, until %(date)s:") % until
        subject, greeting = _("You are invited"), _("Hello,")
    send(invitation.email, subject, f"{greeting}\n\n{words}\n{address}\n")
