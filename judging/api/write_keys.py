"""Write keys of sites, sent from a server or from the browsers of their users."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from ireval_site.addresses import sender
from judging.logs import keys
from judging.models import Site

SCHEME = "Bearer"
DAY = "86400"


class Proof(NamedTuple):
    """A site, and the hash of the key that it proved itself with."""

    site: Site
    key: str


class WriteKeys(BaseAuthentication):
    """A site's write key, in the header or, since beacons have no headers, in the address."""

    def authenticate(self, request: Request) -> tuple[None, Proof]:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            key = request.query_params.get("key", "")
        key = key.strip()
        site = keys.site_of(key, address=sender(request)) if key.isascii() and "\0" not in key else None
        if site is None:
            raise AuthenticationFailed("Send the site's write key: “Authorization: Bearer w_…”, or ?key=w_… in the address.")
        refuse_other_pages(site, request.headers.get("Origin", ""))
        return None, Proof(site, keys.digest_of(key))

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


def refuse_other_pages(site: Site, origin: str) -> None:
    """Only browsers say where a page came from: this keeps other sites' pages out, not other programs."""
    allowed = site.origins.split()
    if allowed and origin and origin not in allowed:
        raise PermissionDenied(f"Pages of {origin[:200]} may not send to this site; its owner has to add them.")


class WriteKeysInTheSchema(OpenApiAuthenticationExtension):
    target_class = "judging.api.write_keys.WriteKeys"
    name = "write key"

    def get_security_definition(self, auto_schema):
        return {"type": "http", "scheme": "bearer", "description": "A site's write key: `Authorization: Bearer w_…`."}


class HasSite(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return isinstance(request.auth, Proof)


class OpenToSites:
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
            response["Access-Control-Expose-Headers"] = "Retry-After"
            response["Access-Control-Max-Age"] = DAY
        return response


def site_of(request: Request) -> Site:
    return proof_of(request).site


def pay_for(request: Request, records: int) -> None:
    """Count the records against the key that they came with. Raises keys.TooFast."""
    keys.pay_for(proof_of(request).key, records)


def proof_of(request: Request) -> Proof:
    assert isinstance(request.auth, Proof)
    return request.auth
