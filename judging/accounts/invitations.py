"""Invitations: links by which one person each makes an account."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.accounts.link_tokens import fresh_token, token_hash
from judging.audit import Deed, note
from judging.errors import Impossible
from judging.models import Invitation, Outbox, User


class InvitationEnded(Impossible):
    """Somebody came by it already, or it was revoked, or it is too old."""

    def __init__(self):
        super().__init__(_("This invitation was used, revoked or is too old. Ask an admin for another one."))


@transaction.atomic
def invite(*, role: str, by: User, email: str = "") -> Invitation:
    """Make a link; it is mailed where this server sends mail and an address is known."""
    made = Invitation.objects.create(created_by=by, role=role, email=email, **fresh_token())
    note(Deed.ACCESS, f"{called(made)}: made", by)
    if email and settings.SENDS_MAIL:
        Outbox.objects.post("judging.tasks.mail_invitation", invitation=made.pk)
    return made


@transaction.atomic
def revoke(invitation: Invitation, *, by: User) -> None:
    if Invitation.objects.open().filter(pk=invitation.pk).update(revoked=timezone.now()):
        note(Deed.ACCESS, f"{called(invitation)}: revoked", by)


@transaction.atomic
def accept(token: str, user: User) -> None:
    """Give a new account the role of the invitation that it came by. Of two who come by one at once, one makes an account."""
    invitation = find(token)
    if invitation is None or not Invitation.objects.open().filter(pk=invitation.pk).update(user=user):
        raise InvitationEnded
    user.take_role(invitation.role)
    user.save()
    note(Deed.ACCESS, f"account {user}, {invitation.role}: made by {called(invitation)}", user)


def find(token: str) -> Invitation | None:
    """The open invitation that a visitor came by; void once who made it is no admin any more."""
    inviting = {"created_by__is_active": True, "created_by__is_superuser": True}
    return Invitation.objects.open().filter(token_hash=token_hash(token), **inviting).first()


def called(invitation: Invitation) -> str:
    return f"invitation {invitation.pk}, {invitation.role}" + (f", for {invitation.email}" if invitation.email else "")
