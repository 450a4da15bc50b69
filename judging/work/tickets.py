"""Tickets, by which a worker's pages name an item: the same each time for this worker, and telling nothing.

The items' own keys would tell: gold is made after the pool, so its keys are higher than all others. A ticket is one block of AES,
whose second half proves on the way back that this worker's pages made it.
"""

import base64
import hashlib
from functools import lru_cache

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import ECB

from judging import server_keys
from judging.models import Worker

HALF = 8  # bytes: an item's key, and as many zeros
ZEROS = bytes(HALF)
LENGTH = 22  # characters in base 64


def ticket(worker: Worker, item: int) -> str:
    return sealed(worker.key.bytes, server_keys.all_keys()[0], item)


@lru_cache(maxsize=1024)
def sealed(worker: bytes, server_key: bytes, item: int) -> str:
    """A page names its item several times."""
    block = cipher_of(worker, server_key).encryptor().update(item.to_bytes(HALF) + ZEROS)
    return base64.urlsafe_b64encode(block).rstrip(b"=").decode()


def item_of(worker: Worker, text: str) -> int | None:
    """The key of the item that this worker's pages call so; None for what they call nothing."""
    if len(text) != LENGTH or not text.isascii():
        return None
    try:
        sealed = base64.b64decode(text + "==", altchars=b"-_", validate=True)
    except ValueError:
        return None
    for key in server_keys.all_keys():
        block = cipher_of(worker.key.bytes, key).decryptor().update(sealed)
        item = int.from_bytes(block[:HALF])
        if block[HALF:] == ZEROS and 0 < item < 2**63:
            return item
    return None


@lru_cache(maxsize=1024)
def cipher_of(worker: bytes, server_key: bytes) -> Cipher:
    """The worker's own. A single block under a mode without a vector is what is meant: the same item has one name."""
    key = hashlib.blake2b(b"ticket" + worker, key=server_key[:64], digest_size=32).digest()
    return Cipher(AES256(key), ECB())  # noqa: S305
