"""Files of votes: every way in which they come, and what is said of those that are wrong."""

import gzip
import lzma
import math
import sys
from io import BytesIO

import polars as pl
import pytest
from hypothesis import given

from ireval import BadFile
from ireval.io.zst import zstd
from ireval.preferences import BadVotes, read_votes, votes_of
from tests.ireval.builders import write
from tests.ireval.preferences.builders import any_frame

LINES = ["item,left,right,winner,worker", "q1,a,b,left,ann", "q1,b,a,tie,bob", "q2,a,b,both_bad,ann"]


def seen(votes):
    """Every vote by names."""
    columns = zip(votes.item, votes.left, votes.right, votes.winner, votes.worker, strict=True)
    names = (votes.items, votes.systems, votes.systems, ("left", "right", "tie", "both_bad"), votes.workers)
    return [tuple(name[code] for name, code in zip(names, row, strict=True)) for row in columns]


EXPECTED = [tuple(line.split(",")) for line in LINES[1:]]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_by_their_header(tmp_path, separator):
    assert seen(read_votes(write(tmp_path / "votes", *(line.replace(",", separator) for line in LINES)))) == EXPECTED


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_compressed_files_are_read_as_they_are(tmp_path, compress):
    (tmp_path / "votes").write_bytes(compress("\n".join(LINES).encode()))
    assert seen(read_votes(tmp_path / "votes")) == EXPECTED


def test_windows_lines_a_byte_order_mark_blank_lines_and_quotes(tmp_path):
    text = "\ufeff\r\n" + "\r\n".join([LINES[0], '"q1", a,b,left,"ann"', "", *LINES[2:]]) + "\r\n"
    (tmp_path / "votes.csv").write_bytes(text.encode())
    assert seen(read_votes(tmp_path / "votes.csv")) == EXPECTED


def test_a_comma_between_quotes_is_part_of_a_name(tmp_path):
    path = write(tmp_path / "votes.csv", *LINES, '"q3, the last",a,b,left,"ann"')
    assert seen(read_votes(path))[-1] == ("q3, the last", "a", "b", "left", "ann")


def test_parquet_with_numbers(tmp_path):
    frame = pl.DataFrame({"task": [1, 1], "left": ["a", "b"], "right": ["b", "a"], "winner": ["left", "tie"], "rater": [7, 8]})
    frame.with_columns(seconds=pl.Series([1.5, None])).write_parquet(tmp_path / "votes.parquet")
    votes = read_votes(tmp_path / "votes.parquet")
    assert seen(votes) == [("1", "a", "b", "left", "7"), ("1", "b", "a", "tie", "8")]
    assert votes.seconds[0] == 1.5


def test_further_columns(tmp_path):
    lines = [
        "time,topic,worker,item,left,right,winner,seconds,why",
        "2,t1,ann,q1,a,b,left,3.5,x",
        "1,t1,ann,q2,b,a,,,y",
        "0,t2,ann,q3,b,a,tie,,y",
    ]
    votes = read_votes(write(tmp_path / "votes.csv", *lines))
    assert (votes.topics, votes.left_out, votes.before.tolist()) == (("t1", "t2"), 1, [1, 0])


