"""How django-allauth does things here: who may sign up, how links reach people, and where messages are worded."""

import base64
import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from ireval_site.addresses import client_address
from judging import server_keys
from judging.accounts import closure, invitations, links
from judging.audit import Deed, note
from judging.models import LinkRequest, User

INVITATION = "invitation"  # where the session keeps the token of who was invited
# By allauth's names of its messages. What is not here is said on the page itself, or not at all.
WORDS = {
    "account/messages/email_confirmed.txt": _("Your e-mail address is confirmed."),
    "account/messages/email_confirmation_failed.txt": _("This address could not be confirmed."),
    "account/messages/email_deleted.txt": _("The e-mail address is deleted."),
    "mfa/messages/totp_activated.txt": _("From now on you sign in in two steps."),
    "mfa/messages/totp_deactivated.txt": _("The second step is off."),
    "usersessions/messages/sessions_logged_out.txt": _("The other browsers are signed out."),
}
LINKS = {
    "account/email/password_reset_key": LinkRequest.Kind.RESET,
    "account/email/email_confirmation": LinkRequest.Kind.CONFIRM,
    "account/email/email_confirmation_signup": LinkRequest.Kind.CONFIRM,
}


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("Please enter a correct username and password. Both may be case-sensitive."),
        "enter_current_password": _("Your old password was entered incorrectly. Please enter it again."),
        "incorrect_password": _("This is not your password."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGNUP == "open" or (settings.SIGNUP == "invitation" and invited(request) is not None)

    @transaction.atomic
    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> User:
        """Who is invited has the role of the invitation; everybody else joins studies and reads what is shared with them."""
        saved: User = super().save_user(request, user, form, commit)
        if token := request.session.pop(INVITATION, ""):
            invitations.accept(token, saved)
        else:
            note(Deed.ACCESS, f"account {saved}, member: made by signing up", saved)
        return saved

    def send_mail(self, template_prefix: str, email: str, about: dict[str, Any]) -> None:
        """Have a link passed on, by mail or by an admin; nothing else is written to anybody."""
        if kind := LINKS.get(template_prefix):
            links.ask(kind, about["user"], email=email)

    def set_password(self, user: Any, password: str) -> None:
        with transaction.atomic():
            closure.end_tokens(user, by=user)
            links.done(LinkRequest.Kind.RESET, user)
            note(Deed.ACCESS, f"account {user}, password: changed", user)
            super().set_password(user, password)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        links.done(LinkRequest.Kind.CONFIRM, email_address.user)
        return super().confirm_email(request, email_address)

    def add_message(self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **more: Any) -> None:
        if words := WORDS.get(message_template or ""):
            messages.add_message(request, level, words)

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request) or "0.0.0.0"  # noqa: S104  a Unix socket has no address

    def is_safe_url(self, url: str | None) -> bool:
        """Whether somebody may be led there: only within the address at which they are."""
        request = context.request
        return url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}, require_https=request.is_secure())

    def is_ajax(self, request: HttpRequest) -> bool:
        return False  # programs use the API


def invited(request: HttpRequest) -> Any:
    """The open invitation by which somebody came in this browser."""
    token = request.session.get(INVITATION, "")
    return invitations.find(token) if token else None


class SecondStepAdapter(DefaultMFAAdapter):
    """Secrets of second steps are encrypted, so that a copy of the database alone opens nothing."""

    def encrypt(self, text: str) -> str:
        return sealer().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Something that nobody knows where the server's secret has changed since: then no code fits."""
        try:
            return sealer().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def get_totp_label(self, user: Any) -> str:
        return user.get_username()


def sealer() -> MultiFernet:
    return server_keys.sealer("second step")
