"""Where a request comes from, and the addresses that the site tells others."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address that wrong passwords are counted by.

    Behind a proxy, which IREVAL_URL stands for, that is the last entry of X-Forwarded-For: the proxy wrote it itself, and
    the entries before it are the client's own claims. Without one the header is a claim altogether.
    """
    direct = request.META.get("REMOTE_ADDR", "")
    if not settings.PUBLIC_URL:
        return direct
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip().partition("%")[0]
    try:
        return str(ipaddress.ip_address(forwarded))
    except ValueError:
        return direct


def public_address(request: HttpRequest, path: str) -> str:
    """The address of a path as others can open it: under IREVAL_URL where it is set, else where this request came to."""
    return settings.PUBLIC_URL + path if settings.PUBLIC_URL else request.build_absolute_uri(path)
