"""Texts come out of the database as they are, whatever characters they have."""

import polars as pl
import pytest

from metrics.logs import frames
from metrics.logs.frames import frame

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = [
    "",
    "\\N",
    "\\",
    "\\n",
    "\n",
    "a\tb\r\nc",
    '"quoted", "twice""',
    "\\\\t\t",
    "null",
    "größer 🦉",
    "\x01\b\f\v",
    "1e5",
    " ",
]
SCHEMA = {"text": pl.String, "number": pl.Int64, "gap": pl.String}


@pytest.mark.parametrize("chunk", [1, frames.CHUNK])
def test_texts_and_gaps_are_read_as_they_are(chunk, monkeypatch):
    monkeypatch.setattr(frames, "CHUNK", chunk)
    every = " UNION ALL ".join(["SELECT %s AS text, CAST(%s AS bigint) AS number, NULL AS gap"] * len(TEXTS))
    values = [value for number, text in enumerate(TEXTS) for value in (text, None if number % 3 else -number)]
    table = frame(f"SELECT * FROM ({every}) AS found ORDER BY number", values, SCHEMA)
    assert sorted(table["text"]) == sorted(TEXTS)
    assert table["number"].drop_nulls().to_list() == [-12, -9, -6, -3, 0]
    assert table["gap"].null_count() == len(TEXTS)
    assert table.schema == SCHEMA


def test_of_many_rows_at_a_time_a_step_makes_what_is_kept(monkeypatch):
    monkeypatch.setattr(frames, "CHUNK", 8)
    numbers = " UNION ALL ".join([f"SELECT 'text {number}', {number}, NULL" for number in range(20)])
    table = frame(numbers, [], SCHEMA, lambda some: some.filter(pl.col("number") % 2 == 1).select("number"))
    assert sorted(table["number"]) == list(range(1, 20, 2))
    assert frame("SELECT 'a', 1, NULL WHERE 1 = 0", [], SCHEMA, lambda some: some.select("text")).schema == {"text": pl.String}
