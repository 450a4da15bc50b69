"""Which format a file is taken for when nobody says."""

import gzip

import pytest

from ireval.io.files import BadFile
from judging.collections.parsers import FORMATS, choices, guess_format


@pytest.mark.parametrize(
    ("kind", "name", "content", "expected"),
    [
        ("documents", "corpus.jsonl", '{"title": "x", "_id" : "1", "text": ""}\n', "beir"),
        ("documents", "x", '\ufeff\n {"docno": "1", "text": "x, y"}\n', "jsonl"),
        ("documents", "cran.all", ".I 1\n.T\nx\n", "smart"),
        ("documents", "CISI.ALL", ".X\n.I 1\n.T\nx\n", "smart"),
        ("documents", "ft.txt", "<DOC>\n<DOCNO>1</DOCNO>\n<TEXT>\n.I 1\n</TEXT></DOC>", "trec"),
        ("documents", "web.xml", "<?xml version='1.0'?>\n<docs>\n<doc id='1'>", "trec"),
        ("documents", "d.csv", 'id,text\n1,"<DOC>\n.I 5\n"\n', "csv"),
        ("documents", "d.txt", "id\ttext, and more\n", "tsv"),
        ("documents", "d.txt", "id;text\n", "csv"),
        ("documents", "collection.tsv", "0\ta, b, c\n", "tsv"),
        ("topics", "queries.jsonl", '{"_id": "1", "text": "q"}\n', "beir"),
        ("topics", "t.jsonl", '{"qid": "1", "query": "q"}\n', "jsonl"),
        ("topics", "cran.qry", ".I 001\r\n.W\r\nx\r\n", "smart"),
        ("topics", "topics.301-350", "\n<top>\n<num> Number: 301\n<title> topic <topic>\n", "trec"),
        ("topics", "clef.txt", '<top lang="en">\n<num>1</num>', "trec"),
        ("topics", "topics.xml", "<topics task='x'>\n<topic number='1'>", "trec-xml"),
        ("topics", "t.csv", "qid,query\n", "csv"),
        ("topics", "queries.tsv", "1\tx\n", "tsv"),
    ],
)
def test_a_format_is_told_from_the_file(files, kind, name, content, expected):
    assert guess_format(files.write(name, content), kind) == expected


def test_compressed_files_are_looked_into(files):
    path = files.write("d.csv.gz", gzip.compress(b"id|text\n"))
    assert guess_format(path, "documents") == "csv"


def test_the_name_that_a_file_came_under_counts(files):
    path = files.write("upload-1", "id text")
    assert guess_format(path, "documents", name="mine.tsv") == "tsv"


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("documents", "", "f: the file is empty; expected documents"),
        ("topics", "\ufeff \n\n", "f: the file is empty; expected topics"),
        (
            "documents",
            "once upon a time",
            "f: cannot tell the format; expected <DOC> (TREC), .I (SMART), JSON objects or a table with a header",
        ),
        (
            "topics",
            "<DOC>",
            "f: cannot tell the format; expected <top> or <topic> (TREC), .I (SMART), JSON objects or a table with a header",
        ),
    ],
)
def test_what_is_like_no_format_is_refused(files, kind, content, message):
    with pytest.raises(BadFile) as caught:
        guess_format(files.write("f", content), kind)
    assert str(caught.value) == message


def test_a_form_offers_what_can_be_read():
    documents, topics = dict(choices("documents")), dict(choices("topics"))
    assert next(iter(documents)) == next(iter(topics)) == "auto"
    assert set(topics) - set(documents) == {"trec-xml"}
    assert set(topics) - {"auto"} == set(FORMATS)
