"""Texts come out of the database as they are, whatever characters they have."""

import polars as pl
import pytest
from django.db import connection

from judging.database import row_frames
from judging.database.row_frames import frames_of

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


@pytest.mark.parametrize("chunk", [1, row_frames.CHUNK])
def test_texts_and_gaps_are_read_as_they_are(chunk, monkeypatch):
    monkeypatch.setattr(row_frames, "CHUNK", chunk)
    monkeypatch.setattr(row_frames, "ROWS", min(chunk, row_frames.ROWS))
    every = " UNION ALL ".join(["SELECT %s AS text, CAST(%s AS bigint) AS number, NULL AS gap"] * len(TEXTS))
    values = [value for number, text in enumerate(TEXTS) for value in (text, None if number % 3 else -number)]
    table = pl.concat(frames_of(connection, f"SELECT * FROM ({every}) AS found ORDER BY number", values, SCHEMA))
    assert sorted(table["text"]) == sorted(TEXTS)
    assert table["number"].drop_nulls().to_list() == [-12, -9, -6, -3, 0]
    assert table["gap"].null_count() == len(TEXTS)
    assert table.schema == SCHEMA


def test_without_rows_there_is_no_frame():
    assert list(frames_of(connection, "SELECT 'a', 1, NULL WHERE 1 = 0", [], SCHEMA)) == []
