"""Pseudonyms: clients, users and sessions under keyed hashes, which nobody can make again once an epoch's secret is gone."""

import contextlib
import hashlib
import re
from datetime import datetime, timedelta
from functools import lru_cache

from cryptography.fernet import InvalidToken, MultiFernet

from judging import server_keys
from judging.models import Epoch, Site

WHO = ("client", "user", "session")
DAY = 86_400
# A clock may be wrong by so much before the time of receipt says which epoch it is.
AHEAD = timedelta(days=1)
# What stands in a record for an id; an export that is sent in again keeps it.
PSEUDONYM = re.compile(r"~[0-9a-f]{16}")


class Hasher:
    """Makes the pseudonyms of one site for records that come at one moment."""

    def __init__(self, site: Site, now: datetime):
        self.site, self.now = site, now
        self.oldest, self.newest = now - timedelta(days=site.keep_days), now + AHEAD
        self.today = number_at(now, 1)

    def who(self, kind: str, name: str | None, moment: datetime) -> int | None:
        """The pseudonym of a client, user or session at that moment."""
        if name is None:
            return None
        if name[0] == "~" and PSEUDONYM.fullmatch(name):
            return signed(bytes.fromhex(name[1:]))
        return hash_of(kind, name, self.key_at(moment))

    def key_at(self, moment: datetime) -> bytes:
        """Late records belong to the epoch in which they happened, unless their clock must be wrong."""
        if not self.oldest < moment < self.newest:
            moment = self.now
        days = self.site.rotate_days
        return epoch_key(self.site.pk, self.site.secret, days, number_at(moment, days), self.today)


def number_at(moment: datetime, days: int) -> int:
    return int(moment.timestamp() // (days * DAY))


@lru_cache(maxsize=4096)
def epoch_key(site: int, secret: str, days: int, number: int, today: int) -> bytes:
    """Neither the database nor the server's secret makes it alone.

    `secret` keeps apart sites that had one number in turn; with `today` nothing is remembered until its epoch is destroyed.
    """
    epoch, _ = Epoch.objects.get_or_create(site_id=site, days=days, number=number)
    return key_of(epoch)


def key_of(epoch: Epoch) -> bytes:
    return server_keys.derive("pseudonym", epoch.secret)


def records_key(site: Site) -> bytes:
    """The key for hashes of records and of searches' ids. With the database alone nobody can try out names against these,
    either.

    It outlives the server's key by which it was made: else what is sent again would count again, and who was erased come back.
    """
    with contextlib.suppress(InvalidToken):  # nobody encrypted it anew
        if site.sealed_key:
            return sealer().decrypt(site.sealed_key.encode())
    return server_keys.derive("records", site.secret)


def seal(site: Site) -> None:
    """Keep the site's key for hashes, encrypted by the server's key in use."""
    Site.objects.filter(pk=site.pk).update(sealed_key=sealer().encrypt(records_key(site)).decode())


def sealer() -> MultiFernet:
    return server_keys.sealer("records")


def hash_of(kind: str, name: str, key: bytes) -> int:
    return signed(hashlib.blake2b(name.encode(), digest_size=8, key=key, person=kind.encode()).digest())


def signed(digest: bytes) -> int:
    return int.from_bytes(digest, signed=True)


def written(pseudonym: int) -> str:
    return "~" + pseudonym.to_bytes(8, signed=True).hex()


def all_of(site: Site, kind: str, name: str) -> list[int]:
    """Every pseudonym that a client or user still has with a site; one that is named by its pseudonym has that."""
    if PSEUDONYM.fullmatch(name):
        return [signed(bytes.fromhex(name[1:]))]
    return [hash_of(kind, name, key_of(epoch)) for epoch in site.epochs.all()]
