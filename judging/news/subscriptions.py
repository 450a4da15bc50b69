"""Subscriptions: made, and ended."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from judging import server_keys
from judging.audit import Deed, note
from judging.errors import Impossible
from judging.models import Subscription, User

MOST = 20


class TooMany(Impossible):
    pass


@transaction.atomic
def subscribe(user: User, *, kind: str, url: str, events: list[str]) -> Subscription:
    User.objects.select_for_update().get(pk=user.pk)  # of two at once the second counts the first
    if user.subscriptions.count() >= MOST:
        raise TooMany(_("These are %(most)s already. Delete one first.") % {"most": MOST})
    try:
        with transaction.atomic():
            made = Subscription.objects.create(user=user, kind=kind, url=url, events=events, nonce=server_keys.new_nonce(16))
    except IntegrityError:
        raise TooMany(_("News is mailed to you already. Delete that first.")) from None
    note(Deed.ACCESS, f"news of {user}, {made.get_kind_display()} {made.pk}: subscribed", user)
    return made


@transaction.atomic
def end(subscription: Subscription, *, by: User) -> None:
    note(Deed.ACCESS, f"news of {subscription.user}, {subscription.get_kind_display()} {subscription.pk}: ended", by)
    subscription.delete()
