"""Texts come out of the database as they are, whatever characters they have."""

import polars as pl
import pytest
from django.db import connection

from judging.database import row_frames
from judging.database.row_frames import frames_of
from judging.models import User

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
    with frames_of(connection, f"SELECT * FROM ({every}) AS found ORDER BY number", values, SCHEMA) as frames:
        table = pl.concat(frames)
    assert sorted(table["text"]) == sorted(TEXTS)
    assert table["number"].drop_nulls().to_list() == [-12, -9, -6, -3, 0]
    assert table["gap"].null_count() == len(TEXTS)
    assert table.schema == SCHEMA


def test_without_rows_there_is_no_frame():
    with frames_of(connection, "SELECT 'a', 1, NULL WHERE 1 = 0", [], SCHEMA) as frames:
        assert list(frames) == []


@pytest.mark.parametrize("rows", [10, 300_000])
def test_whoever_handles_an_error_can_ask_the_database(rows, monkeypatch, tmp_path):
    """Whether or not all rows had come: as where a disk is full, and what was begun is taken back."""
    monkeypatch.setattr(row_frames, "CHUNK", 1)
    series = " UNION ALL ".join(["SELECT 'a' AS text, 1 AS number, NULL AS gap"] * 10)
    sql = " CROSS JOIN ".join([f"({series}) AS t0", *(f"({series}) AS t{n}" for n in range(1, 6))])
    try:
        with frames_of(connection, f"SELECT t0.text, t0.number, t0.gap FROM {sql} LIMIT {rows}", [], SCHEMA) as frames:
            next(frames).write_parquet(tmp_path / "gone" / "file")
    except OSError as error:
        assert error.__traceback__ and not User.objects.exists()
    else:
        pytest.fail("nothing was written")
