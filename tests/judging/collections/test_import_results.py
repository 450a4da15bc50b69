"""Result lists become runs, a system each, with what their sites show beside them: whole or not at all."""

import gzip
import json

import polars as pl
import pytest
from django.conf import settings as configured
from django.core.files.storage import FileSystemStorage

from ireval.io.files import BadFile
from judging.collections.deletion import delete_run
from judging.collections.downloads import run_file
from judging.collections.imports import check_results, import_results, import_run
from judging.collections.imports.outcome import insert_whole
from judging.collections.storage import run_frame, shown_frame, store_run
from judging.models import Collection, Run
from tests.judging.stored import everything_stored

TWO = """topic,rank,title,url,snippet,system
1,2,Barn owl,https://birds.org/barn,Mostly <b>voles</b>,Site A
1,1,Owls,https://birds.org/owls,Owls eat &amp; sleep,Site A
2,1,Swallows,https://birds.org/swallows,,Site A
1,1,Owls,https://birds.org/owls,The diet,Site B
"""


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def two(collection, researcher, write):
    return import_results(collection, write("two.csv", TWO), by=researcher)


def test_a_run_a_system_in_the_order_of_its_ranks(two, collection):
    a, b = two.runs
    assert ([a.name, b.name], two.kept) == (["Site A", "Site B"], None)
    assert (a.rows, a.topic_count, a.depth, a.source_name) == (3, 2, 2, "two.csv")
    assert run_frame(a).select("topic", "docno", "score", "rank").rows() == [
        ("1", "https://birds.org/owls", -1.0, 1),
        ("1", "https://birds.org/barn", -2.0, 2),
        ("2", "https://birds.org/swallows", -1.0, 1),
    ]
    assert list(collection.runs.all()) == [a, b]


def test_what_is_shown_lies_beside_the_ranking_in_its_order(two):
    shown = shown_frame(two.runs[0])
    assert shown.columns == ["topic", "docno", "title", "url", "snippet"]
    assert shown.rows() == [
        ("1", "https://birds.org/owls", "Owls", "https://birds.org/owls", "Owls eat & sleep"),
        ("1", "https://birds.org/barn", "Barn owl", "https://birds.org/barn", "Mostly voles"),
        ("2", "https://birds.org/swallows", "Swallows", "https://birds.org/swallows", ""),
    ]
    assert shown_frame(two.runs[0], topics=["2"])["title"].to_list() == ["Swallows"]
    assert shown_frame(two.runs[0], topics=[]).is_empty()
    assert shown_frame(two.runs[0], topics={"1", "9"}).height == 2


def test_other_runs_show_nothing(runs):
    assert shown_frame(runs[0]) is None
    assert shown_frame(runs[0], topics=["1"]) is None


def test_results_of_which_nothing_is_known_are_shown_as_nothing(collection, researcher, runs):
    ranking = run_frame(runs[0]).select("topic", "docno", "score")
    shown = pl.DataFrame({"topic": ["1"], "docno": ["d2"], "title": ["Barn owl"], "url": [None], "snippet": ["voles"]})
    kept = store_run(ranking, collection=collection, name="part", by=researcher, shown=shown)
    assert shown_frame(kept, topics=["1"]).rows() == [
        ("1", "d1", "", "", ""),
        ("1", "d2", "Barn owl", "", "voles"),
        ("1", "d4", "", "", ""),
    ]
    assert shown_frame(kept).height == kept.rows


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_one_system_is_called_as_is_said_or_after_its_file(collection, researcher, write, pack):
    content = pack(b'\xef\xbb\xbf{"topic": "1", "results": [{"title": "Owls"}]}\r\n')
    by_file = import_results(collection, write("site.jsonl.gz", content), by=researcher)
    by_name = import_results(collection, write("site.jsonl.gz", content), by=researcher, name="Our site")
    assert [by_file.kept.name, by_name.kept.name] == ["site", "Our site"]
    assert run_frame(by_name.kept)["docno"].to_list() == ["Our%20site/1/1"]
    assert by_name.runs == [by_name.kept]


def test_a_system_in_the_file_counts_more_than_a_name_in_the_form(collection, researcher, write):
    content = TWO + "2,1,Ducks,https://birds.org/ducks,,\n"
    imported = import_results(collection, write("two.csv", content), by=researcher, name="Third")
    assert [run.name for run in imported.runs] == ["Site A", "Site B", "Third"]


def test_documents_need_not_exist_and_are_counted(collection, researcher, write, two):
    assert [run.unknown_documents for run in two.runs] == [3, 1]
    assert two.counts["unknown_documents"] == 4
    assert any("4 rows about documents that the collection does not have" in note for note in two.notes)
    known = import_results(collection, write("known.csv", "topic,rank,title,docno\n1,1,Owls,d1\n1,2,Gulls,x\n"), by=researcher)
    assert known.kept.unknown_documents == 1


def test_every_system_is_said(two):
    assert two.notes[:3] == [
        "2 systems.",
        "Site A: 3 results for 2 topics, at most 2 deep.",
        "Site B: 1 result for 1 topic, at most 1 deep.",
    ]


def test_unknown_topics_are_named_and_can_be_left_out(collection, researcher, write):
    path = write("r.csv", "topic,rank,title\n1,1,Owls\n8,1,Ducks\n8,2,Geese\n")
    with pytest.raises(BadFile) as refused:
        import_results(collection, path, by=researcher)
    assert [problem.line for problem in refused.value.problems] == [0, 3]
    imported = import_results(collection, path, by=researcher, skip_unknown_topics=True)
    assert (imported.kept.rows, shown_frame(imported.kept)["title"].to_list()) == (1, ["Owls"])


