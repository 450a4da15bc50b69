"""What sites send with a write key, from a server or from the browsers of their users."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.logs import keys
from judging.models import Site

SCHEME = "Bearer"
DAY = "86400"


class WriteKeys(BaseAuthentication):
    """A site's write key, in the header or, since beacons have no headers, in the address."""

    def authenticate(self, request: Request) -> tuple[None, Site]:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            key = request.query_params.get("key", "")
        site = keys.site_of(key.strip()) if key.isascii() and "\0" not in key else None
        if site is None:
            raise AuthenticationFailed("Send the site's write key: “Authorization: Bearer w_…”, or ?key=w_… in the address.")
        refuse_other_pages(site, request.headers.get("Origin", ""))
        return None, site

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


def refuse_other_pages(site: Site, origin: str) -> None:
    """Only browsers say where a page came from: this keeps other sites' pages out, not other programs."""
    allowed = site.origins.split()
    if allowed and origin and origin not in allowed:
        raise PermissionDenied(f"Pages of {origin[:200]} may not send to this site; its owner has to add them.")


class WriteKeysInTheSchema(OpenApiAuthenticationExtension):
    target_class = "judging.api.writing.WriteKeys"
    name = "write key"

    def get_security_definition(self, auto_schema):
        return {"type": "http", "scheme": "bearer", "description": "A site's write key: `Authorization: Bearer w_…`."}


class HasSite(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return isinstance(request.auth, Site)


class ForSites:
    """For viewsets: a write key opens them, and pages of other addresses may call them."""

    authentication_classes: Sequence[type[BaseAuthentication]] = [WriteKeys]
    permission_classes: Sequence[Any] = [HasSite]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        asks_first = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        response = HttpResponse(status=204) if asks_first else super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        if "Origin" in request.headers:
            response["Access-Control-Allow-Origin"] = "*"  # cookies are neither sent nor heeded
            response["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Content-Encoding"
            response["Access-Control-Allow-Methods"] = "GET, POST"
            response["Access-Control-Max-Age"] = DAY
        return response


def site_of(request: Request) -> Site:
    assert isinstance(request.auth, Site)
    return request.auth
