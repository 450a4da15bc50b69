"""Webhooks: a message is posted as JSON, signed, to an address that is public unless this server allows others.

The signature is `X-Ireval-Signature: t=1767225600,v1=…`, where v1 is the HMAC-SHA256 of the time, a full stop and the body, by
the subscription's secret. Whoever receives it compares it in constant time and refuses what is older than five minutes.
"""

import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from ireval_site.addresses import site_address
from judging import server_keys
from judging.errors import BadFields
from judging.models import Message, Subscription

TIMEOUT = 10  # seconds without a byte
DEADLINE = 30  # seconds for all of it, however it drips
NAT64 = ipaddress.ip_network("64:ff9b::/96")
PORTS = {"http": 80, "https": 443}

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotSent(Exception):
    """Why a message did not arrive."""


def secret_of(subscription: Subscription) -> str:
    """Derived, so that a copy of the database alone cannot sign anything."""
    return f"whsec_{server_keys.derive('news', subscription.nonce, 24).hex()}"


def signature(secret: str, body: bytes, moment: int) -> str:
    """The header's value.

    >>> signature("whsec_1", b"{}", 1767225600)[:21]
    't=1767225600,v1=84901'
    """
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={signed}"


def address_of(message: Message) -> str:
    return f"{site_address()}{message.path}"


def body_of(message: Message) -> bytes:
    about = {
        "id": message.pk,
        "event": message.event,
        "text": message.text,
        "url": address_of(message),
        "created": message.created.isoformat(),
    }
    return json.dumps(about, ensure_ascii=False).encode()


def refuse_bad(url: str) -> None:
    """Refuse what can be no webhook, before anybody looks its name up."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadFields(url=_("This is no address.")) from None
    if parts.scheme not in PORTS or not parts.hostname or parts.username or parts.password or port == 0:
        raise BadFields(url=_("Write an address such as https://hooks.example/ireval, without a name and password in it."))
    if not (parts.path + parts.query).isascii():
        raise BadFields(url=_("Write what follows the host’s name as browsers send it: ü as %C3%BC."))
    if parts.scheme != "https" and not settings.WEBHOOKS_MAY_BE_PRIVATE:
        raise BadFields(url=_("It must begin with https://."))
    if is_address(parts.hostname) and not allowed(ipaddress.ip_address(parts.hostname)):
        raise BadFields(url=_("This server sends to public addresses only."))


def is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def allowed(address: Address) -> bool:
    """Whether messages may go there: nowhere inside, also not where an IPv6 address stands for an IPv4 one inside.

    >>> allowed(ipaddress.ip_address("2002:7f00:1::")), allowed(ipaddress.ip_address("::ffff:10.0.0.1"))
    (False, False)
    """
    if settings.WEBHOOKS_MAY_BE_PRIVATE:
        return True
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and not allowed(inner):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def resolve(host: str, port: int) -> str:
    """The address to connect to. It is looked up once: a name that is asked twice may answer differently."""
    try:
        addresses = [entry[4][0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise NotSent(_("%(host)s has no address.") % {"host": host}) from None
    if not addresses or not all(allowed(ipaddress.ip_address(str(address).partition("%")[0])) for address in addresses):
        raise NotSent(_("%(host)s is not a public address, and this server sends to no other.") % {"host": host})
    return str(addresses[0])


def send(message: Message) -> None:
    """Post the message; raises NotSent unless it is answered with 2xx. Redirections are not followed."""
    subscription = message.subscription
    try:
        refuse_bad(subscription.url)
    except BadFields as refusal:
        raise NotSent(str(refusal)) from None
    parts = urlsplit(subscription.url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    body = body_of(message)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ireval",
        "X-Ireval-Event": message.event,
        "X-Ireval-Signature": signature(secret_of(subscription), body, int(time.time())),
    }
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    address = resolve(host, port)
    try:
        with socket.create_connection((address, port), timeout=TIMEOUT) as plain, hanging_up(plain):
            connection = connected(parts.scheme, host, port, plain)
            with contextlib.closing(connection):
                connection.request("POST", target, body, headers)
                status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise NotSent(f"{host}: {error or type(error).__name__}") from None
    if not 200 <= status < 300:
        raise NotSent(_("%(host)s answered %(status)s.") % {"host": host, "status": status})


@contextlib.contextmanager
def hanging_up(plain: socket.socket) -> Iterator[None]:
    """Hang up after DEADLINE, whoever reads from the connection meanwhile. Raises NotSent if it came to that.

    A socket's own timeout begins anew with each byte that comes.
    """
    late = threading.Event()

    def hang_up() -> None:
        late.set()
        with contextlib.suppress(OSError):  # it has ended this very moment
            other.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(DEADLINE, hang_up)
    timer.daemon = True
    with plain.dup() as other:  # TLS takes the first one over
        timer.start()
        try:
            yield
        except (OSError, http.client.HTTPException):
            if late.is_set():
                raise NotSent(_("No answer within %(seconds)s seconds.") % {"seconds": DEADLINE}) from None
            raise
        finally:
            timer.cancel()


def connected(scheme: str, host: str, port: int, plain: socket.socket) -> http.client.HTTPConnection:
    """HTTP by a connection to the address that was looked at, under the host's name."""
    connection: http.client.HTTPConnection
    if scheme == "http":
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        connection.sock = plain
    else:
        connection = http.client.HTTPSConnection(host, port, timeout=TIMEOUT)
        connection.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    return connection
