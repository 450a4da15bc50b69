"""Visits to the search page: a visitor is a random number in a cookie, or nobody if they would rather not be known."""

import hashlib
import hmac
import json
import secrets
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from judging.models import Site
from judging.server_keys import all_keys

CLIENT, SESSION, NO_LOG = "ireval_client", "ireval_session", "ireval_no_log"
A_YEAR, HALF_AN_HOUR = 365 * 86_400, 1800  # seconds
LONGEST_ID = 64
DIGITS = 24


class Visitor(NamedTuple):
    """A browser, and its visit, which ends half an hour after its last search or click."""

    client: str
    session: str

    def query_id(self, query: str, arms: Any = None) -> str:
        """An id that stays the same during a visit for the same words under the same arms: loading a page again is no new search.

        It begins with a hash and ends with a proof that this browser searched, so that a link passed on logs no click.
        """
        content = json.dumps([self.session, query, arms], sort_keys=True)
        key = all_keys()[0]
        name = signature_of(f"{self.client} {content}", key)[:DIGITS]
        return name + signature_of(f"{self.client} {name}", key)[:8]

    def searched(self, query_id: str) -> bool:
        name, proof = f"{self.client} {query_id[:DIGITS]}", query_id[DIGITS:].encode()
        return any(hmac.compare_digest(signature_of(name, key)[:8].encode(), proof) for key in all_keys())


def signature_of(text: str, key: bytes) -> str:
    return hmac.digest(key, b"search:" + text.encode(), hashlib.sha256).hex()


def visitor_of(request: HttpRequest) -> Visitor | None:
    """The visitor; None for whoever does not want to be known."""
    if asks_for_privacy(request) or not is_by_hand(request):
        return None
    return Visitor(cookie_id(request, CLIENT) or new_id(), cookie_id(request, SESSION) or new_id())


def returning_visitor(request: HttpRequest) -> Visitor | None:
    """The visitor if they came here before, by both cookies, else None."""
    client, session = cookie_id(request, CLIENT), cookie_id(request, SESSION)
    welcome = is_by_hand(request) and not asks_for_privacy(request)
    return Visitor(client, session) if client and session and welcome else None


def is_by_hand(request: HttpRequest) -> bool:
    """Whether a person asked for the page: a browser loads some pages before that."""
    return request.method != "HEAD" and "prefetch" not in request.headers.get("Sec-Purpose", "")


def asks_for_privacy(request: HttpRequest) -> bool:
    """Whether the visitor asks for privacy: by a cookie of ours, or by Global Privacy Control or Do Not Track."""
    return bool(request.COOKIES.get(NO_LOG)) or request.headers.get("Sec-GPC") == "1" or request.headers.get("DNT") == "1"


def cookie_id(request: HttpRequest, cookie: str) -> str:
    value = request.COOKIES.get(cookie, "")
    return value if len(value) <= LONGEST_ID and value.isascii() and value.replace("-", "").replace("_", "").isalnum() else ""


def new_id() -> str:
    return secrets.token_urlsafe(12)


def remember(response: HttpResponse, visitor: Visitor, site: Site) -> None:
    keep(response, site, CLIENT, visitor.client, A_YEAR)
    keep(response, site, SESSION, visitor.session, HALF_AN_HOUR)


def keep(response: HttpResponse, site: Site, name: str, value: str, seconds: int) -> None:
    """Set a cookie for the pages of this site alone: nobody is known from site to site."""
    response.set_cookie(
        name,
        value,
        max_age=seconds,
        path=reverse("search_page", args=[site.slug]),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def stop_logging(response: HttpResponse, site: Site) -> None:
    keep(response, site, NO_LOG, "1", A_YEAR)
    forget(response, site, CLIENT, SESSION)


def forget(response: HttpResponse, site: Site, *names: str) -> None:
    for name in names:
        response.delete_cookie(name, path=reverse("search_page", args=[site.slug]), samesite="Lax")
