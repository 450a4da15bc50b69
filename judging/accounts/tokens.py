"""Tokens of the API: made and deleted, each with its entry in the audit."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet

from judging.audit import Deed, note
from judging.models import Token, User


@transaction.atomic
def make(user: User, *, name: str = "", days: int | None = Token.Days.QUARTER, read_only: bool = False) -> tuple[Token, str]:
    """The row, and the token itself, which is not kept. Without `days` it works until it is deleted."""
    expiry = None if days is None else timedelta(days=days)
    kept, token = Token.objects.create(user=user, expiry=expiry, name=name, read_only=read_only)
    rights = f"{'reads only' if read_only else 'may do everything'}, {f'for {days} days' if days else 'without an end'}"
    note(Deed.ACCESS, f"token {kept} {name}".strip() + f" of {user}: made, {rights}", user)
    return kept, token


@transaction.atomic
def delete(tokens: QuerySet[Token], *, by: User | None) -> int:
    """Have them open nothing any more. Returns how many there were."""
    gone = list(tokens.select_for_update(of=("self",)).select_related("user"))
    tokens.filter(pk__in=[token.pk for token in gone]).delete()
    for token in gone:
        note(Deed.ACCESS, f"token {token} {token.name}".strip() + f" of {token.user}: deleted", by)
    return len(gone)
