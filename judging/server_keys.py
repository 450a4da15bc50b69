"""The server's secret key, and the keys that it had before.

SECRET_KEY signs, encrypts and derives whatever is new. What a former key made is understood as long as SECRET_KEY_FALLBACKS names
that key. Django does so for what it signs: cookies, links to new passwords, offers of items.
"""

import base64
import hashlib
import hmac
import secrets

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

NAME = 8  # characters


def all_keys() -> list[bytes]:
    """All of them, the one in use first."""
    return [key.encode() for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]


def name_of(key: bytes) -> str:
    """Tells keys apart, and not what they are."""
    return hmac.digest(key, b"name of the key", "sha256").hex()[:NAME]


def new_nonce(size: int) -> str:
    """Random text of which secrets are derived; it says by which key."""
    return f"{name_of(all_keys()[0])}.{secrets.token_urlsafe(size)}"


def key_of(nonce: str) -> bytes:
    """The key by which secrets are derived of the nonce. Nonces from before keys had names are of the oldest."""
    name, named, _ = nonce.partition(".")
    if not named:
        return all_keys()[-1]
    return next((key for key in all_keys() if name_of(key) == name), all_keys()[0])


def derive(purpose: str, nonce: str, size: int = 32) -> bytes:
    """Bytes that only this server makes of the nonce: a copy of the database alone does not give them away."""
    return hmac.digest(key_of(nonce), f"{purpose}:{nonce}".encode(), "sha256")[:size]


def sealer(purpose: str) -> MultiFernet:
    """Encrypts what has to be read again."""
    return MultiFernet([Fernet(fernet_key(purpose, key)) for key in all_keys()])


def fernet_key(purpose: str, key: bytes) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(purpose.encode() + b":" + key).digest())
