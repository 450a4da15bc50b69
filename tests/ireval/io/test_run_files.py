"""Whatever way a TREC run is written, the same rankings come out of it."""

import gzip
import io
import lzma
import os
import re
import subprocess
import sys
import threading
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io import columns
from ireval.io.files import BadFile
from ireval.io.runs import read_run, run_blocks
from ireval.io.stored_runs import read_run_parquet, run_facts, write_run
from ireval.io.zst import zstd
from tests.ireval.builders import write

LINES = ["2 Q0 d1 1 0.5 tag", "2 Q0 d2 2 2.5 tag", "10 Q0 d1 1 -1e3 tag"]
RANKED = [("10", "d1", -1000.0, 1, "tag"), ("2", "d2", 2.5, 1, "tag"), ("2", "d1", 0.5, 2, "tag")]


def test_topics_come_in_string_order_and_documents_by_score(tmp_path):
    assert read_run(write(tmp_path / "run", *LINES)).rows() == RANKED


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("tabs", lambda text: text.replace(" ", "\t")),
        ("many blanks", lambda text: text.replace(" ", " \t  ")),
        ("blanks around", lambda text: "".join(f"  {line} \t\n" for line in text.splitlines())),
        ("CRLF", lambda text: text.replace("\n", "\r\n")),
        ("BOM", lambda text: "\ufeff" + text),
        ("empty lines", lambda text: "\n\n" + text.replace("\n", "\n\n")),
        ("comments", lambda text: "# a comment\n" + text.replace("\n", "\n#1 Q0 d9 1 1 tag\n")),
        ("no last line end", lambda text: text.rstrip("\n")),
        ("what trec_eval reserves for the future", lambda text: text.replace("tag\n", "tag and more\n")),
        ("a wrong rank column", lambda text: text.replace(" 1 ", " 99 ")),
    ],
)
def test_the_ways_of_writing_columns_do_not_matter(tmp_path, what, change):
    path = tmp_path / "run"
    path.write_bytes(change("".join(line + "\n" for line in LINES)).encode())
    assert read_run(path).rows() == RANKED, what


@pytest.mark.parametrize(
    "compress",
    [gzip.compress, lzma.compress, zstd.compress, lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:])],
)
def test_compressed_files_are_read_as_they_are(tmp_path, compress):
    path = tmp_path / "run.txt"
    path.write_bytes(compress("".join(line + "\n" for line in LINES).encode()))
    assert read_run(path).rows() == RANKED


def test_standard_input_is_read(tmp_path):
    code = "from ireval import read_run; print(read_run('-').height)"
    text = gzip.compress("".join(line + "\n" for line in LINES).encode())
    assert subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=True).stdout == b"3\n"


def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = "".join(line + "\n" for line in LINES)
    writer = threading.Thread(target=lambda: pipe.write_text(text))
    writer.start()
    assert read_run(pipe).rows() == RANKED
    writer.join()


def test_a_name_with_brackets_is_no_pattern(tmp_path):
    run = read_run(write(tmp_path / "run", *LINES))
    write_run(run, tmp_path / "run[1]*.parquet")
    assert read_run(tmp_path / "run[1]*.parquet")["docno"].equals(run["docno"])
    assert read_run_parquet(tmp_path / "run[1]*.parquet").equals(run)


def test_topics_whose_lines_are_scattered_are_put_together(tmp_path):
    path = write(tmp_path / "run", "1 Q0 a 1 1 t", "2 Q0 a 1 5 t", "1 Q0 b 1 3 t", "2 Q0 b 1 7 t")
    assert read_run(path).select("topic", "docno", "rank").rows() == [("1", "b", 1), ("1", "a", 2), ("2", "b", 1), ("2", "a", 2)]


def test_ids_may_hold_quotes_and_letters_of_any_alphabet(tmp_path):
    path = write(tmp_path / "run", 'α Q0 "d 1 2 t', 'α Q0 d"1 1 1 t', "α Q0 日本,x 1 0 t")
    assert read_run(path)["docno"].to_list() == ['"d', 'd"1', "日本,x"]


