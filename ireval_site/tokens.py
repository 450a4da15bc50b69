"""Tokens of the API: knox stores them hashed; `Authorization: Token ireval_…` carries them."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class Tokens(TokenAuthentication):
    def authenticate_credentials(self, token: bytes):
        """Who the token belongs to. A token has only ASCII; knox itself would fail at any other byte, and PostgreSQL at NUL."""
        if not token.isascii() or b"\0" in token:
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)


class TokensInTheSchema(OpenApiAuthenticationExtension):
    target_class = "ireval_site.tokens.Tokens"
    name = "token"

    def get_security_definition(self, auto_schema):
        return build_bearer_security_scheme_object(header_name="Authorization", token_prefix="Token")  # noqa: S106  no secret
