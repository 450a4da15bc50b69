"""Text files in columns, as TREC defined them: read by polars; if a file is wrong, its problems are found line by line."""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.io.files import BINARY, MAX_BYTES, BadFile, IgnoredInput, Problem, ProblemList, Row, lines, open_file, refuse_many
from ireval.io.first_lines import FirstLines
from ireval.translatable import Phrase, joined

# Large enough for polars to parse at full speed, small enough to stay in the processor's cache.
BLOCK_BYTES = 4 * 2**20
LONGEST_LINE = 2**20
BOM = b"\xef\xbb\xbf"
# The characters of C's isspace, at which trec_eval splits columns; str.split would also split at a no-break space.
TO_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
COLUMN = re.compile(r"[^ \t\r\v\f]+")

RETURNS_ALONE = Phrase("has lines that end with CR alone; save it with LF or CRLF")

# Odd, so that multiplying by it loses no bits; without it a topic and a document of the same name would cancel out.
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)

# Together they are unique; most frames have no subtopics.
IDS = ("topic", "subtopic", "docno")

# From a value to what is wrong with it ("…; expected a number"), or None.
Check = Callable[[str], Phrase | None]


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of file. `kept` are read, with their types; `check` checks the text of the column `checked`.

    `surplus` matches a single-spaced line with more columns than usual; its first group is the part to read. `subtopic` is the
    column that distinguishes two rows of one document. `unread` is a column that may hold anything, and its usual type; another
    value there, and a surplus, are worth a warning.
    """

    what: Phrase
    columns: tuple[str, ...]
    kept: dict[str, type[pl.DataType]]
    checked: str
    check: Check
    surplus: re.Pattern[bytes] | None = None
    subtopic: str = ""
    unread: tuple[str, type[pl.DataType]] | None = None

    @cached_property
    def strict(self) -> "Layout | None":
        """The layout of a file that is worth no warning; None if every file of this layout is."""
        if self.unread is None:
            return None
        column, kind = self.unread
        return replace(self, kept={**self.kept, column: kind}, surplus=None, unread=None)

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        return {column: self.kept.get(column, pl.String) for column in self.columns}

    @property
    def expected(self) -> Phrase:
        return columns_of(self.columns, " ")


def read_blocks(path: str | os.PathLike[str], layout: Layout, *, name: str, max_bytes: int = MAX_BYTES) -> Iterator[pl.DataFrame]:
    """Yield the kept columns of a file, about 100,000 rows at a time.

    Raises BadFile with up to MAX_PROBLEMS problems when a line does not fit the layout.
    """
    has_rows, usual = False, layout.strict
    with open_file(path, name=name, max_bytes=max_bytes) as stream:
        for text in whole_lines(stream, name):
            frame = parse(text, usual or layout)
            if frame is None and holds_returns_alone(text, layout):
                raise BadFile.because(name, RETURNS_ALONE)
            if frame is None and usual:
                usual, frame = None, parse(text, layout)
                if frame is not None:
                    warn_of_unread(path, layout, name=name, max_bytes=max_bytes)
            if frame is None:
                raise explain(path, layout, name=name, max_bytes=max_bytes)
            if len(frame):
                has_rows = True
                yield frame.select(list(layout.kept))
    if not has_rows:
        empty = Phrase("holds no %(rows)s; expected lines of %(expected)s", rows=layout.what, expected=layout.expected)
        raise BadFile.because(name, empty)


def holds_returns_alone(text: bytes, layout: Layout) -> bool:
    """Whether a text without line feeds is several lines with carriage returns between them.

    A carriage return is a blank, too, so that all but the first would be taken for the surplus of one line.
    """
    if b"\n" in text.rstrip():
        return False
    return sum(len(line.split()) >= len(layout.columns) for line in text.split(b"\r")) > 1


def warn_of_unread(path: str | os.PathLike[str], layout: Layout, *, name: str, max_bytes: int) -> None:
    """Warn of what is unusual in the first line that has a surplus, or another value than usual in the unread column."""
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        if remarks := list(unread_in(COLUMN.findall(line), layout)):
            warnings.warn(Problem(name, number, joined(remarks)).phrase, IgnoredInput, stacklevel=2)
            return


def unread_in(values: list[str], layout: Layout) -> Iterator[Phrase]:
    """What is unusual in a line's columns and not read."""
    column = layout.unread[0] if layout.unread else ""
    if not values or values[0].startswith("#") or column not in layout.columns:
        return
    place = layout.columns.index(column)
    if not (values[place].isascii() and values[place].isdigit()):
        yield Phrase(
            'column %(place)s (%(column)s) is "%(text)s"; it is ignored, as in trec_eval, and scores give the order',
            place=place + 1,
            column=column,
            text=values[place],
        )
    if len(values) > len(layout.columns):
        yield Phrase(
            "has %(n)s columns; those after column %(place)s (%(column)s) are ignored",
            n=len(values),
            place=len(layout.columns),
            column=layout.columns[-1],
        )


