"""The types of files that people add for others to look at, by their bytes: what a name says proves nothing."""

from typing import NamedTuple


class FileType(NamedTuple):
    content_type: str
    is_image: bool


FILE_TYPES = {
    "png": FileType("image/png", True),
    "jpeg": FileType("image/jpeg", True),
    "webp": FileType("image/webp", True),
    "gif": FileType("image/gif", True),
    "pdf": FileType("application/pdf", False),
    "txt": FileType("text/plain; charset=utf-8", False),
}
BEGINNINGS = [
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"%PDF-", "pdf"),
]
CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\f\r")


def kind_of(content: bytes) -> str:
    """One of FILE_TYPES; empty for anything else, such as SVG or HTML, in which scripts can be.

    >>> kind_of(b"GIF89a..."), kind_of("Più gufi".encode()), kind_of(b"<svg onload='x()'/>"), kind_of(b"PK\\x03\\x04")
    ('gif', 'txt', '', '')
    """
    for beginning, kind in BEGINNINGS:
        if content.startswith(beginning):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return "txt" if is_plain_text(content) else ""


def is_plain_text(content: bytes) -> bool:
    """UTF-8 without control characters. Markup is no plain text: somebody may open what they have downloaded."""
    if not CONTROLS.isdisjoint(content) or content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return bool(content.strip())