def test_standard_input(monkeypatch):
    class Stdin:
        buffer = BytesIO("\n".join(LINES).encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert seen(read_votes("-")) == EXPECTED


@pytest.mark.parametrize(
    ("lines", "problems"),
    [
        ([*LINES, "q3,a,b,left"], ["line 5: expected 5 columns, found 4"]),
        ([*LINES, "q3,a,b,left,ann,more"], ["line 5: expected 5 columns, found 6"]),
        (
            [*LINES, "q3,a,b,Left,ann", "", "q4,a,b,a,ann"],
            [
                'line 5: the winner is "Left"; expected left, right, tie or both_bad',
                'line 7: the winner is "a"; expected left, right, tie or both_bad',
            ],
        ),
        (
            [*LINES, ",a,b,tie,ann", "q3,a,b,tie,", "q3,,b,tie,x"],
            ["line 5: has no item", "line 6: has no worker", "line 7: has no left"],
        ),
        ([*LINES, "q1,a,b,tie,ann"], ["line 5: worker ann votes again on item q1; the first time is on line 2"]),
        (
            [*LINES, "q1,b,a,tie,ann", "q1,b,a,left,ann"],
            ["line 6: worker ann votes again on item q1; the first time is on line 5"],
        ),
        (
            ["topic,item,left,right,winner,worker", "1,q,a,b,left,x", "2,q,a,b,left,y", ",q2,a,b,left,y"],
            ["line 3: item q is of topic 2 here and of 1 before", "line 4: has no topic"],
        ),
        (
            ["item,left,right,winner,worker,seconds", "q,a,b,left,x,soon", "q,a,b,left,y,-1", "q,a,b,left,z,nan"],
            [f'line {n}: seconds are "{text}"; expected a number from 0' for n, text in ((2, "soon"), (3, "-1"), (4, "nan"))],
        ),
        (["", "item,left,right,worker", "q,a,b,x"], ["line 2: has columns item, left, right, worker; expected also winner"]),
        (LINES[:1], ["there are no votes"]),
        ([], ["is empty; expected a header that names item, left, right, winner"]),
        ([*LINES, 'q3,a,b,left,"ann'], ["line 5: is not CSV"]),
    ],
)
def test_what_is_wrong_names_file_and_line(tmp_path, lines, problems):
    path = write(tmp_path / "votes.csv", *lines)
    with pytest.raises(BadFile) as error:
        read_votes(path)
    messages = str(error.value).splitlines()
    assert len(messages) == len(problems)
    for line, problem in zip(messages, problems, strict=True):
        assert line.replace("votes.csv: ", "votes.csv, ").startswith(f"votes.csv, {problem}")


def test_files_that_are_none(tmp_path):
    (tmp_path / "binary").write_bytes(b"item,left,right,winner,worker\n\0\1")
    (tmp_path / "latin").write_bytes("item,left,right,winner,worker\nq,a,b,left,Zoë".encode("latin-1"))
    pl.DataFrame({"item": [1]}).write_parquet(tmp_path / "few.parquet")
    for name, complaint in (("binary", "binary file"), ("latin", "not UTF-8"), ("few.parquet", "expected also left")):
        with pytest.raises(BadFile, match=complaint):
            read_votes(tmp_path / name)


def test_parquet_is_checked_like_any_votes(tmp_path):
    pl.DataFrame({"item": [1], "left": ["a"], "right": ["b"], "winner": ["me"], "worker": ["x"]}).write_parquet(
        tmp_path / "votes"
    )
    with pytest.raises(BadFile, match=r'votes: row 1: column winner: the winner is "me"; .*: mend it, or leave the row out$'):
        read_votes(tmp_path / "votes")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_system_against_itself_is_counted_and_set_aside(tmp_path, suffix):
    path = write(tmp_path / "votes.csv", *LINES, "q3,c,c,tie,ann", "q3,c,c,tie,ann", "q4,a,b,,ann", "q5,a,a,,ann")
    pl.read_csv(path).write_parquet(tmp_path / "votes.parquet")
    votes = read_votes(tmp_path / f"votes.{suffix}")
    assert (seen(votes), votes.systems, votes.against_itself, votes.left_out) == (EXPECTED, ("a", "b"), 2, 2)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_votes_without_workers_are_each_by_a_worker_of_its_own(tmp_path, suffix):
    lines = ["item,left,right,winner", "q1,a,b,left", "q1,a,b,left", "q1,b,a,tie", "q2,a,b,right"]
    path = write(tmp_path / "votes.csv", *lines)
    pl.read_csv(path).write_parquet(tmp_path / "votes.parquet")
    votes = read_votes(tmp_path / f"votes.{suffix}")
    assert (len(votes), votes.worker_count, len(votes.repeats.vote), votes.has_workers) == (4, 4, 0, False)
    assert read_votes(write(tmp_path / "named.csv", *LINES)).has_workers


@given(any_frame())
def test_any_votes_are_read_back(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("votes") / "votes.csv"
    frame.write_csv(path)
    assert seen(read_votes(path)) == seen(votes_of(frame))


def test_votes_of_says_the_same_without_lines():
    with pytest.raises(BadVotes, match="worker x votes again on item q"):
        votes_of(
            pl.DataFrame({"item": ["q", "q"], "left": ["a"] * 2, "right": ["b"] * 2, "winner": ["tie"] * 2, "worker": ["x"] * 2})
        )


def test_a_frame_may_have_the_usual_names_of_columns():
    frame = pl.DataFrame({"task": ["1"], "left_system": ["a"], "right_system": ["b"], "preferred": ["left"], "judge": ["ann"]})
    votes = votes_of(frame)
    assert (votes.items, votes.systems, votes.workers) == (("1",), ("a", "b"), ("ann",))
    with pytest.raises(BadVotes, match=r"^row 1: column left has an empty cell: fill it in, or leave the row out$"):
        votes_of(frame.with_columns(left_system=pl.lit(float("nan"))))


@pytest.mark.parametrize("column", ["item", "left", "right", "worker", "topic"])
def test_nan_is_an_empty_cell(column):
    """So it is in frames of pandas."""
    frame = pl.DataFrame(
        {"item": ["q", "q", "r"], "left": "a", "right": "b", "winner": ["left", "tie", None], "worker": ["x", "y", "z"]}
    )
    cells = {True: [1.0, 2.0, math.nan], False: [1.0, 1.0, math.nan]}[column == "worker"]
    votes = votes_of(frame.with_columns(pl.Series(column, cells)))
    assert (len(votes), votes.left_out, len(votes.workers)) == (2, 1, 2)
    with pytest.raises(BadVotes, match=rf"^row 2: column {column} has an empty cell: fill it in, or leave the row out$"):
        votes_of(frame.with_columns(pl.Series(column, [1.0, math.nan, math.nan])))


def test_a_frame_has_the_topics_and_the_order_of_its_file(tmp_path):
    rows = {"item": ["q1", "q2"], "left": "a", "right": "b", "winner": "left", "rater": "x", "query_id": ["7", "7"]}
    frame = pl.DataFrame({**rows, "time": [2, 1], "duration": [5, 6]})
    frame.write_csv(tmp_path / "votes.csv")
    frame.write_parquet(tmp_path / "votes.parquet")
    for source in (frame, tmp_path / "votes.csv", tmp_path / "votes.parquet"):
        votes = votes_of(source)
        assert (votes.topics, votes.before.tolist(), votes.seconds.tolist()) == (("7",), [1, 0], [5, 6])
