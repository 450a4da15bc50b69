"""Text files as numbered lines: bounded in length, checked for being UTF-8 text, never held whole."""

import os
from collections.abc import Iterator
from io import BufferedReader
from typing import BinaryIO, cast

from ireval.io.files import BINARY, BadFile, ProblemList, not_utf_8, open_file
from ireval.translatable import Phrase

# A line, and a document, longer than this is a file without line ends or tags that were never closed.
MAX_LENGTH = 8 * 2**20
HEAD = 2**16
STRAY_NULS = 8

Lines = Iterator[tuple[int, str]]

FOREIGN = {
    b"PK\x03\x04": Phrase("this is a zip archive; unpack it, or compress the one file as gz, xz or zst"),
    b"BZh": Phrase("this is a bzip2 file; compress it as gz, xz or zst"),
    b"PAR1": Phrase("this is a Parquet file; expected text"),
    b"%PDF": Phrase("this is a PDF file; expected text"),
}


def text_lines(path: str | os.PathLike[str], *, max_bytes: int, problems: ProblemList) -> Lines:
    """Yield (number, text) of every line, numbered from 1, without line ends; CRLF and a byte order mark are fine.

    A line that is not UTF-8 or holds NUL characters is a problem and is still given, with those characters replaced.
    Raises BadFile where reading on is useless: no text at all, a damaged archive, more than `max_bytes`, an endless line.
    """
    with open_text(path, max_bytes=max_bytes, name=problems.file) as stream:
        refuse_binary(head_of(stream), problems.file)
        for number, raw in enumerate(iter(lambda: stream.readline(MAX_LENGTH + 1), b""), start=1):
            if len(raw) > MAX_LENGTH:
                too_long = Phrase("the line is longer than %(most)s bytes, the longest accepted", most=f"{MAX_LENGTH:,}")
                raise BadFile.because(problems.file, too_long, number)
            yield number, decoded_line(raw, number, problems).rstrip("\r\n")


def read_head(path: str | os.PathLike[str], *, name: str) -> str:
    """The beginning of a file as text, for guessing its format; raises BadFile for what is no text."""
    with open_text(path, max_bytes=MAX_LENGTH, name=name) as stream:
        head = head_of(stream)
    refuse_binary(head, name)
    return head.decode("utf-8-sig", errors="replace")


def open_text(path: str | os.PathLike[str], *, max_bytes: int, name: str) -> BinaryIO:
    try:
        return open_file(path, name=name, max_bytes=max_bytes)
    except OSError as error:
        raise BadFile.because(name, Phrase("cannot be opened: %(error)s", error=error.strerror or str(error))) from error


def head_of(stream: BinaryIO) -> bytes:
    return cast(BufferedReader, stream).peek(HEAD)[:HEAD]


def refuse_binary(head: bytes, name: str) -> None:
    for magic, message in FOREIGN.items():
        if head.startswith(magic):
            raise BadFile.because(name, message)
    nuls = head.count(b"\0")
    if nuls > STRAY_NULS or (nuls and not is_utf8(head)):
        raise BadFile.because(name, BINARY)


def is_utf8(head: bytes) -> bool:
    """Whether the beginning of a file is UTF-8; its last character may have been cut."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def decoded_line(raw: bytes, number: int, problems: ProblemList) -> str:
    if b"\0" in raw:
        problems.add(number, Phrase("NUL character in column %(column)s; remove it", column=raw.index(0) + 1))
        raw = raw.replace(b"\0", b"")
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode("utf-8", errors="replace")) + 1
        problems.add(number, not_utf_8(raw[error.start], column))
        return raw.decode("utf-8", errors="replace")