def distinct_blocks(
    path: str | os.PathLike[str], layout: Layout, *, name: str, max_bytes: int = MAX_BYTES
) -> Iterator[pl.DataFrame]:
    """read_blocks for a caller that concatenates the blocks: a block that repeats rows is refused before it fills the memory.

    A small archive of one line a billion times has more rows than fit into memory. The caller must find repetitions between
    blocks.
    """
    for frame in read_blocks(path, layout, name=name, max_bytes=max_bytes):
        if has_duplicates(frame):
            raise explain(path, layout, name=name, max_bytes=max_bytes)
        yield frame


def bounded(frames: Iterable[pl.DataFrame], *, name: str, max_bytes: int) -> Iterator[pl.DataFrame]:
    """Yield frames for a caller that concatenates them; raises TooMuch when their rows no longer fit into memory."""
    rows = 0
    for frame in frames:
        rows += len(frame)
        refuse_many(rows, name, max_bytes)
        yield frame


def whole_lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield a stream's content in blocks of whole lines, without a byte order mark."""
    rest = b""
    first = True
    while data := stream.read(BLOCK_BYTES):
        if first:
            data, first = data.removeprefix(BOM), False
        if b"\0" in data:
            raise BadFile.because(name, BINARY)
        end = data.rfind(b"\n") + 1
        if end == 0 and len(rest) + len(data) > LONGEST_LINE:
            too_long = Phrase("has a line of more than %(most)s bytes; expected text in lines", most=f"{LONGEST_LINE:,}")
            raise BadFile.because(name, RETURNS_ALONE if b"\r" in data else too_long)
        if end:
            yield rest + data[:end]
            rest = data[end:]
        else:
            rest += data
    if rest:
        yield rest + b"\n"


def parse(block: bytes, layout: Layout) -> pl.DataFrame | None:
    """The kept columns of a block of lines, or None if any line does not fit.

    Most files have one blank or tab between columns; others are tidied first, which takes longer than parsing.
    """
    if any(blank in block for blank in (b"\t", b"\r", b"\v", b"\f")):
        block = block.replace(b"\r\n", b"\n").translate(TO_BLANKS)
    frame = None if holds_pair(block, b"  ") else parse_tidy(block, layout)
    if frame is None:
        block = single_spaced(block)
        frame = parse_tidy(block, layout)
    if frame is None and layout.surplus:
        frame = parse_tidy(layout.surplus.sub(rb"\1", block), layout)
    return frame


def parse_tidy(text: bytes, layout: Layout) -> pl.DataFrame | None:
    if not text:
        return pl.DataFrame(schema=layout.kept)
    try:
        frame = pl.read_csv(
            text,
            separator=" ",
            has_header=False,
            schema=layout.schema,
            columns=[layout.columns.index(column) for column in {**layout.kept, layout.columns[-1]: None}],
            quote_char=None,
        )
    except pl.exceptions.PolarsError:
        return None
    return frame.select(list(layout.kept)) if fits(text, frame, layout) else None


def fits(text: bytes, frame: pl.DataFrame, layout: Layout) -> bool:
    """Whether every line had exactly the columns: polars drops surplus columns and fills missing ones."""
    if any(column.null_count() for column in frame) or len(frame) != count(text, b"\n"):
        return False
    if count(text, b" ") != len(frame) * (len(layout.columns) - 1):
        return False
    checked = frame[layout.checked]
    finite = bool(checked.is_finite().all()) if checked.dtype.is_float() else True
    return finite and not (b"#" in text and b"\n#" in b"\n" + text)  # to find one byte is many times as fast as two


