"""Tokens of the API: knox stores them hashed; `Authorization: Token ireval_…` carries them."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from judging.models import Token, User

# If it were stored with each request, every reader would write to the database.
USE_NOTED_EVERY = timedelta(minutes=1)


class Tokens(TokenAuthentication):
    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The user and token of a request, None without a token. Raises PermissionDenied if a reading token would write."""
        identity: tuple[User, Token] | None = super().authenticate(request)
        if identity and identity[1].read_only and request.method not in SAFE_METHODS:
            raise PermissionDenied("This token only reads (GET, HEAD, OPTIONS). Make another one on your account page.")
        return identity

    def authenticate_credentials(self, token: bytes):
        """The token's user. Tokens are ASCII; knox would fail at any other byte, and PostgreSQL at NUL."""
        if not token.isascii() or b"\0" in token:
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)

    def validate_user(self, auth_token: Token) -> tuple[User, Token]:
        identity = super().validate_user(auth_token)
        if auth_token.has_expired:
            raise AuthenticationFailed("This token has expired. Make another one on your account page.")
        now = timezone.now()
        if auth_token.last_used is None or auth_token.last_used < now - USE_NOTED_EVERY:
            Token.objects.filter(pk=auth_token.pk).update(last_used=now)
        return identity

    def _cleanup_token(self, auth_token: Any) -> bool:
        """Keep expired tokens, which knox would delete in passing: their owner sees what has stopped working."""
        return False


class TokensInTheSchema(OpenApiAuthenticationExtension):
    target_class = "ireval_site.tokens.Tokens"
    name = "token"

    def get_security_definition(self, auto_schema):
        return build_bearer_security_scheme_object(header_name="Authorization", token_prefix="Token")  # noqa: S106  no secret
