"""Result lists as search sites show them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.collections.parsers import ParsedResult
from judging.collections.parsers.shown_results import as_markup, as_text

HEADER = "topic,rank,title,url,snippet,docno,system,score\n"


def test_a_table_of_two_systems(files):
    content = HEADER + "1,1,Owls,http://x.org/1,eat voles,d1,A,9.5\n1,1,Ducks,,,d2,B,\n1,2,Geese,,,,,1\n"
    assert files.read("results", "r.csv", content) == [
        ParsedResult("A", "1", 1, "d1", "Owls", "http://x.org/1", "eat voles", 2),
        ParsedResult("B", "1", 1, "d2", "Ducks", "", "", 3),
        ParsedResult("Site A", "1", 2, "Site%20A/1/2", "Geese", "", "", 4),
    ]


def test_a_result_is_known_by_its_docno_or_else_by_its_url(files):
    lines = [
        {"topic": "1", "rank": 1, "url": "https://x.org/a b", "title": "Owls"},
        {"topic": "1", "rank": 2, "url": "https://x.org/2", "docno": "d2"},
    ]
    results = files.read("results", "r.jsonl", "\n".join(map(json.dumps, lines)))
    assert [(result.docno, result.url) for result in results] == [
        ("https://x.org/a%20b", "https://x.org/a b"),
        ("d2", "https://x.org/2"),
    ]


def test_results_without_docno_and_url_are_shared_by_no_two_systems(files):
    results = files.read("results", "r.csv", "topic,rank,title,system\n1,1,Owls,A\n1,1,Owls,B\n")
    assert [result.docno for result in results] == ["A/1/1", "B/1/1"]


def test_a_line_a_list(files):
    lists = {"qid": 7, "engine": "A", "results": [{"title": "Owls"}, {"link": "http://x.org", "id": 3}]}
    assert files.read("results", "r.jsonl", json.dumps(lists)) == [
        ParsedResult("A", "7", 1, "A/7/1", "Owls", "", "", 1),
        ParsedResult("A", "7", 2, "3", "", "http://x.org", "", 1),
    ]


def test_other_names_and_whole_numbers_with_a_point(files):
    content = "\ufeffQuery ID\tPosition\tHeadline\tLink\tDescription\r\n1\t3.0\tOwls\tx.org\teat voles\r\n"
    assert files.read("results", "r.tsv", content) == [ParsedResult("Site A", "1", 3, "x.org", "Owls", "x.org", "eat voles", 2)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<b>Owl</b> &amp; <em class='hit'>vole</em>", "Owl & vole"),
        ("<STRONG>Owl</STRONG><mark>s</mark> 1 < 2", "Owls 1 < 2"),
        ("one<br/>two<p>three</p>", "one two three"),
        ("<script>alert(1)</script> &lt;b&gt;", "<script>alert(1)</script> <b>"),
        ("List<String>  of\nlines", "List<String> of lines"),
        ("", ""),
    ],
)
def test_markers_go_and_all_else_is_text(written, read):
    assert as_text(written) == read


@given(st.text().map(as_text) | st.sampled_from(["<b>", "&lt;", "&amp;lt;", "a < b", "AT&T"]))
def test_text_that_was_read_can_be_written_and_read_again(text):
    assert as_text(as_markup(text)) == text


def test_an_apostrophe_that_is_none_stays(files):
    (result,) = files.read("results", "r.csv", "topic,rank,title\n1,1,'Tis the season\n")
    assert result.title == "'Tis the season"


RANK = "expected a whole number from 0 to 1,000,000"
NAMES = '"topic", "qid", "query_id" or "topic_id"'


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("rank,title\n1,x\n", [f"line 1: no column for the topic; expected {NAMES}, found: rank, title"]),
        ("topic,rank,title\n,1,x\n", ['line 2: missing topic in column "topic"']),
        ("topic,rank,title\na b,1,x\n", ["line 2: topic id 'a b' contains white space; an id is one word, as in run files"]),
        ("topic,rank,title\n1,,x\n", [f"line 2: missing rank; {RANK}"]),
        ("topic,rank,title\n1,1000001,x\n", [f"line 2: the rank is 1000001; {RANK}"]),
        (f"topic,rank,title\n1,1,{'x' * 2001}\n", ["line 2: the title has 2,001 characters; at most 2,000 are accepted"]),
        (
            "topic,rank,url\n1,1,x\n1,2,x\n",
            ["line 3: document x of topic 1 again; it is on line 2 already. Results that share an address need a docno each"],
        ),
        ('{"topic": "1", "title": "x"}', [f"line 1: missing rank; {RANK}"]),
        ('{"topic": "1", "results": {}}', ['line 1: "results": expected a list, found an object']),
        (
            '{"topic": "1", "results": [{"title": "x"}, 2, {"title": ["y"]}, {}]}',
            [
                "line 1: nothing to show; expected a title, a url or a snippet",
                "line 1: result 2: expected an object, found a number",
                'line 1: result 3: "title": expected text, found a list',
            ],
        ),
        (
            '{"topic": "1", "rank": 1, "title": "\\u0000"}',
            ["line 1: contains a NUL character or half of a surrogate pair"],
        ),
    ],
)
def test_what_is_wrong_is_said(files, content, problems):
    name = "r.jsonl" if content.startswith("{") else "r.csv"
    assert files.problems("results", name, content) == [f"{name}, {problem}" for problem in problems]


def test_lists_without_results(files):
    problems = files.problems("results", "r.jsonl", '{"topic": "1", "results": []}')
    assert problems == ["r.jsonl: no results found; read as JSON Lines: one object a line"]
