"""JSON Lines, BEIR's and anybody's."""

import pytest

from judging.collections.parsers import ParsedDocument, ParsedTopic


def test_a_beir_corpus(files):
    content = (
        '{"_id": "MED-10", "title": "Statin  use", "text": "Recent studies\\nhave …", "metadata": {"url": "https://x.org/1"}}\n'
        '{"_id": 7, "title": "", "text": "Seven", "metadata": {}}\n'
    )
    assert files.read("documents", "corpus.jsonl", content) == [
        ParsedDocument("MED-10", "Statin use", "Recent studies\nhave …", "https://x.org/1", 1),
        ParsedDocument("7", "", "Seven", "", 2),
    ]


def test_beir_queries(files):
    content = '\n{"_id": "PLAIN-2", "text": "Do  cholesterol drugs help?", "metadata": {}}\n'
    assert files.read("topics", "queries.jsonl", content) == [ParsedTopic("PLAIN-2", "Do cholesterol drugs help?", "", "", (), 2)]


def test_documents_under_other_names(files):
    first = '{"DocID": "a", "Headline": "H", "body": "B", "URL": "http://x.org", "year": 1}'
    content = first + '\n{"id": "b", "abstract": "A", "url": null}'
    assert files.read("documents", "d.json", content) == [
        ParsedDocument("a", "H", "B", "http://x.org", 1),
        ParsedDocument("b", "", "A", "", 2),
    ]


def test_topics_under_other_names(files):
    content = '{"qid": 3, "query": "q", "question": "d?", "narr": "n"}\n{"topic_id": "x", "title": "t", "text": "left out"}'
    assert files.read("topics", "t.jsonl", content) == [
        ParsedTopic("3", "q", "d?", "n", (), 1),
        ParsedTopic("x", "t", "", "", (), 2),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_id": "a", "text": }', "not JSON: Expecting value in column 22; expected one object a line"),
        ('["a"]', "expected one JSON object a line, found a list"),
        ("3", "expected one JSON object a line, found a number"),
        ('{"title": "x"}', 'missing document id; expected a key "_id"'),
        ('{"_id": null, "text": "x"}', 'missing document id; expected a key "_id"'),
        ('{"_id": true, "text": "x"}', '"_id": expected text, found true or false'),
        ('{"_id": "a", "text": ["x"]}', '"text": expected text, found a list'),
        ('{"_id": "a", "title": {"x": 1}}', '"title": expected text, found an object'),
        ('{"_id": "a", "text": "\\u0000"}', "document a contains a NUL character or half of a surrogate pair"),
        ('{"_id": "a", "text": "\\ud800"}', "document a contains a NUL character or half of a surrogate pair"),
        ('{"_id": "a\\u0001", "text": "x"}', "document id 'a\\x01' contains a character that cannot be printed"),
        ('{"_id": "a", "text": "  "}', "document a has neither title nor text; expected at least one of them"),
        ('{"_id": "ok", "text": "again"}', "duplicate document ok; it was first on line 1"),
        ('{"_id": ' + "[" * 100_000, "not usable JSON: nested too deeply"),
        ('{"_id": ' + "1" * 5_000 + "}", "not usable JSON: a number with too many digits"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_and_the_next_one_read(files, line, message):
    content = '{"_id": "ok", "text": "fine"}\n' + line + '\n{"_id": "ok2", "text": ""}\n'
    assert files.problems("documents", "c.jsonl", content) == [
        f"c.jsonl, line 2: {message}",
        "c.jsonl, line 3: document ok2 has neither title nor text; expected at least one of them",
    ]


def test_the_accepted_names_are_in_the_message(files):
    assert files.problems("documents", "d.jsonl", '{"name": "a", "text": "x"}') == [
        'd.jsonl, line 1: missing document id; expected a key "docno", "doc_id", "docid", "document_id", "id" or "_id"'
    ]
    assert files.problems("topics", "t.jsonl", '{"qid": "1"}') == ["t.jsonl, line 1: topic 1 has no title; expected its query"]


def test_one_json_array_is_not_json_lines(files):
    assert files.problems("documents", "d.json", '[{"id": "a", "text": "x"}]') == [
        "d.json: this is one JSON array; expected JSON Lines, one object a line"
    ]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "www.example.org", "https://x.org/" + "a" * 2000])
def test_an_address_that_no_page_should_link_to_is_left_out(files, url):
    content = f'{{"id": "a", "text": "x", "url": "{url}"}}'
    assert files.read("documents", "d.jsonl", content)[0].url == ""
    assert files.warnings("documents", "d.jsonl", content) == [
        "d.jsonl, line 1: the url of document a is left out; expected http:// or https://, at most 2,000 long"
    ]
