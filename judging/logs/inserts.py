"""The SQL that stores records. Each passes Seen, in the statement that stores it or just before, so that it counts once.

`bulk_create` makes a model of every row and was three times slower than these.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from judging.logs.moments import as_text
from judging.logs.records import EventRow, QueryRow, Row
from judging.models import Seen

COMMON = ("identity", "content", "time", "query", "client", "person", "session", "agent", "raw")
OF_A_QUERY = (*COMMON, "text", "hits", "arms")
OF_AN_EVENT = (*COMMON, "action", "object", "ordinal", "value")
TYPES = {
    "identity": "uuid",
    "content": "bigint",
    "time": "timestamptz",
    "query": "bigint",
    "client": "bigint",
    "person": "bigint",
    "session": "bigint",
    "agent": "integer",
    "ordinal": "integer",
    "value": "double precision",
}
JSON = ("raw", "hits", "arms")


def postgresql(table: str, columns: Sequence[str]) -> str:
    """Sorted, so that two batches with the same records never wait for each other."""
    kept = [column for column in columns if column != "content"]
    arrays = ", ".join(f"%s::{TYPES.get(column, 'text')}[]" for column in columns)
    values = ", ".join(f"{column}::jsonb" if column in JSON else column for column in kept)
    return f"""
WITH given AS (SELECT * FROM unnest({arrays}) AS given({", ".join(columns)})),
fresh AS (INSERT INTO judging_seen (identity, site_id, content, received)
    SELECT identity, %s, content, %s FROM given ORDER BY identity ON CONFLICT DO NOTHING RETURNING identity)
INSERT INTO {table} (site_id, received, {", ".join(kept)})
SELECT %s, %s, {values} FROM given JOIN fresh USING (identity) RETURNING identity"""  # noqa: S608  names of ours


def sqlite(table: str, columns: Sequence[str]) -> tuple[str, str]:
    kept = [column for column in columns if column != "content"]
    holes = ", ".join("?" for _ in kept)
    return (
        "INSERT INTO judging_seen (identity, site_id, content, received) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING RETURNING identity",
        f"INSERT INTO {table} (site_id, received, {', '.join(kept)}) VALUES (?, ?, {holes})",  # noqa: S608  names of ours
    )


ON_POSTGRESQL = {
    QueryRow: postgresql("judging_query", OF_A_QUERY),
    EventRow: postgresql("judging_event", OF_AN_EVENT),
}
ON_SQLITE = {QueryRow: sqlite("judging_query", OF_A_QUERY), EventRow: sqlite("judging_event", OF_AN_EVENT)}


SEEN_ON_POSTGRESQL = """
WITH given AS (SELECT * FROM unnest(%s::uuid[], %s::bigint[]) AS given(identity, content)),
fresh AS (INSERT INTO judging_seen (identity, site_id, content, received)
    SELECT identity, %s, content, %s FROM given ORDER BY identity ON CONFLICT DO NOTHING RETURNING identity)
SELECT identity FROM given LEFT JOIN fresh USING (identity) WHERE fresh.identity IS NULL"""
SEEN_ON_SQLITE = ON_SQLITE[EventRow][0]


def note_seen(site: int, identities: Sequence[str], contents: Sequence[int], received: datetime) -> set[str]:
    """Note records that are stored elsewhere, and say which were there before. Call it in a transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(SEEN_ON_POSTGRESQL, [array(identities), array(contents), site, received])
            return {identity.hex for (identity,) in cursor.fetchall()}
        at = as_text(received)
        rows = zip(identities, contents, strict=True)
        fresh = {row[0] for row in rows if is_fresh(cursor.cursor, SEEN_ON_SQLITE, (row[0], site, row[1], at))}
        return {*identities} - fresh


def store(site: int, rows: Sequence[Row], received: datetime) -> set[str]:
    """Keep what was not there, of rows with different identities, and say which those were. Call it in a transaction."""
    keep = on_postgresql if connection.vendor == "postgresql" else on_sqlite
    fresh: set[str] = set()
    for kind in (QueryRow, EventRow):
        if of_kind := [row for row in rows if isinstance(row, kind)]:
            fresh |= keep(site, of_kind, received)
    return fresh


def on_postgresql(site: int, rows: Sequence[Row], received: datetime) -> set[str]:
    columns = [array(column) for column in zip(*rows, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(ON_POSTGRESQL[type(rows[0])], [*columns, site, received, site, received])
        return {identity.hex for (identity,) in cursor.fetchall()}


def array(column: Sequence[Any]) -> str:
    """PostgreSQL's text of an array: the driver, which looks at each element twice, took longer than all else together."""
    return "{" + ",".join(map(element, column)) + "}"


def element(value: Any) -> str:
    if value is None:
        return "NULL"
    text = value if isinstance(value, str) else str(value)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def on_sqlite(site: int, rows: Sequence[Row], received: datetime) -> set[str]:
    seen, keep = ON_SQLITE[type(rows[0])]
    at = as_text(received)
    with connection.cursor() as cursor:
        fresh = [row for row in rows if is_fresh(cursor.cursor, seen, (row.identity, site, row.content, at))]
        cursor.cursor.executemany(keep, [(site, at, row.identity, as_text(row.time), *row[3:]) for row in fresh])
    return {row.identity for row in fresh}


def is_fresh(cursor: Any, sql: str, values: tuple[Any, ...]) -> bool:
    return bool(cursor.execute(sql, values).fetchall())


def contents_of(identities: Sequence[str]) -> dict[str, int]:
    """The contents of records that are there already."""
    return {identity.hex: content for identity, content in Seen.objects.filter(pk__in=identities).values_list("pk", "content")}
