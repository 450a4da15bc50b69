"""Tags that exported records carry as event_id, so that the site that they came from knows each again as what it was."""

import hashlib
import re
from uuid import UUID

TAG = re.compile(r"~([0-9a-f]{16})([0-9a-f]{32})([0-9a-f]{16})")


def mark_of(secret: bytes) -> str:
    """Tells a site's own records from others', without telling its secret."""
    return hashlib.blake2b(key=secret, digest_size=8, person=b"site").hexdigest()


def tag_of(mark: str, identity: UUID, content: int) -> str:
    return f"~{mark}{identity.hex}{content.to_bytes(8, signed=True).hex()}"


def known_by(tag: str, mark: str) -> tuple[str, int] | None:
    """Identity and hash of the content, if the tag was made by the site of that mark."""
    match = TAG.fullmatch(tag)
    if match is None or match[1] != mark:
        return None
    return match[2], int.from_bytes(bytes.fromhex(match[3]), signed=True)
