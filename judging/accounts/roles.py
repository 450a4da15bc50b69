"""What an account is for, and whether somebody can sign in to it: changed by admins, on the page of people."""

from django.db import transaction
from django.utils.translation import gettext as _

from judging.accounts.closure import shut_out
from judging.accounts.ownership import why_kept
from judging.audit import Deed, note
from judging.errors import Impossible
from judging.models import User
from judging.models.user import Role


class CannotChange(Impossible):
    """Why an account stays as it is; the text says what to do."""


@transaction.atomic
def change_role(user: User, role: str, *, by: User) -> None:
    locked = locked_account(user, by=by)
    if locked.role == role:
        return
    before = locked.role
    if role == Role.MEMBER and (why := why_kept(locked)):
        raise CannotChange(why)
    locked.take_role(role)
    locked.save(update_fields=["is_researcher", "is_staff", "is_superuser"])
    note(Deed.ACCESS, f"account {locked}, role: {before} → {role}", by)


@transaction.atomic
def close(user: User, *, by: User) -> None:
    """Let nobody sign in to the account any more, and end what is open of it. Nothing of it is deleted."""
    locked = locked_account(user, by=by)
    if not locked.is_active:
        return
    if why := why_kept(locked):
        raise CannotChange(why)
    locked.is_active = False
    locked.save(update_fields=["is_active"])
    note(Deed.ACCESS, f"account {locked}, active: no", by)
    shut_out(locked, by=by)


@transaction.atomic
def reopen(user: User, *, by: User) -> None:
    locked = locked_account(user, by=by)
    if locked.is_active:
        return
    shut_out(locked, by=by)
    locked.is_active = True
    locked.save(update_fields=["is_active"])
    note(Deed.ACCESS, f"account {locked}, active: yes", by)


def locked_account(user: User, *, by: User) -> User:
    """The account as it is now. Nobody changes their own, so that an admin is always left."""
    accounts = {
        account.pk: account for account in User.objects.select_for_update().filter(pk__in={user.pk, by.pk}).order_by("pk")
    }
    if user.pk == by.pk:
        raise CannotChange(_("Another admin has to change your own account."))
    if not accounts[by.pk].is_admin:  # two admins who demote one another at once
        raise CannotChange(_("You are no admin any more."))
    return accounts[user.pk]
