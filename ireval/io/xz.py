"""xz files, with a limit on memory: a file itself says how much unpacking takes, up to 4 GiB.

Python's `lzma.open` takes no such limit, its decompressor does.
"""

import io
import lzma
import os

MOST_MEMORY = 128 * 2**20  # twice of what xz -9 needs
CHUNK = 2**18


class Xz(io.RawIOBase):
    """The unpacked bytes of a file. LZMAError: it is damaged or needs too much memory; EOFError: it is cut short."""

    def __init__(self, path: str | os.PathLike[str]):
        self.file = open(path, "rb")  # noqa: SIM115  closed with this
        self.begin(b"")

    def begin(self, data: bytes) -> None:
        self.unpacking, self.data = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY), data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        while not self.unpacking.eof or self.has_another():
            if self.unpacking.needs_input and not self.data and not self.more():
                raise EOFError("the last stream is incomplete")
            unpacked, self.data = self.unpacking.decompress(self.data, len(buffer)), b""
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)
        return 0

    def more(self) -> bool:
        self.data = self.file.read(CHUNK)
        return bool(self.data)

    def has_another(self) -> bool:
        """Whether another stream follows, perhaps after zeros."""
        self.data = self.unpacking.unused_data
        while not (rest := self.data.lstrip(b"\0")):
            if not self.more():
                return False
        self.begin(rest)
        return True

    def close(self) -> None:
        self.file.close()
        super().close()
