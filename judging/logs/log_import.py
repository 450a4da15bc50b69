"""Logs in files: NDJSON, OpenSearch's bulk format, one JSON array or Parquet, compressed or not; read a little at a time."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl
from django.utils import timezone

from ireval.clicks.deviations import Deviations
from ireval.clicks.ubi import sessions_in
from ireval.io.files import LONGEST_LINE, BadFile, open_file
from ireval.io.tables import is_parquet
from judging.logs.archive import bulk_loads, engine
from judging.logs.intake import Batch, receive
from judging.logs.pseudonyms import Hasher
from judging.logs.records import Reader
from judging.logs.request_bodies import is_bulk, parsed_json
from judging.models import Site

A_BATCH = 1000
# What a log does that the convention does not say is looked for in so many lines: it takes them all together.
MOST_LOOKED_AT = 200_000
A_CHUNK = 2**20
LARGEST_ITEM = 16 * 2**20
ROWS = 20_000
DECODER = json.JSONDecoder()
BETWEEN = re.compile(r"[ \t\r\n,]*")


class NumberedLine(NamedTuple):
    """A record of a file (of an array an item, of a table a row): its number from 1, and its text."""

    number: int
    text: str


@dataclass
class LogImport:
    """What became of a file's records."""

    counts: Counter[str] = field(default_factory=Counter)
    refusals: dict[str, tuple[int, int]] = field(default_factory=dict)  # how many for that reason, and the first line
    lines: int = 0
    looked_at: list[str] = field(default_factory=list)

    @property
    def records(self) -> int:
        return self.counts.total()

    def look_at(self, batch: list[NumberedLine]) -> None:
        """Keep the lines to look at, each under its number; blank ones were left out."""
        for line in batch:
            if line.number <= MOST_LOOKED_AT:
                self.looked_at += [""] * (line.number - 1 - len(self.looked_at)) + [line.text]

    def refused(self, why: str, line: int) -> None:
        count, first = self.refusals.get(why, (0, line))
        self.refusals[why] = count + 1, first

    def deviations(self) -> Deviations:
        """The deviations of the lines that were kept. Raises BadFile where these hold no searches that show something."""
        return sessions_in(pl.Series("raw", self.looked_at, dtype=pl.String), "it")[1]


def import_file(
    site: Site, path: Path, *, into_archive: bool = False, progress: Callable[[LogImport], None] = lambda _: None
) -> LogImport:
    """Send all records of a file to a site, and tell after every batch how far it is.

    They are stored a batch at a time, or as many at a time as fill files of the archive. Whatever was committed stays where it is
    interrupted or the file ends badly (BadFile): the next time, that is duplicates.
    """
    done = LogImport()
    batches = batches_of(path, done, progress)
    if into_archive:
        while load_some(site, batches, done):
            progress(done)
        return done
    for records in batches:
        receipt = receive(site, [content for _, content in records])
        done.counts.update(receipt.statuses)
        for place, why in receipt.why.items():
            done.refused(why, records[place][0])
    return done


def batches_of(path: Path, done: LogImport, progress: Callable[[LogImport], None]) -> Iterator[list[tuple[int, Any]]]:
    """Parsed records with the numbers of their lines; when the next batch is asked for, the one before was taken."""
    lines = lines_of(path)
    while batch := list(islice(lines, A_BATCH)):
        done.lines = batch[-1].number
        done.look_at(batch)
        contents = [(line.number, parsed_json(line.text)) for line in batch]
        yield [(number, content) for number, content in contents if not is_bulk(content)]
        progress(done)


def load_some(site: Site, batches: Iterator[list[tuple[int, Any]]], done: LogImport) -> bool:
    """Store as many records as go into the archive at once; False where there were none left."""
    with engine.folder() as folder:
        load, problem = bulk_loads.BulkLoad(Reader(Hasher(site, timezone.now())), folder), None
        try:
            for records in batches:
                load.add([number for number, _ in records], Batch(load.reader, [content for _, content in records]))
                if load.is_full:
                    break
        except BadFile as bad:  # further on; what was read until there is stored
            problem = bad
        bulk_loads.store(load)
    done.counts += load.counts
    for line, why in load.why:
        done.refused(why, line)
    if problem:
        raise problem
    return bool(load.counts)


def lines_of(path: Path) -> Iterator[NumberedLine]:
    if is_parquet(path):
        yield from rows_of(path)
        return
    with open_file(path) as stream:
        start = stream.peek(A_CHUNK).lstrip(codecs.BOM_UTF8 + b" \t\r\n")  # type: ignore[attr-defined]
        if b"\0" in start:
            raise BadFile.because(path.name, "this is a binary file; expected JSON in lines, a JSON array, or Parquet")
        yield from items_of(stream, path.name) if start.startswith(b"[") else text_lines(stream, path.name)


def text_lines(stream: BinaryIO, name: str) -> Iterator[NumberedLine]:
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
        if len(raw) > LONGEST_LINE:
            raise BadFile.because(name, f"is longer than {LONGEST_LINE:,} bytes; expected a record a line", number)
        if text := raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip():
            yield NumberedLine(number, text)


def items_of(stream: BinaryIO, name: str) -> Iterator[NumberedLine]:
    """The items of a JSON array, which may be larger than the memory."""
    chunks = codecs.iterdecode(iter(partial(stream.read, A_CHUNK), b""), "utf-8-sig", "replace")
    text, place, number = next(chunks).lstrip(), len("["), 0
    while True:
        place = after(BETWEEN, text, place)
        if text.startswith("]", place):
            return
        if (end := end_of_item(text, place)) is not None:
            number += 1
            yield NumberedLine(number, text[place:end])
            place = end
        elif len(text) - place <= LARGEST_ITEM and (more := next(chunks, None)):
            text, place = text[place:] + more, 0
        else:
            raise BadFile.because(name, f"the array breaks off, or is none, after {number:,} items")


def after(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def end_of_item(text: str, place: int) -> int | None:
    """The place where the item that begins there ends; None where it is cut, or is none."""
    try:
        end = DECODER.raw_decode(text, place)[1]
    except (ValueError, RecursionError):
        return None
    return end if end < len(text) or text[place] in '{["' else None


def rows_of(path: Path) -> Iterator[NumberedLine]:
    """The rows of a table as JSON texts, without their empty cells."""
    try:
        scan = pl.scan_parquet(path, glob=False)
        for start in range(0, scan.select(pl.len()).collect().item(), ROWS):
            frame = scan.slice(start, ROWS).collect()
            moments = [column for column, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
            frame = frame.with_columns(pl.col(column).dt.to_string("iso:strict") for column in moments)
            texts = frame.select(pl.struct(pl.all()).struct.json_encode().alias("row"))["row"]
            yield from (
                NumberedLine(number, json.dumps(filled(json.loads(text)))) for number, text in enumerate(texts, start + 1)
            )
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(path.name, f"the Parquet file is damaged ({error})") from error


def filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: filled(within) for name, within in value.items() if within is not None}
    return [filled(entry) for entry in value] if isinstance(value, list) else value
