"""What becomes of good files, compared with what the collection has already."""

import io

import polars as pl
import pytest

from ireval.io.files import BadFile
from judging.collections.downloads import run_file
from judging.collections.imports import import_documents, import_qrels, import_run, import_topics
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Collection


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_the_same_document_again_is_skipped_and_counted(collection, researcher, write):
    path = write(
        "more.jsonl", '{"_id": "d6", "title": "Ducks", "text": "Ducks dabble."}\n{"_id": "d7", "text": "Geese graze."}\n'
    )
    imported = import_documents(collection, path, by=researcher)
    assert imported.counts == {"read": 2, "added": 1, "already_there": 1, "not_mentioned": 0}
    assert collection.documents.count() == 7
    assert collection.documents.get(docno="d7").text == "Geese graze."


def test_the_same_topic_again_is_skipped_and_counted(collection, researcher, write):
    path = write("topics.csv", "qid,query,description\n1,diet of owls,What do owls eat?\n3,duck songs,\n")
    assert import_topics(collection, path, by=researcher).counts == {"added": 1, "already_there": 1, "tagged": 0}
    assert list(collection.topics.values_list("number", flat=True)) == ["1", "2", "3"]


def test_every_different_document_is_named(collection, researcher, write):
    path = write("more.jsonl", "".join(f'{{"_id": "d{n}", "text": "other"}}\n' for n in (7, 3, 8, 5)))
    with pytest.raises(BadFile) as refused:
        import_documents(collection, path, by=researcher)
    assert [problem.line for problem in refused.value.problems] == [2, 4]
    assert collection.documents.count() == 6


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_line_ends_do_not_matter(collection, researcher, write, line_end):
    run = import_run(collection, write("a.run", f"1 Q0 d1 1 2 a{line_end}1 Q0 d2 2 1 a{line_end}"), by=researcher).kept
    qrels = import_qrels(collection, write("b.qrels", f"1 0 d1 1{line_end}1 0 d2 0{line_end}"), by=researcher).kept
    topics = write("t.tsv", f"qid\tquery{line_end}7\tfeathers{line_end}")
    import_topics(collection, topics, by=researcher)
    assert run_frame(run).select("docno", "rank").rows() == [("d1", 1), ("d2", 2)]
    assert qrels_frame(qrels).rows() == [("1", "d1", 1), ("1", "d2", 0)]
    assert collection.topics.get(number="7").title == "feathers"


def test_a_run_named_by_a_file_with_blanks_has_six_columns_to_take_away(collection, researcher, write):
    content = io.BytesIO()
    pl.DataFrame({"topic": ["1"], "docno": ["d1"], "score": [2.0]}).write_parquet(content)
    run = import_run(collection, write("my own run.parquet", content.getvalue()), by=researcher).kept
    assert b"".join(run_file(run, "trec")) == b"1 Q0 d1 1 2.0 my_own_run\n"


def test_qrels_of_a_name_that_exists_are_its_next_version(collection, researcher, write):
    first = import_qrels(collection, write("gold.qrels", "1 0 d1 1\n"), by=researcher).kept
    second = import_qrels(collection, write("new.qrels", "1 0 d1 1\n1 0 d2 1\n"), by=researcher, name="gold").kept
    assert [(qrels.name, qrels.version) for qrels in (first, second)] == [("gold", 1), ("gold", 2)]
    assert qrels_frame(first).height == 1


def test_unknown_documents_are_counted(collection, researcher, write):
    imported = import_run(collection, write("a.run", "1 Q0 d1 1 2 a\n1 Q0 x1 2 1 a\n2 Q0 x1 1 1 a\n"), by=researcher)
    assert imported.counts["unknown_documents"] == imported.kept.unknown_documents == 2


def test_a_run_that_came_before_the_documents_is_compared_with_them_later(researcher, write):
    collection = Collection.objects.create(name="Runs first", owner=researcher)
    run = import_run(collection, write("a.run", "1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n"), by=researcher).kept
    assert run.unknown_documents == 0
    import_documents(collection, write("d.jsonl", '{"_id": "d1", "text": "Owls"}\n'), by=researcher)
    run.refresh_from_db()
    assert run.unknown_documents == 1


def test_topics_without_results_are_counted(collection, researcher, write):
    assert import_run(collection, write("a.run", "1 Q0 d1 1 2 a\n"), by=researcher).counts["topics_without_rows"] == 1


