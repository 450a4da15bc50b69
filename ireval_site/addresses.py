"""Addresses: where a request comes from, and where others can open a path of this site."""

import ipaddress
import logging
import re
from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ireval_site import environment

log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# An address as proxies write it: in brackets or with a port, maybe with the name of a network card.
WRITTEN = re.compile(r"\[?(?P<address>[0-9a-f:]*:[0-9a-f:.]+|[0-9.]+)(?:%\w+)?\]?(?::\d+)?", re.IGNORECASE)
FORWARDED = {"HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO"}
# Whoever has one IPv6 address has all that begin with the same 64 bits.
ONE_SENDER = 64


def client_address(request: HttpRequest) -> str:
    """The address that a request comes from.

    Each proxy appends to X-Forwarded-For the address it was called from; anybody may have written what comes before. So the
    header is read from its end, as long as the writers are trusted (IREVAL_TRUSTED_PROXIES), and not at all where none is.
    """
    direct = request.META.get("REMOTE_ADDR", "")
    heard = parsed(direct)
    for written in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
        earlier = parsed(written.strip()) if is_trusted(heard) else None
        if earlier is None:
            break
        heard = earlier
    return str(heard or direct)


def site_address() -> str:
    """Where people open this site, for who has no request: IREVAL_URL, or where the launcher of this data folder serves it."""
    if settings.PUBLIC_URL:
        return settings.PUBLIC_URL
    try:
        served = (settings.DATA_DIR / "launcher.lock").read_text().partition(" ")[2].strip().rstrip("/")
    except OSError:
        served = ""
    return served or f"http://localhost:{environment.number('PORT', 8000)}"


def sender(request: HttpRequest) -> str:
    """The sender that limits count: an IPv4 address, or the network of one customer of an IPv6 address."""
    address = client_address(request)
    heard = parsed(address)
    if isinstance(heard, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((heard, ONE_SENDER), strict=False))
    return address


def parsed(written: str) -> Address | None:
    """The address that the text holds, with IPv4 inside IPv6 as IPv4; None if it holds none.

    >>> parsed("198.51.100.1:4711"), parsed("[2001:db8::1]:80"), parsed("::ffff:10.0.0.1"), parsed("unknown")
    (IPv4Address('198.51.100.1'), IPv6Address('2001:db8::1'), IPv4Address('10.0.0.1'), None)
    """
    match = WRITTEN.fullmatch(written)
    try:
        address = ipaddress.ip_address(match["address"]) if match else None
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_trusted(address: Address | None) -> bool:
    return address is not None and any(address in network for network in settings.TRUSTED_PROXIES)


def only_proxies_forward(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Ignore X-Forwarded headers unless a trusted proxy sent them: whoever reaches the port directly came without TLS."""

    def answer(request: HttpRequest) -> HttpResponse:
        direct = request.META.get("REMOTE_ADDR", "")
        if FORWARDED.isdisjoint(request.META) or is_trusted(parsed(direct)):
            return get_response(request)
        if settings.PUBLIC_URL:
            mention(direct)
        for header in FORWARDED:
            request.META.pop(header, None)
        return get_response(request)

    return answer


@lru_cache(maxsize=100)
def mention(address: str) -> None:
    """Log once that a proxy may not have been named, since then everybody seems to have its address or is redirected for ever."""
    log.warning("X-Forwarded headers from %s are not believed: if that is your proxy, name it in IREVAL_TRUSTED_PROXIES", address)


def public_address(request: HttpRequest, path: str) -> str:
    """The address of a path as others can open it: under IREVAL_URL where it is set, else where this request came to."""
    return settings.PUBLIC_URL + path if settings.PUBLIC_URL else request.build_absolute_uri(path)