def test_blocks_are_whole_topics_however_small_the_portions_read(tmp_path, monkeypatch):
    path = write(tmp_path / "run", *(f"{topic} Q0 d{doc} 1 {doc} t" for topic in range(50) for doc in range(1 + topic % 7)))
    whole = read_run(path)
    monkeypatch.setattr(columns, "BLOCK_BYTES", 100)
    blocks = list(run_blocks(path))
    assert len(blocks) > 10
    assert all(set(block["topic"]).isdisjoint(other["topic"]) for block, other in pairwise(blocks))
    assert pl.concat(blocks).select(whole.columns).cast({"tag": pl.Categorical}).sort("topic", "rank").equals(whole)


def test_facts_count_what_is_there(tmp_path):
    facts = run_facts(read_run(write(tmp_path / "run", *LINES)))
    assert (facts.topics, facts.rows, facts.shortest, facts.deepest, facts.tags) == (2, 3, 1, 2, ("tag",))


def test_a_stored_run_comes_back_whole_and_topic_by_topic(tmp_path):
    run = read_run(write(tmp_path / "run", *LINES))
    write_run(run, tmp_path / "run.parquet")
    assert read_run_parquet(tmp_path / "run.parquet").equals(run)
    assert read_run_parquet(tmp_path / "run.parquet", topic="2", columns=["docno"]).rows() == [("d2",), ("d1",)]
    assert read_run(tmp_path / "run.parquet").drop("tag").equals(run.drop("tag"))


def test_a_stored_run_can_be_a_file_object(tmp_path):
    run, content = read_run(write(tmp_path / "run", *LINES)), io.BytesIO()
    write_run(run, content)
    content.seek(0)
    assert read_run_parquet(content).equals(run)


def test_parquet_of_others_is_found_by_its_column_names(tmp_path):
    frame = pl.DataFrame({"q_id": [2, 2, 1], "doc_id": ["a", "b", "a"], "score": [1, 2, 3]})
    frame.write_parquet(tmp_path / "bm25.parquet")
    assert read_run(tmp_path / "bm25.parquet").rows() == [
        ("1", "a", 3.0, 1, "bm25"), ("2", "b", 2.0, 1, "bm25"), ("2", "a", 1.0, 2, "bm25"),
    ]  # fmt: skip


# One line's worth of text, from characters that mean something to some parser.
NASTY = st.text(st.sampled_from("ab1.,;\"'#\\-+e \t\r\v\fé\u00a0"), max_size=30)
PLAUSIBLE = st.tuples(*[st.sampled_from(["1", "2", "a", "1.5", "-3e2", "#x", "x", "nan"])] * 6).map(" ".join)
BLANKS = " \t\r\v\f"


def slow_reading(lines: list[str]) -> tuple[dict[tuple[str, str], float], set[int], set[int]]:
    """What a run means, in the plainest words: its scores, the lines that are malformed, those that repeat a document."""
    scores: dict[tuple[str, str], float] = {}
    seen, malformed, repeated = set(), set(), set()
    for number, line in enumerate(lines, start=1):
        values = re.split(f"[{BLANKS}]+", line.strip(BLANKS))
        if values == [""] or values[0].startswith("#"):
            continue
        if len(values) > 6 and re.fullmatch("[0-9]+", values[3]) and not re.fullmatch("[0-9.eE+-]+", values[5]):
            values = values[:6]
        if len(values) != 6:
            malformed.add(number)
            continue
        if (values[0], values[2]) in seen:
            repeated.add(number)
        seen.add((values[0], values[2]))
        if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", values[4]):
            scores[values[0], values[2]] = float(values[4])
        else:
            malformed.add(number)
    return scores, malformed, repeated


@given(lines=st.lists(st.one_of(NASTY, PLAUSIBLE, st.sampled_from(LINES)), max_size=8))
def test_nothing_else_is_read_than_what_a_slow_reader_would(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("fuzz") / "run"
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    scores, malformed, repeated = slow_reading(lines)
    try:
        run = read_run(path)
    except BadFile as bad:
        refused = {problem.line for problem in bad.problems}
        assert refused == (repeated or {0}) if not malformed else malformed <= refused <= malformed | repeated
        assert malformed or repeated or not scores
    else:
        assert not malformed | repeated
        assert {(topic, docno): score for topic, docno, score in run.select("topic", "docno", "score").rows()} == scores
