"""Making and deleting tokens of the API, each with its entry in the audit."""

from django.db import transaction
from django.db.models import QuerySet

from judging.auditing import Deed, note
from judging.models import Token, User


@transaction.atomic
def make(user: User, *, name: str = "") -> tuple[Token, str]:
    """The row, and the token itself, which is not kept."""
    kept, token = Token.objects.create(user=user, name=name)
    note(Deed.ACCESS, f"token {kept} {name}".strip() + f" of {user}: made", user)
    return kept, token


@transaction.atomic
def delete(tokens: QuerySet[Token], *, by: User) -> int:
    """Have them open nothing any more. Returns how many there were."""
    gone = list(tokens.select_for_update(of=("self",)).select_related("user"))
    tokens.filter(pk__in=[token.pk for token in gone]).delete()
    for token in gone:
        note(Deed.ACCESS, f"token {token} {token.name}".strip() + f" of {token.user}: deleted", by)
    return len(gone)
