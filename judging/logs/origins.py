"""Origins of the web pages that may send, as browsers name them."""

from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from judging.errors import BadFields

MOST = 100
USUAL_PORTS = {"http": 80, "https": 443}


def origins_in(text: str) -> str:
    """The origins in a text, one per line, each once, as a browser writes it. BadFields for any other line, and for too many.

    >>> origins_in(" https://Shop.example:443/ ")
    'https://shop.example'
    """
    origins = list(dict.fromkeys(origin_in(line.strip()) for line in text.splitlines() if line.strip()))
    if len(origins) > MOST:
        raise BadFields(origins=_("At most %(most)s addresses; these are %(n)s.") % {"most": MOST, "n": f"{len(origins):,}"})
    return "\n".join(origins)


def origin_in(line: str) -> str:
    try:
        parts = urlsplit(line)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # UnicodeError is one
        raise wrong(line) from None
    more = parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None
    if more or not host or " " in host or parts.scheme not in USUAL_PORTS:
        raise wrong(line)
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + ("" if port in (None, USUAL_PORTS[parts.scheme]) else f":{port}")


def wrong(line: str) -> BadFields:
    return BadFields(origins=_("“%(line)s” is no origin: expected https://shop.example, without a path.") % {"line": line[:80]})
