"""What is wrong with a file is said with its line, and nothing of it is stored."""

import gzip

import polars as pl
import pytest

from ireval.io.files import BadFile
from judging.collections.imports import CHECKS, import_qrels, import_run, import_topics
from judging.collections.imports.outcome import insert_whole
from tests.judging.collections.bad_files import BAD_FILES, Bad
from tests.judging.stored import everything_stored

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def small_limits(settings):
    settings.UNPACKED_MAX_BYTES = 2 * 2**20


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.name)
def test_a_bad_file_is_refused_whole(bad: Bad, collection, runs, researcher, tmp_path):
    path = tmp_path / "upload"
    path.write_bytes(bad.content)
    before = everything_stored()
    with pytest.raises(BadFile) as refused:
        insert_whole(CHECKS[bad.kind](collection, path, by=researcher, filename="bad.txt", format=bad.format))
    problems = refused.value.problems
    assert all(problem.file == "bad.txt" for problem in problems)
    assert any(bad.says in problem.message and problem.line in (bad.line, 0) for problem in problems), problems
    assert bad.line in {problem.line for problem in problems}
    assert everything_stored() == before


def test_all_problems_are_named_up_to_a_hundred(collection, researcher, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("".join(f"{n % 2 + 1} Q0 d1 {n} high bm25\n" for n in range(250)))
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert [line for line, _ in named(refused)] == [1, 2, *(line for n in range(3, 52) for line in (n, n))]


def test_a_name_that_is_taken(collection, runs, researcher, tmp_path):
    path = tmp_path / "alpha.run.gz"
    path.write_text("1 Q0 d6 1 9.5 bm25\n")
    before = everything_stored()
    with pytest.raises(BadFile, match="there is another run “alpha” already"):
        import_run(collection, path, by=researcher)
    assert everything_stored() == before


def test_the_very_same_run_again_says_so(collection, researcher, tmp_path):
    path = tmp_path / "bm25.txt"
    path.write_text("1 Q0 d6 1 9.5 bm25\n1 Q0 d1 2 9.1 bm25\n")
    import_run(collection, path, by=researcher)
    with pytest.raises(BadFile, match="this very run is here already as “bm25”"):
        import_run(collection, path, by=researcher)
    again = import_run(collection, path, by=researcher, name="twin")
    assert "This is exactly the ranking that is here already as “bm25”." in again.notes


def test_the_very_same_qrels_again_say_so(collection, researcher, tmp_path):
    path = tmp_path / "gold.qrels"
    path.write_text("1 0 d6 1\n")
    import_qrels(collection, path, by=researcher)
    with pytest.raises(BadFile, match="these very grades are here already"):
        import_qrels(collection, path, by=researcher)
    assert collection.qrels.count() == 1


def test_unknown_topics_are_all_named_and_can_be_left_out(collection, researcher, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 d1 1 9.5 bm25\n8 Q0 d1 1 9.5 bm25\n8 Q0 d2 2 9.5 bm25\n9 Q0 d1 1 9.5 bm25\n")
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert named(refused)[1:] == [(2, "topic 8"), (4, "topic 9")]
    assert "leave unknown topics out" in refused.value.problems[0].message

    imported = import_run(collection, path, by=researcher, skip_unknown_topics=True)
    assert (imported.kept.rows, imported.counts["skipped_topics"]) == (1, 2)


def named(refused) -> list[tuple[int, str]]:
    """Line and subject of each problem, in the order in which they are shown."""
    return [(problem.line, " ".join(problem.message.split()[:2])) for problem in refused.value.problems]


BROKEN_RUN = """1 Q0 d1 1 9.5 t
8 Q0 d2 1 9.5 t
1 Q0 d2 2 high t
2 Q0 x3 1 9.5 t
1 Q0 d3 3
9 Q0 d1 1 nan t
1 Q0 d1 4 2.5 t
2 Q0 x4 2 9.0 t
"""
BROKEN_QRELS = {
    "TREC": "1 0 d1 1\n8 0 d2 1\n1 0 d2 high\n2 0 x3 1\n1 0 d3\n9 0 d1 0.5\n1 0 d1 0\n2 0 x4 1\n",
    "CSV": "1,d1,1\n8,d2,1\n1,d2,high\n2,x3,1\n1,d3\n9,d1,0.5\n1,d1,0\n2,x4,1\n",
}


def test_broken_lines_and_lines_that_do_not_fit_are_named_in_one_round(collection, researcher, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text(BROKEN_RUN)
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert named(refused) == [
        (0, "some topics"),
        (2, "topic 8"),
        (3, "column 5"),
        (4, "document x3"),
        (5, "expected 6"),
        (6, "column 5"),
        (6, "topic 9"),
        (7, "document d1"),
    ]
    assert "2 rows of that sort" in refused.value.problems[3].message

    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher, skip_unknown_topics=True)
    assert [line for line, _ in named(refused)] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(("header", "content"), [("", BROKEN_QRELS["TREC"]), ("topic,docno,grade\n", BROKEN_QRELS["CSV"])])
def test_of_qrels_too(collection, researcher, tmp_path, header, content):
    path = tmp_path / "gold.qrels"
    path.write_text(header + content)
    with pytest.raises(BadFile) as refused:
        import_qrels(collection, path, by=researcher)
    first = 2 if header else 1
    lines = [line - first + 1 if line else 0 for line, _ in named(refused)]
    assert lines == [0, 2, 3, 4, 5, 6, 6, 7]


def test_of_smarts_qrels_too(collection, researcher, tmp_path):
    path = tmp_path / "rel"
    path.write_text("1 1 1\n8 1 2\n1 2 9\n1 1 2\n")
    with pytest.raises(BadFile) as refused:
        import_qrels(collection, path, by=researcher, format="smart")
    assert named(refused) == [(0, "none of"), (0, "some topics"), (2, "topic 8"), (3, "the code"), (4, "topic 1")]


def test_of_parquet_too_which_has_no_lines(collection, researcher, tmp_path):
    path = tmp_path / "run.parquet"
    pl.DataFrame({"topic": ["1", "8"], "docno": ["d1", "d2"], "score": [1.0, float("nan")]}).write_parquet(path)
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert named(refused) == [(0, "row 2:"), (0, "some topics"), (0, "topic 8")]


def test_the_first_hundred_problems_are_those_of_the_first_lines(collection, researcher, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("8 Q0 d1 1 9.5 t\n" + "".join(f"1 Q0 d{n} {n} high t\n" for n in range(250)) + "9 Q0 d1 1 9.5 t\n")
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert named(refused)[:4] == [(0, "some topics"), (1, "topic 8"), (2, "column 5"), (2, "document d0")]
    assert [line for line, _ in named(refused)[4:]] == list(range(3, 99))


def test_what_cannot_be_read_as_a_whole_is_not_read_again(collection, researcher, tmp_path, monkeypatch):
    path = tmp_path / "run.txt"
    path.write_text("8 Q0 d1 1 9.5 t\n" * 2**18)
    monkeypatch.setattr("judging.collections.imports.runs.located_run", lambda *_, **__: pytest.fail("read again"))
    with pytest.raises(BadFile, match="unpacks to more than"):
        import_run(collection, compressed(path), by=researcher)


def compressed(path):
    path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def test_topics_that_are_broken_and_topics_of_other_words_are_named_in_one_round(collection, researcher, tmp_path):
    path = tmp_path / "topics.jsonl"
    path.write_text('{"_id": "9", "text": ""}\n{"_id": "1", "text": "other words"}\n')
    with pytest.raises(BadFile) as refused:
        import_topics(collection, path, by=researcher)
    assert named(refused) == [(1, "topic 9"), (2, "topic 1")]


def test_a_file_that_fails_at_the_last_moment_leaves_no_file(collection, researcher, tmp_path, monkeypatch):
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 d1 1 9.5 bm25\n")
    before = everything_stored()

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr("judging.collections.imports.runs.notes", broken)
    with pytest.raises(OSError, match="disk full"):
        import_run(collection, path, by=researcher)
    assert everything_stored() == before