def test_broken_lines_and_unknown_topics_are_named_in_one_round(collection, researcher, write):
    path = write("r.csv", "topic,rank,title\n1,x,Owls\n8,1,Ducks\n1,1,\n1,2,Gulls\n")
    with pytest.raises(BadFile) as refused:
        import_results(collection, path, by=researcher)
    assert [problem.line for problem in refused.value.problems] == [0, 2, 3, 4]


def test_a_collection_without_topics_takes_all(researcher, write):
    collection = Collection.objects.create(name="Empty", owner=researcher)
    assert import_results(collection, write("two.csv", TWO), by=researcher).runs[0].unknown_documents == 0


def test_all_names_that_are_taken_are_said_and_nothing_comes_in(collection, researcher, write, two):
    before = everything_stored()
    content = TWO.replace("Barn owl", "Barn owls").replace("Site B", "Site C")
    with pytest.raises(BadFile, match="there is another run “Site A” already"):
        import_results(collection, write("again.csv", content), by=researcher)
    with pytest.raises(BadFile) as refused:
        import_results(collection, write("two.csv", TWO), by=researcher)
    assert [str(problem) for problem in refused.value.problems] == [
        f"two.csv: this very run is here already as “Site {name}”; there is nothing to import" for name in "AB"
    ]
    assert everything_stored() == before


def test_a_name_that_is_taken_meanwhile(collection, researcher, write):
    inserts = [check_results(collection, write("two.csv", TWO), by=researcher) for _ in range(2)]
    insert_whole(inserts[0])
    with pytest.raises(BadFile, match="this very run is here already"):
        insert_whole(inserts[1])
    assert collection.runs.count() == 2


def test_a_column_that_names_no_systems(collection, researcher, write):
    content = "topic,rank,title,system\n" + "".join(f"1,{n},Owls,{n}\n" for n in range(101))
    with pytest.raises(BadFile, match="holds 101 systems, at most 100"):
        import_results(collection, write("r.csv", content), by=researcher)


def test_when_the_second_file_cannot_be_stored_nothing_is_kept(collection, researcher, write, monkeypatch):
    before = everything_stored()
    save, saved = FileSystemStorage.save, []

    def full(self, name, content, max_length=None):
        saved.append(name)
        if len(saved) == 4:  # the second system's shown results
            raise OSError("disk full")
        return save(self, name, content, max_length)

    monkeypatch.setattr(FileSystemStorage, "save", full)
    with pytest.raises(OSError, match="disk full"):
        import_results(collection, write("two.csv", TWO), by=researcher)
    assert len(saved) == 4
    assert everything_stored() == before


def test_a_run_is_deleted_with_both_files(two, django_capture_on_commit_callbacks):
    assert len(stored_files()) == 4
    with django_capture_on_commit_callbacks(execute=True):
        delete_run(two.runs[0])
    assert stored_files() == sorted([two.runs[1].file.path, two.runs[1].shown.path])


def stored_files():
    return sorted(str(path) for path in configured.MEDIA_ROOT.rglob("*") if path.is_file())


def test_progress_is_told_in_lines(collection, researcher, write):
    counts = []
    import_results(collection, write("two.csv", TWO), by=researcher, progress=counts.append)
    assert counts == [5]


ODD = ["<b>Owls</b>", "&lt;i&gt;", "=1+1", "'=1", "@voles", "-5", 'one, "two"; three', "a\tb", "Æ “ø” 🦉", "AT&T", "'"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_is_downloaded_can_be_imported_again(collection, researcher, write, form, monkeypatch):
    monkeypatch.setattr("judging.collections.downloads.ROWS_A_PORTION", 3)
    rows = [
        {"topic": "1", "rank": rank, "title": title, "snippet": snippet, "url": f"=https://x.org/{rank} {title}"}
        for rank, (title, snippet) in enumerate(zip(ODD, reversed(ODD), strict=True), start=1)
    ]
    rows += [{"topic": "2", "rank": 7, "snippet": "only a snippet"}, {"topic": "2", "rank": 9, "docno": "-d,9", "title": "Nine"}]
    first = import_results(collection, write("site.jsonl", "\n".join(map(json.dumps, rows))), by=researcher).kept
    content = b"".join(run_file(first, form))
    other = Collection.objects.create(name="Other", owner=researcher)
    second = import_results(other, write(f"site.{form}", content), by=researcher).kept
    assert shown_frame(second).equals(shown_frame(first))
    ranking = ["topic", "docno", "rank"]
    assert run_frame(second).select(ranking).equals(run_frame(first).select(ranking))
    assert b"".join(run_file(second, form)) == content


def test_a_run_without_result_lists_is_not_downloaded_as_such(runs):
    with pytest.raises(ValueError, match="came without titles"):
        next(run_file(runs[0], "csv"))


def test_the_same_ranking_with_other_titles_is_another_run(collection, researcher, write, two):
    with pytest.raises(BadFile, match="there is another run “Site B”"):
        import_results(
            collection, write("b.csv", "topic,rank,title,url\n1,1,New,https://birds.org/owls\n"), by=researcher, name="Site B"
        )


def test_a_trec_run_of_the_same_ranking_does_not_say_that_it_is_here(collection, researcher, write):
    import_results(collection, write("a.csv", "topic,rank,title,docno\n1,1,Owls,d1\n"), by=researcher)
    with pytest.raises(BadFile, match="there is another run “a”"):
        import_run(collection, write("a.run", "1 Q0 d1 1 -1 a\n"), by=researcher)
    assert Run.objects.count() == 1