def count(text: bytes, character: bytes) -> int:
    """`text.count(character)`, six times as fast."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(character)))


def holds_pair(block: bytes, pair: bytes) -> bool:
    """`pair in block` for two bytes, six times as fast: bytes are compared two at a time, at both alignments."""
    wanted = int.from_bytes(pair, "little")
    return any((np.frombuffer(block, "<u2", (len(block) - start) // 2, start) == wanted).any() for start in (0, 1))


def single_spaced(block: bytes) -> bytes:
    """Lines with one blank between columns and none around them, without empty lines and comments (# at the start)."""
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = b"\n" + block
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n")
    if b"\n#" in block:
        block = re.sub(rb"\n#[^\n]*", b"", block)
    while b"\n\n" in block:
        block = block.replace(b"\n\n", b"\n")
    return block[1:]


def split(line: str, layout: Layout) -> list[str]:
    """The columns of a line, without any surplus that the layout allows."""
    values = COLUMN.findall(line)
    if layout.surplus and len(values) > len(layout.columns):
        tidy = " ".join(values).encode()
        return layout.surplus.sub(rb"\1", tidy).decode().split(" ")
    return values


def column_rows(
    path: str | os.PathLike[str], layout: Layout, *, name: str, max_bytes: int = MAX_BYTES
) -> Iterator[Row | Problem]:
    """Yield every line of a file as it was written, or what is wrong with its columns; the checked value is not checked."""
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        values = split(line, layout)
        if not values or values[0].startswith("#"):
            continue
        if len(values) == len(layout.columns):
            row = dict(zip(layout.columns, values, strict=True))
            yield number, row["topic"], row["docno"], row[layout.checked], row.get(layout.subtopic, "")
        else:
            yield Problem(name, number, wrong_number(layout.expected, len(values)))


def explain(path: str | os.PathLike[str], layout: Layout, *, name: str, max_bytes: int = MAX_BYTES) -> BadFile:
    """Read a bad file line by line; returns a BadFile with everything that is wrong with it."""
    problems = ProblemList(name)
    position = layout.columns.index(layout.checked) + 1
    first_lines = FirstLines()
    try:
        for row in column_rows(path, layout, name=name, max_bytes=max_bytes):
            if isinstance(row, Problem):
                problems.add(row.line, row.message)
            else:
                number, topic, docno, value, subtopic = row
                if complaint := layout.check(value):
                    named = Phrase("column %(place)s (%(column)s)", place=position, column=layout.checked)
                    problems.add(number, of_column(named, complaint))
                if first := first_lines.first_line((topic, subtopic, docno), number):
                    problems.add(number, repeated((topic, docno), first))
            if problems.full:
                break
    except BadFile as unreadable:
        problems.problems.extend(unreadable.problems)
    if not problems.problems:
        problems.add(0, Phrase("cannot be read; expected lines of %(expected)s", expected=layout.expected))
    return BadFile(sorted(problems.problems))


def columns_of(names: Sequence[str], separator: str = ", ") -> Phrase:
    return Phrase("%(n)s columns (%(columns)s)", n=len(names), columns=separator.join(names))


def wrong_number(expected: Phrase, width: int) -> Phrase:
    return Phrase("expected %(columns)s, found %(found)s", columns=expected, found=width)


def of_column(column: Phrase, complaint: Phrase | None) -> Phrase:
    return Phrase("%(column)s %(complaint)s", column=column, complaint=complaint)


def repeated(pair: tuple[str, str], first_line: int) -> Phrase:
    topic, docno = pair
    return Phrase(
        "document %(docno)s of topic %(topic)s again; it is on line %(line)s already", docno=docno, topic=topic, line=first_line
    )


def has_duplicates(frame: pl.DataFrame) -> bool:
    """Whether a document is repeated in a topic or subtopic.

    Hashes rule it out fast; strings are compared only if two hashes are equal.
    """
    key = ids_of(frame)
    few = pl.Series(hashes_of(frame, key)).n_unique() < len(frame)
    return few and frame.select(pl.struct(key).n_unique()).item() < len(frame)


def hashes_of(frame: pl.DataFrame, columns: list[str]) -> NDArray[np.uint64]:
    """A hash of each row's texts, (N,); equal texts have equal hashes in all frames."""
    hashes = frame[columns[0]].hash().to_numpy()
    for column in columns[1:]:
        hashes = hashes * HASH_FACTOR ^ frame[column].hash().to_numpy()
    return hashes


def ids_of(frame: pl.DataFrame) -> list[str]:
    return [column for column in IDS if column in frame.columns]
