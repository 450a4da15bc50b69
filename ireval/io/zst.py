"""zst files, checked for completeness first, since the decompressor does not notice a truncated file."""

import os
from pathlib import Path
from typing import BinaryIO

import zstandard

LONGEST_HEADER = 18
SKIPPABLE = b"\x2a\x4d\x18"  # after one byte 0x50–0x5f; RFC 8878, 3.1.2
ONE_BYTE_REPEATED = 1


def open_zst(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a zst file for reading its unpacked bytes; EOFError if it is cut short, ZstdError if it is damaged."""
    with open(path, "rb") as file:
        while (start := file.tell()) < Path(path).stat().st_size:
            skip_frame(file, start)
        if file.tell() > Path(path).stat().st_size:
            raise EOFError("the last frame is incomplete")
    return zstandard.ZstdDecompressor().stream_reader(open(path, "rb"), read_across_frames=True, closefd=True)


def skip_frame(file: BinaryIO, start: int) -> None:
    """Move from a frame's first byte past its last, by its block headers alone (RFC 8878, 3.1.1)."""
    head = file.read(LONGEST_HEADER)
    if head[1:4] == SKIPPABLE:
        file.seek(start + 8 + int.from_bytes(head[4:8], "little"))
        return
    file.seek(start + zstandard.frame_header_size(head))
    last = 0
    while not last:
        header = file.read(3)
        if len(header) < 3:
            raise EOFError("the last frame is incomplete")
        bits = int.from_bytes(header, "little")
        last, kind, size = bits & 1, bits >> 1 & 3, bits >> 3
        file.seek(1 if kind == ONE_BYTE_REPEATED else size, os.SEEK_CUR)
    if zstandard.get_frame_parameters(head).has_checksum:
        file.seek(4, os.SEEK_CUR)
