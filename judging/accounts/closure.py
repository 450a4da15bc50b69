"""The end of a password or an account, and of all that ends with it."""

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.accounts import tokens
from judging.models import Token, User


def end_tokens(user: User, *, by: User | None = None) -> None:
    tokens.delete(Token.objects.filter(user=user), by=by)


@transaction.atomic
def shut_out(user: User, *, by: User) -> None:
    """End tokens and sessions, so that an account which is opened again begins with none."""
    end_tokens(user, by=by)
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():  # no column says whose each is
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


class TokensEndWithThePassword:
    """A password validator that refuses nothing: Django tells it of every new password, wherever it was set."""

    def validate(self, password: str, user: User | None = None) -> None:
        pass

    def get_help_text(self) -> str:
        return _("API tokens end with the old password, and so do sessions in other browsers.")

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            end_tokens(user)
