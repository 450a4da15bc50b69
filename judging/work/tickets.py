"""What a worker's pages call an item: the same each time for this worker, and telling nothing.

The items' own keys would tell: gold is made after the pool, so its keys are higher than all others.
"""

import base64
import binascii
import hashlib
from functools import lru_cache

from django.conf import settings

from judging.models import Worker

HALF = 4  # bytes; keys are 64 bits long
ROUNDS = 4  # of keyed random functions make a permutation that nobody tells from a random one (Luby and Rackoff 1988)


def ticket(worker: Worker, item: int) -> str:
    left, right = divmod(item, 2 ** (8 * HALF))
    key = key_of(worker.key.bytes)
    for number in range(ROUNDS):
        left, right = right, left ^ mixed(key, number, right)
    return base64.urlsafe_b64encode(joined(left, right)).rstrip(b"=").decode()


def item_of(worker: Worker, text: str) -> int | None:
    """The key of the item that this worker's pages call so, if they call one so."""
    try:
        both = base64.urlsafe_b64decode(text.encode() + b"=")
    except (ValueError, binascii.Error):
        return None
    if len(both) != 2 * HALF or not text.isascii() or len(text) != 11:
        return None
    left, right = int.from_bytes(both[:HALF]), int.from_bytes(both[HALF:])
    key = key_of(worker.key.bytes)
    for number in reversed(range(ROUNDS)):
        left, right = right ^ mixed(key, number, left), left
    item = left * 2 ** (8 * HALF) + right
    return item if 0 < item < 2**63 else None


@lru_cache(maxsize=1024)
def key_of(worker: bytes) -> bytes:
    return hashlib.blake2b(b"ticket" + worker, key=settings.SECRET_KEY.encode()[:64], digest_size=32).digest()


def mixed(key: bytes, number: int, half: int) -> int:
    return int.from_bytes(hashlib.blake2b(bytes([number]) + half.to_bytes(HALF), key=key, digest_size=HALF).digest())


def joined(left: int, right: int) -> bytes:
    return left.to_bytes(HALF) + right.to_bytes(HALF)
