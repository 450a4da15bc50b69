"""Files, plain or compressed (gz, xz, zst), and the errors that name a file and a line."""

import gzip
import io
import lzma
import os
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO

from ireval.io.xz import Xz
from ireval.io.zst import zstd
from ireval.translatable import Phrase

MAX_PROBLEMS = 100
# A file that unpacks to more than this is no collection, but a bomb.
MAX_BYTES = 64 * 2**30
# Memory per row while a run is read, ordered and ranked.
MEMORY_A_ROW = 200
# A line of JSON may hold a whole book; a longer line means a file without lines, which would fill the memory.
LONGEST_LINE = 64 * 2**20

BINARY = Phrase("this is a binary file; expected text")
UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}


@dataclass(frozen=True, order=True)
class Problem:
    """A problem with a file or a frame. `line` counts from 1; 0 means the whole file, or a frame.

    Where the application's pages show it, `message` is a Phrase.
    """

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return str(self.phrase)

    @property
    def phrase(self) -> Phrase:
        """The problem and its place."""
        if self.line:
            return Phrase("%(file)s, line %(line)s: %(problem)s", file=self.file, line=self.line, problem=self.message)
        return Phrase("%(file)s: %(problem)s", file=self.file, problem=self.message)


# A row of a run or of qrels: line, topic, document, score or grade as it was written, and subtopic if there is one.
Row = tuple[int, str, str, str, str]


class BadInput(ValueError):
    """Input that the engine refuses; the base of all its refusals."""


class BadFile(BadInput):
    """A file or frame that cannot be read as what it should be, with its problems (at most MAX_PROBLEMS)."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = list(problems)[:MAX_PROBLEMS]
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def because(cls, file: str, message: str, line: int = 0) -> "BadFile":
        """A refusal for a single problem."""
        return cls([Problem(file, line, message)])


class IgnoredInput(UserWarning):
    """A part of a file that is read without it, such as a column; the message says where it is."""


@contextmanager
def ignored_input() -> Iterator[list[str]]:
    """Collect what IgnoredInput warns of within the block, once each; the list is filled at the block's end.

    >>> with ignored_input() as remarks:
    ...     warnings.warn("a.run, line 1: has a seventh column", IgnoredInput)
    >>> remarks
    ['a.run, line 1: has a seventh column']
    """
    remarks: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IgnoredInput)
        yield remarks
    for warning in caught:
        if not isinstance(warning.message, IgnoredInput):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif (remark := warning.message.args[0]) not in remarks:
            remarks.append(remark)


class TooMuch(BadFile):
    """A file that takes more memory or time than allowed; it must not be read again to find its problems."""


def refuse_many(rows: int, name: str, max_bytes: int) -> None:
    """Raise TooMuch for more rows than fit into `max_bytes` of memory."""
    if rows > (most := max_bytes // MEMORY_A_ROW):
        too_many = Phrase(
            "holds %(rows)s rows; at most %(most)s are accepted, as a row takes %(a_row)s bytes of the %(bytes)s that a file may "
            "have",
            rows=f"{rows:,}",
            most=f"{most:,}",
            a_row=MEMORY_A_ROW,
            bytes=f"{max_bytes:,}",
        )
        raise TooMuch.because(name, too_many)


class ProblemList:
    """The problems found while a file is read; `full` when there are MAX_PROBLEMS."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []

    def add(self, line: int, message: str) -> None:
        if not self.full:
            self.problems.append(Problem(self.file, line, message))

    @property
    def full(self) -> bool:
        return len(self.problems) >= MAX_PROBLEMS

    def raise_if_any(self) -> None:
        if self.problems:
            raise BadFile(sorted(self.problems))


# The decompressors' errors for a damaged file.
DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError)


def damaged(name: str, error: Exception) -> BadFile:
    return BadFile.because(name, Phrase("the compressed file is damaged or cut short (%(error)s)", error=str(error)))


class Limited(io.RawIOBase):
    """A stream that raises BadFile after `limit` bytes, so that a small archive cannot fill a disk."""

    def __init__(self, stream: io.BufferedIOBase, limit: int, name: str):
        self.stream, self.left, self.name, self.limit = stream, limit, name, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        try:
            length = self.stream.readinto(buffer)
        except DAMAGE as error:
            raise damaged(self.name, error) from error
        self.left -= length
        if self.left < 0:
            too_large = Phrase("unpacks to more than %(most)s bytes, the largest accepted", most=f"{self.limit:,}")
            raise BadFile.because(self.name, too_large)
        return length

    def close(self) -> None:
        self.stream.close()
        super().close()


