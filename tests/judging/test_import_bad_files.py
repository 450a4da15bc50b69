"""What is wrong with a file is said with its line, and nothing of it is stored."""

import pytest

from judging.imports import CHECKS, import_qrels, import_run
from judging.imports.imported import insert_whole
from metrics.engine.files import BadFile
from tests.judging.bad_files import BAD_FILES, Bad
from tests.judging.stored import everything_stored


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
    path.write_text("".join(f"1 Q0 d{n} {n} high bm25\n" for n in range(250)))
    with pytest.raises(BadFile) as refused:
        import_run(collection, path, by=researcher)
    assert [problem.line for problem in refused.value.problems] == list(range(1, 101))


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
    assert [(problem.line, problem.message.split(" is not")[0]) for problem in refused.value.problems[1:]] == [
        (2, "topic 8"),
        (4, "topic 9"),
    ]
    assert "leave unknown topics out" in refused.value.problems[0].message

    imported = import_run(collection, path, by=researcher, skip_unknown_topics=True)
    assert (imported.kept.rows, imported.counts["skipped_topics"]) == (1, 2)


def test_a_file_that_fails_at_the_last_moment_leaves_no_file(collection, researcher, tmp_path, monkeypatch):
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 d1 1 9.5 bm25\n")
    before = everything_stored()

    def broken(*_):
        raise OSError("disk full")

    monkeypatch.setattr("judging.imports.runs.notes", broken)
    with pytest.raises(OSError, match="disk full"):
        import_run(collection, path, by=researcher)
    assert everything_stored() == before
