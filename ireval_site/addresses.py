"""Where a request comes from, and the addresses that the site tells others."""

import ipaddress
import logging
import re
from collections.abc import Callable
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

log = logging.getLogger(__name__)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# What proxies write: an address, in brackets or with a port, maybe with the name of a network card.
WRITTEN = re.compile(r"\[?(?P<address>[0-9a-f:]*:[0-9a-f:.]+|[0-9.]+)(?:%\w+)?\]?(?::\d+)?", re.IGNORECASE)
FORWARDED = {"HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO"}
# Who has one address of IPv6 has all that begin with the same 64 bits.
ONE_SENDER = 64


def client_address(request: HttpRequest) -> str:
    """The address that a request comes from.

    Each proxy adds to X-Forwarded-For whom it heard; anybody may have written what stands before. So the header is read from
    its end for as long as those who wrote it are trusted (IREVAL_TRUSTED_PROXIES), and not at all where none are.
    """
    direct = request.META.get("REMOTE_ADDR", "")
    heard = parsed(direct)
    for written in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
        earlier = parsed(written.strip()) if is_trusted(heard) else None
        if earlier is None:
            break
        heard = earlier
    return str(heard or direct)


def sender(request: HttpRequest) -> str:
    """Whom limits count together: an address, of IPv6 the network of one customer."""
    address = client_address(request)
    heard = parsed(address)
    if isinstance(heard, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((heard, ONE_SENDER), strict=False))
    return address


def parsed(written: str) -> Address | None:
    """The address that is written, one of IPv4 as such; None if there is none.

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
    """Believe no X-Forwarded-Proto of who is no trusted proxy: whoever reaches the port directly came without TLS."""

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
    """Say once, to who has forgotten to name the proxy, why everybody seems to have its address or is redirected for ever."""
    log.warning("X-Forwarded headers from %s are not believed: if that is your proxy, name it in IREVAL_TRUSTED_PROXIES", address)


def public_address(request: HttpRequest, path: str) -> str:
    """The address of a path as others can open it: under IREVAL_URL where it is set, else where this request came to."""
    return settings.PUBLIC_URL + path if settings.PUBLIC_URL else request.build_absolute_uri(path)