def compression(head: bytes) -> str | None:
    """The compression that the first bytes of a file show: "gz", "xz", "zst" or None.

    >>> compression(bytes([0x1F, 0x8B, 8]))
    'gz'
    """
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


# Each stream closes its file when it is closed.
OPENERS: dict[str | None, Callable[[str | os.PathLike[str]], Any]] = {
    "gz": gzip.open,
    "xz": Xz,
    "zst": zstd.open,
    None: partial(open, mode="rb"),
}


def open_file(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> BinaryIO:
    """Open a file for reading bytes, unpacked if it is gz, xz or zst, whatever its name.

    Reading more than `max_bytes` of unpacked content, or a damaged archive, raises BadFile, which calls the file `name`. So does
    opening UTF-16.
    """
    name = name or name_of(path)
    with open(path, "rb") as file:
        kind = compression(file.read(6))
    try:
        stream = OPENERS[kind](path)
    except DAMAGE as error:
        raise damaged(name, error) from error
    reader = io.BufferedReader(Limited(stream, max_bytes, name), 2**20)
    if is_utf_16(reader.peek()[:64]):
        reader.close()
        raise BadFile.because(name, Phrase("the text is UTF-16; save the file as UTF-8"))
    return reader


def is_utf_16(head: bytes) -> bool:
    """Whether a file that begins like this is UTF-16: by its byte order mark, or since every other byte is 0.

    >>> is_utf_16("1 Q0".encode("utf-16")), is_utf_16("1 Q0".encode("utf-16-be")), is_utf_16(b"1 Q0"), is_utf_16(bytes(8))
    (True, True, False, False)
    """
    zeros = [half.count(0) == len(half) for half in (head[0::2], head[1::2])]
    return head.startswith(UTF_16_BOMS) or (len(head) > 3 and zeros.count(True) == 1)


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file in messages. BadInput for what is no path."""
    if not isinstance(path, str | os.PathLike):
        raise BadInput(f"{path!r:.50} is of type {type(path).__name__}; expected the path of a file")
    return "standard input" if str(path) == "-" else Path(path).name


@contextmanager
def local_file(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Iterator[Path]:
    """A file that can be read twice: `path` itself, or a temporary copy of standard input ("-") or of a pipe.

    Readers look at the first bytes and, when something is wrong, read the file again; a pipe allows neither.
    """
    name_of(path)
    if str(path) != "-" and not Path(path).is_fifo():
        yield Path(path)
        return
    with tempfile.NamedTemporaryFile() as copy:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as pipe:
            copy_limited(pipe, copy, max_bytes, name_of(path))
        copy.flush()
        yield Path(copy.name)


def copy_limited(source: BinaryIO, target: IO[bytes], max_bytes: int, name: str) -> None:
    while data := source.read(2**20):
        max_bytes -= len(data)
        if max_bytes < 0:
            raise BadFile.because(name, Phrase("is longer than the largest file accepted"))
        target.write(data)


def lines(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of every line of a UTF-8 file, numbered from 1, without line ends; CRLF and a BOM are fine.

    Raises BadFile at the first line that is no text (binary files), not UTF-8 (Latin-1 files), or too long.
    """
    name = name or name_of(path)
    with open_file(path, name=name, max_bytes=max_bytes) as stream:
        for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
            if len(raw) > LONGEST_LINE:
                too_long = Phrase("is longer than %(most)s bytes; expected text in lines", most=f"{LONGEST_LINE:,}")
                raise BadFile.because(name, too_long, number)
            if b"\0" in raw:
                raise BadFile.because(name, BINARY, number)
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise BadFile.because(name, not_utf_8(raw[error.start], error.start + 1), number) from error
            yield number, text.rstrip("\r\n")


def not_utf_8(byte: int, column: int) -> Phrase:
    return Phrase("byte %(byte)s in column %(column)s is not UTF-8; save the file as UTF-8", byte=f"0x{byte:02x}", column=column)
