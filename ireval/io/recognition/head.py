"""The beginning of a file: unpacked, told from what is no text, cut into whole lines."""

import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from ireval.io.files import DAMAGE, compression, is_utf_16
from ireval.io.xz import MOST_MEMORY
from ireval.io.zst import zstd
from ireval.translatable import Phrase

LENGTH = 2**16
ZIPPED = b"PK\x03\x04"  # what each file in a zip archive begins with
FOREIGN = {
    ZIPPED: Phrase("a zip archive: unpack it, or compress the one file as gz, xz or zst"),
    b"BZh": Phrase("a bzip2 file: compress it as gz, xz or zst"),
    b"\x04\x22\x4d\x18": Phrase("an lz4 file: compress it as gz, xz or zst"),
    b"7z\xbc\xaf\x27\x1c": Phrase("a 7z archive: unpack it, or compress the one file as gz, xz or zst"),
    b"%PDF": Phrase("a PDF file, whose text is not read"),
    b"SQLite format 3": Phrase("a SQLite database"),
}
IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
NAME = 30  # bytes before the name of a file in a zip archive, of which two say how long that is
NAME_LENGTH = slice(26, 28)
NOT_OF_OURS = ("__MACOSX/", "Thumbs.db", ".DS_Store")  # what computers put beside files
TAR = slice(257, 262)


class NoText(Exception):
    """The file begins with something that is no text; `what` says what it is."""

    def __init__(self, what: Phrase):
        super().__init__(what)
        self.what = what


@dataclass(frozen=True)
class Head:
    """The first `LENGTH` bytes of a file, unpacked. `whole` if that is all of it."""

    content: bytes
    compressed: str | None
    whole: bool

    def lines(self) -> list[str]:
        """The lines that are whole. A file of one long line has its beginning."""
        text = self.content.decode("utf-8-sig", errors="replace")
        lines = re.split(r"\r?\n", text)
        return lines if self.whole or len(lines) == 1 else lines[:-1]


def head_of(data: bytes) -> Head:
    """The head of a file that begins with `data`. Raises NoText where its archive cannot be opened."""
    kind = compression(data)
    try:
        content = unpacked(data, kind)
    except DAMAGE as error:
        raise NoText(Phrase("a damaged %(kind)s file (%(error)s)", kind=kind, error=str(error))) from error
    return Head(content[:LENGTH], kind, len(content) <= LENGTH and (kind is not None or len(data) <= LENGTH))


def unpacked(data: bytes, kind: str | None) -> bytes:
    """The first bytes, a little more than LENGTH where there are more."""
    most = LENGTH + 1
    match kind:
        case "gz":
            return zlib.decompressobj(wbits=31).decompress(data, most)
        case "xz":
            return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY).decompress(data, most)
        case "zst":
            return zstd.ZstdDecompressor().decompress(data, most)
    return data[:most]


def is_image(content: bytes) -> bool:
    """Whether it is an image, or a zip archive whose first file is one."""
    webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return content.startswith(IMAGES) or webp or first_file(content).lower().endswith(ENDINGS)


def first_file(archive: bytes) -> str:
    """The name of the first file in a zip archive that somebody put there, or "": folders are no files."""
    names = (name for name in names_in(archive) if not name.endswith("/") and not is_of_the_computer(name))
    return next(names, "")


def names_in(archive: bytes) -> Iterator[str]:
    """The names in the beginning of a zip archive. Not every archive says there how long a file is: the next one is sought."""
    place = 0 if archive.startswith(ZIPPED) else -1
    while place >= 0:
        header = archive[place : place + NAME]
        end = place + NAME + int.from_bytes(header[NAME_LENGTH], "little")
        yield archive[place + NAME : end].decode(errors="replace")
        place = archive.find(ZIPPED, end)


def is_of_the_computer(name: str) -> bool:
    """Whether a file in an archive was put there by a computer, not by somebody.

    >>> is_of_the_computer("__MACOSX/._owl.png"), is_of_the_computer("images/.DS_Store"), is_of_the_computer("images/owl.png")
    (True, True, False)
    """
    last = name.rsplit("/", 1)[-1]
    return name.startswith(NOT_OF_OURS[0]) or last in NOT_OF_OURS or last.startswith("._")


def refuse_what_is_no_text(content: bytes) -> None:
    """Raise NoText with the words for what a file is that begins with `content`."""
    if not content.strip():
        raise NoText(Phrase("an empty file"))
    for magic, what in FOREIGN.items():
        if content.startswith(magic):
            raise NoText(what)
    if content[TAR] == b"ustar":
        raise NoText(Phrase("a tar archive: unpack it, or compress the one file as gz, xz or zst"))
    if is_utf_16(content[:64]):
        raise NoText(Phrase("a text in UTF-16: save it as UTF-8"))
    if content.count(b"\0") > len(content) // 1000:
        raise NoText(Phrase("a binary file"))
