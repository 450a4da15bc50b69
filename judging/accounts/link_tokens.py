"""Tokens of links: derived from a nonce and the server's secret, so that they can be shown again and are kept as hashes alone."""

import base64
import hashlib

from judging import server_keys
from judging.models.invite import Link

TOKEN_BYTES = 16


def fresh_token() -> dict[str, str]:
    """What the row of a new link keeps of its token."""
    nonce = server_keys.new_nonce(TOKEN_BYTES)
    return {"nonce": nonce, "token_hash": token_hash(derive_token(nonce))}


def derive_token(nonce: str) -> str:
    """128 bits that only this server can make from the nonce, so that the table need not hold the token itself."""
    return base64.urlsafe_b64encode(server_keys.derive("invite", nonce, TOKEN_BYTES)).rstrip(b"=").decode()


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def token_of(link: Link) -> str | None:
    """The link's token to show to its researcher; None if the server no longer knows the secret key of then."""
    token = derive_token(link.nonce)
    return token if token_hash(token) == link.token_hash else None
