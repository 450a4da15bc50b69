"""Write keys, with which a site proves itself when it sends records. In a browser anybody can read them: they open nothing."""

import base64
import hashlib
import math
import threading
import time

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ireval_site.throttle import Limit, give_back, take
from judging import server_keys
from judging.audit import Deed, note, quoted
from judging.errors import TooOften
from judging.models import Site, User, WriteKey

PREFIX = "w_"
BYTES = 16
# Looking a key up took as long as storing ten events.
REMEMBERED = 5.0  # seconds
MOST_KNOWN = 10_000
site_cache: dict[str, tuple[Site | None, float]] = {}
# Each costs a look into the database.
UNKNOWN = Limit("unknown write keys", most=60, seconds=60)
# How long a key may send as fast as it can after it has rested.
BURST = 10  # seconds
# A process takes a hundredth of a second's records at once: asking Redis for each small batch took a twentieth of its time.
PORTIONS = 100
paid: dict[str, int] = {}
paying = threading.Lock()


class TooFast(TooOften):
    """More records than a key may bring, or more unknown keys than an address may try: nothing was looked at or stored."""


@transaction.atomic
def make(site: Site, *, by: User, label: str = "") -> WriteKey:
    nonce = server_keys.new_nonce(BYTES)
    made = WriteKey.objects.create(site=site, nonce=nonce, digest=digest_of(derived(nonce)), label=label, created_by=by)
    note(Deed.ACCESS, f"write key {made.pk} of site {quoted(site.name)}: made", by, site=site)
    return made


@transaction.atomic
def revoke(key: WriteKey, *, by: User) -> None:
    if WriteKey.objects.filter(pk=key.pk, revoked__isnull=True).update(revoked=timezone.now()):
        note(Deed.ACCESS, f"write key {key.pk} of site {quoted(key.site.name)}: revoked", by, site=key.site)


def key_text(key: WriteKey) -> str:
    """The key itself, which pages show again: whoever opens the site's page source reads it anyway."""
    return derived(key.nonce)


def derived(nonce: str) -> str:
    """128 bits that only this server makes of the nonce."""
    return PREFIX + base64.urlsafe_b64encode(server_keys.derive("write-key", nonce, BYTES)).rstrip(b"=").decode()


def digest_of(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def pay_for(digest: str, records: int) -> None:
    """Count what comes with a key. Raises TooFast for more than IREVAL_LOG_PER_SECOND records a second."""
    most = settings.LOG_PER_SECOND
    if not most:
        return
    with paying:
        lacking = records - paid.pop(digest, 0)
        if lacking <= 0:
            paid[digest] = -lacking
            return
    portion = max(most // PORTIONS, lacking)
    if wait := take(Limit("records", most * BURST, BURST).of(digest), cost=portion):
        raise TooFast(f"More than {most:,} records a second came with this key. Nothing of this request was stored.", wait)
    with paying:
        paid[digest] = paid.get(digest, 0) + portion - lacking


def site_of(key: str, *, address: str = "") -> Site | None:
    """The site that a key is of, unless it was revoked: a process may take up to REMEMBERED to hear of that.

    Raises TooFast for an address that has sent too many keys that nobody knows; a key that was good is always looked up.
    """
    digest = digest_of(key)
    site, heard = site_cache.get(digest, (None, -math.inf))
    if heard < time.monotonic() - REMEMBERED:
        site = site_by_digest(digest) if site else site_of_new_key(key, digest, address)
        if len(site_cache) >= MOST_KNOWN:
            site_cache.clear()
        site_cache[digest] = site, time.monotonic()
    return site


def site_of_new_key(key: str, digest: str, address: str) -> Site | None:
    """The site of a key that this process has not met."""
    if wait := take(UNKNOWN.of(address)):
        raise TooFast("Too many unknown write keys came from this address.", wait)
    site = site_by_digest(digest) if key.startswith(PREFIX) else None
    if site:
        give_back(UNKNOWN.of(address))
    return site


def site_by_digest(digest: str) -> Site | None:
    key = WriteKey.objects.filter(digest=digest, revoked__isnull=True).select_related("site").first()
    return key.site if key else None
