"""Loads what was read from files straight into the archive: a long log need not lie in the tables for a week first.

A load of records is read into chunks on disk. Then one transaction notes all of them in Seen, writes files of those that were
new, and names the files. All of it is there, or nothing.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from judging.logs.archive import engine, files, moves
from judging.logs.archive.layout import COLUMNS, select_made
from judging.logs.inserts import contents_of, note_seen
from judging.logs.intake import ACCEPTED, CONFLICT, DUPLICATE, SAME_ID, Batch
from judging.logs.moments import micros
from judging.logs.quarantine import Suspect, keep
from judging.logs.records import EventRow, QueryRow, Reader, Row
from judging.logs.request_bodies import parsed_json
from judging.models import ArchiveFile, Site

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# So many records are stored at once. On SQLite everybody who writes waits for it.
MOST = {"postgresql": 1_000_000, "sqlite": 100_000}
A_CHUNK = 20_000
KINDS: dict[str, type[Row]] = {ArchiveFile.Kind.QUERIES: QueryRow, ArchiveFile.Kind.EVENTS: EventRow}
# Records are noted as they come, a chunk at a time. Two loads that bring some of the same in different orders may wait for each
# other. PostgreSQL stops one of them.
DEADLOCK, TRIES = "40P01", 5
NUMBERS = ("content", "query", "client", "person", "session", "agent", "ordinal", "time")
ATTRIBUTES = ", CAST(raw::JSON -> 'query_attributes' AS VARCHAR) AS attributes"

log = logging.getLogger(__name__)


class SiteIsGone(RuntimeError):
    pass


@dataclass
class BulkLoad:
    """Records of a file that were read and are not stored yet; `why` says of each line that will not be, and why.
    `received` is when they began to be stored, and `made` are files of theirs that nothing names yet."""

    reader: Reader
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)
    why: list[tuple[int, str]] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    rows: dict[str, list[tuple[int, Row]]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    chunks: dict[str, list[Path]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    numbers: Iterator[int] = field(default_factory=count)
    received: datetime = field(init=False)
    made: list[ArchiveFile] = field(default_factory=list)

    def add(self, lines: list[int], batch: Batch) -> None:
        """Keep what a batch of records, of these lines, has to be stored."""
        self.counts.update(status for status in batch.statuses if status != ACCEPTED)
        self.why += [(lines[place], why) for place, why in batch.why.items()]
        self.suspects += batch.suspects
        for place, row in batch.rows.values():
            self.rows[ArchiveFile.Kind.QUERIES if isinstance(row, QueryRow) else ArchiveFile.Kind.EVENTS].append(
                (lines[place], row)
            )
        for kind, rows in self.rows.items():
            if len(rows) >= A_CHUNK:
                self.spool(kind)

    def spool(self, kind: str) -> None:
        rows = self.rows[kind]
        columns = dict(zip(KINDS[kind]._fields, zip(*(row for _, row in rows), strict=True), strict=True))
        columns["time"] = tuple(map(micros, columns["time"]))
        types: dict[str, type[pl.DataType]] = {name: pl.Int64 if name in NUMBERS else pl.String for name in columns}
        frame = pl.DataFrame(columns, schema={**types, **({"value": pl.Float64} if "value" in types else {})})
        path = self.folder / f"chunk-{next(self.numbers)}"
        frame.with_columns(line=pl.Series([line for line, _ in rows], dtype=pl.Int64)).write_parquet(path, compression="lz4")
        self.chunks[kind].append(path)
        rows.clear()

    @property
    def is_full(self) -> bool:
        return A_CHUNK * sum(map(len, self.chunks.values())) >= MOST[connection.vendor] or len(self.suspects) >= A_CHUNK

    def settle(self, kind: str) -> list[int]:
        """Note the records of a kind in Seen, and tell the lines of those that were there before.

        It goes by the order of their identities, over all chunks. An index that has outgrown memory is then read once, from one
        end to the other, and two loads do not wait for each other.
        """
        named = [pl.read_parquet(chunk, columns=["identity", "content", "line"]) for chunk in self.chunks[kind]]
        stale: list[int] = []
        conflicts: list[int] = []
        for known in pl.concat(named).sort("identity", "line").iter_slices(A_CHUNK):
            old = self.settle_some(known)
            contents = contents_of(old["identity"].to_list()) if len(old) else {}
            conflicts += [line for identity, content, line in old.rows() if contents[identity] != content]
            stale += old["line"].to_list()
        self.counts.update({DUPLICATE: len(stale) - len(conflicts), CONFLICT: len(conflicts)})
        self.why += [(line, SAME_ID) for line in sorted(conflicts)]
        keep(self.reader, suspects_in(self.chunks[kind], conflicts) if conflicts else [])
        return stale

    def settle_some(self, known: pl.DataFrame) -> pl.DataFrame:
        """Note some, and give those that were there before."""
        there = note_seen(self.reader.hasher.site.pk, known["identity"].to_list(), known["content"].to_list(), self.received)
        is_new = known["identity"].is_first_distinct() & ~known["identity"].is_in(list(there))
        self.counts[ACCEPTED] += int(is_new.sum())
        return known.filter(~is_new)


def suspects_in(chunks: Sequence[Path], lines: Sequence[int]) -> list[Suspect]:
    raw = pl.scan_parquet([*chunks]).filter(pl.col("line").is_in(lines)).sort("line").select("raw").collect()["raw"]
    return [Suspect(CONFLICT, SAME_ID, parsed_json(text), None) for text in raw]


def store(load: BulkLoad) -> None:
    """Keep what was new of a load in files of the archive; from the start again where it and another waited for each other."""
    told = Counter(load.counts), [*load.why]
    for left in reversed(range(TRIES)):
        try:
            return store_once(load)
        except OperationalError as error:
            if not left or getattr(error.__cause__, "sqlstate", None) != DEADLOCK:
                raise
            log.info("a load into the archive begins again: the database stopped it in favour of another")
        files.forget([str(file.file.name) for file in load.made])
        load.counts, load.why, load.made = Counter(told[0]), [*told[1]], []


@transaction.atomic(durable=True)
def store_once(load: BulkLoad) -> None:
    site, load.received = load.reader.hasher.site, timezone.now()
    for kind in KINDS:
        if load.rows[kind]:
            load.spool(kind)
    with engine.database(load.folder) as db:
        for kind, chunks in load.chunks.items():
            if chunks:
                write(db, kind, chunks, load.settle(kind), load)
    keep(load.reader, load.suspects)
    # Who deletes a site drops the files that are named by then. So it waits for these, or it is over and has left no site.
    files.hold(site.pk, wait=True)
    if not Site.objects.filter(pk=site.pk).exists():
        raise SiteIsGone(f"{site} was deleted meanwhile.")
    # Last, so that they are younger than a report that was asked for in the meantime and has not read them.
    now = timezone.now()
    for file in load.made:
        file.loaded = now
    ArchiveFile.objects.bulk_create(load.made)


def write(db: "DuckDBPyConnection", kind: str, chunks: Iterable[Path], stale: list[int], load: BulkLoad) -> None:
    """Files of the records in chunks but for the stale lines."""
    left_out = load.folder / f"{kind}-stale"
    pl.DataFrame({"line": stale}, schema={"line": pl.Int64}).write_parquet(left_out)
    made = ATTRIBUTES if kind == ArchiveFile.Kind.QUERIES else ""
    source = (
        f"(SELECT *, {micros(load.received)} AS received{made} FROM {engine.parquet(chunks)}"  # noqa: S608
        f" WHERE line NOT IN (SELECT line FROM {engine.parquet([left_out])}))"
    )
    ((rows,),) = db.execute(f"SELECT count(*) FROM {source}").fetchall()  # noqa: S608  texts of ours
    select = select_made(kind, COLUMNS[kind], source)
    site, buckets = load.reader.hasher.site.pk, moves.buckets_for(rows)
    moves.write_buckets(db, select, load.folder, site=site, kind=kind, buckets=buckets, store=partial(files.add, load.made))
