"""Second steps of signing in: whether an account has one, and an admin's taking it off for who has lost their phone."""

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Exists, OuterRef

from judging.accounts.roles import locked_account
from judging.audit import Deed, note
from judging.models import User


def of(user: OuterRef | User) -> Exists:
    return Exists(Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP))


def has_one(user: User) -> bool:
    return Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()


@transaction.atomic
def take_off(user: User, *, by: User) -> None:
    locked = locked_account(user, by=by)
    if Authenticator.objects.filter(user=locked).delete()[0]:
        note(Deed.ACCESS, f"account {locked}, second step: taken off", by)