def test_only_mentioned_needs_something_that_mentions(collection, researcher, write):
    path = write("d.jsonl", '{"_id": "d7", "text": "Geese"}\n')
    with pytest.raises(BadFile, match="no runs and no qrels"):
        import_documents(collection, path, by=researcher, only_mentioned=True)


def test_only_mentioned_when_nothing_is(collection, runs, researcher, write):
    path = write("d.jsonl", '{"_id": "d7", "text": "Geese"}\n')
    with pytest.raises(BadFile, match="not one of its 1 document is mentioned"):
        import_documents(collection, path, by=researcher, only_mentioned=True)


def test_progress_is_told_in_lines(collection, researcher, write):
    path = write("d.jsonl", "".join(f'{{"_id": "x{n}", "text": "Geese"}}\n' for n in range(5000)))
    counts = []
    import_documents(collection, path, by=researcher, progress=counts.append)
    assert counts == [2000, 4000, 5000]


def test_a_web_page_is_linked_and_nothing_else(collection, researcher, write):
    lines = '{"_id": "x1", "text": "a", "url": "https://example.org"}\n{"_id": "x2", "text": "b", "url": "javascript:alert(1)"}\n'
    import_documents(collection, write("d.jsonl", lines), by=researcher)
    assert list(collection.documents.filter(docno__startswith="x").values_list("url", flat=True)) == ["https://example.org", ""]


def test_a_name_is_the_files_without_its_endings(collection, researcher, write):
    run = import_run(collection, write("bm25.title.run", "1 Q0 d1 1 2 a\n"), by=researcher, filename="bm25.title.run.xz").kept
    assert (run.name, run.source_name) == ("bm25.title", "bm25.title.run.xz")


def test_a_collection_in_beirs_files(researcher, write):
    collection = Collection.objects.create(name="BEIR", owner=researcher)
    corpus = '{"_id": "a1", "title": "Owls", "text": "eat voles", "metadata": {}}\n{"_id": "a2", "title": "", "text": "Ducks"}\n'
    import_documents(collection, write("corpus.jsonl", corpus), by=researcher)
    import_topics(collection, write("queries.jsonl", '{"_id": "q1", "text": "diet of owls", "metadata": {}}\n'), by=researcher)
    tsv = "query-id\tcorpus-id\tscore\nq1\ta1\t2\nq1\ta2\t0\n"
    qrels = import_qrels(collection, write("test.tsv", tsv), by=researcher).kept
    assert list(collection.documents.values_list("docno", "title", "text")) == [("a1", "Owls", "eat voles"), ("a2", "", "Ducks")]
    assert collection.topics.get().title == "diet of owls"
    assert qrels_frame(qrels).rows() == [("q1", "a1", 2), ("q1", "a2", 0)]


def test_a_collection_in_trecs_files(researcher, write):
    collection = Collection.objects.create(name="TREC", owner=researcher)
    document = "<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<HEADLINE>Owls</HEADLINE>\n<TEXT>\nThey eat voles.\n</TEXT>\n</DOC>\n"
    topic = "<top>\n<num> Number: 301\n<title> diet of owls\n<desc> Description:\nWhat do owls eat?\n</top>\n"
    import_documents(collection, write("ft911", document), by=researcher)
    import_topics(collection, write("topics", topic), by=researcher)
    run = import_run(collection, write("x.run", "301 Q0 FT911-3 1 2 a\n"), by=researcher).kept
    assert list(collection.documents.values_list("docno", "title", "text")) == [("FT911-3", "Owls", "They eat voles.")]
    assert list(collection.topics.values_list("number", "title", "description")) == [("301", "diet of owls", "What do owls eat?")]
    assert run.unknown_documents == 0


def test_cranfields_relevance_file_needs_no_format(collection, researcher, tmp_path):
    path = tmp_path / "cranqrel"
    path.write_text("1 184 2 \n1 29 1 \n1 12 -1\n2 12 4\n2 7 -1\n")
    collection.documents.filter(docno="d1").update(docno="184")
    qrels = import_qrels(collection, path, by=researcher).kept
    assert qrels.grade_counts == {"-1": 2, "1": 1, "2": 1, "3": 1}
    assert qrels.recipe["format"] == "smart"
    assert "1 → 3" in qrels.recipe["scale"]
