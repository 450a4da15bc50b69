"""SMART files in miniature: records, the numbering of topics, relevance codes."""

import pytest

from judging.collections.parsers import SCALES, ParsedDocument, ParsedTopic


def test_a_document_has_a_title_and_a_text_and_leaves_the_rest(files):
    content = (
        ".X\n.I 1\n.T \nOne\nday\n.A\nAuthor\n.A\nOther\n.B\n1958\n.W\nFirst.\n\n  .5 per cent.\n.X\n1\t5\t1\n.I 2\n.W\nSecond.\n"
    )
    assert files.read("documents", "c.all", content) == [
        ParsedDocument("1", "One day", "First.\n\n  .5 per cent.", "", 2),
        ParsedDocument("2", "", "Second.", "", 18),
    ]


@pytest.mark.parametrize(
    ("identifiers", "numbering", "numbers"),
    [
        (["001", "002", "004"], "auto", ["1", "2", "3"]),
        (["001", "002", "004"], "as written", ["001", "002", "004"]),
        (["1", "2", "3"], "auto", ["1", "2", "3"]),
        (["001", "002", "003"], "auto", ["001", "002", "003"]),
        (["001", "002", "003"], "file order", ["1", "2", "3"]),
        (["4", "2", "9"], "auto", ["4", "2", "9"]),
        (["151", "152", "160"], "auto", ["151", "152", "160"]),
        (["a", "b"], "auto", ["a", "b"]),
        (["a", "b"], "file order", ["1", "2"]),
    ],
)
def test_topics_are_counted_only_where_their_numbers_have_cranfields_gaps(files, identifiers, numbering, numbers):
    content = "".join(f".I {identifier}\n.W\nquery {identifier}\n" for identifier in identifiers)
    topics = files.read("topics", "c.qry", content, number_topics=numbering)
    assert [topic.number for topic in topics] == numbers
    assert [topic.title for topic in topics] == [f"query {identifier}" for identifier in identifiers]


def test_a_title_makes_the_text_the_description(files):
    assert files.read("topics", "c.qry", ".I 1\n.T\nShort\n.W\nLong\ntext\n") == [
        ParsedTopic("1", "Short", "Long\ntext", "", (), 1)
    ]


def test_cranfields_codes_fall_and_grades_rise(files):
    content = "1 10 1\n1 11 2\n1 12 3\n1 13 4\n1 14 5\n1 15 -1\n"
    assert [judgement.grade for judgement in files.read("qrels", "cranqrel", content)] == [3, 2, 1, 1, 0, -1]
    assert [judgement.grade for judgement in files.read("qrels", "cranqrel", content, scale="cranfield-0-4")] == [
        4,
        3,
        2,
        1,
        0,
        -1,
    ]
    assert [judgement.grade for judgement in files.read("qrels", "cranqrel", content, scale="as written")] == [1, 2, 3, 4, 5, -1]


@pytest.mark.parametrize("scale", ["cranfield", "cranfield-0-4"])
def test_a_better_code_never_gets_a_lower_grade(scale):
    grades = [SCALES[scale].grades[code] for code in (1, 2, 3, 4, 5, -1)]
    assert grades == sorted(grades, reverse=True)


def test_pairs_are_relevant_and_numbers_lose_their_padding(files):
    assert files.read("qrels", "CISI.REL", "     1     28\t0\t0.000000\n") == [("1", "28", 1, 1)]
    assert files.read("qrels", "CACM.REL", "01 1410  0 0\n") == [("1", "1410", 1, 1)]
    assert files.read("qrels", "CRAN.REL", "1 184\n\n1 d29\n") == [("1", "184", 1, 1), ("1", "d29", 1, 3)]


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("documents", ".I\n.W\nx\n.I 2\n.W\ny\n", ["s, line 1: missing document id; expected .I and a number"]),
        ("documents", ".I 1\n.A\nx\n.I 2\n.W\ny\n", ["s, line 1: document 1 has no .T and no .W; expected at least one of them"]),
        ("documents", ".I 1\nlost\nlost\n.W\nx\n", [
            "s, line 2: text outside of a field; expected .I and a number, then .T or .W"
        ]),
        ("documents", ".I 1\n.W\nx\n.I 1\n.W\ny\n", ["s, line 4: duplicate document 1; it was first on line 1"]),
        ("documents", ".I 1\n.W\nx\n.I 1 2\n.W\ny\n", [
            "s, line 4: document id '1 2' contains white space; an id is one word, as in run files"
        ]),
        ("topics", ".I 1\n.W\n.I 2\n.W\ny\n", ["s, line 1: topic 1 has no title; expected its query"]),
        ("topics", ".I 1\n.W\nx\n.I\n.W\ny\n", ["s, line 4: missing topic number; expected .I and a number"]),
        ("qrels", "1 2 3\n1 2\n1 2 6\n1 3 x\n1 2 1\n", [
            "s, line 2: expected 3 columns, found 2",
            "s, line 3: the code is 6; expected -1, 1, 2, 3, 4 or 5",
            "s, line 4: the code is x; expected -1, 1, 2, 3, 4 or 5",
            "s, line 5: topic 1 judges document 2 twice; it was first on line 1",
        ]),
        ("qrels", "1 0 28 1\n", ["s, line 1: expected 0 in columns 3 and 4 (a relevance file like CISI's), found 28"]),
        ("qrels", "1 2 3 4 5\n", [
            "s, line 1: expected a topic, a document and a code, or a topic, a document and two zeros, found 5 columns"
        ]),
        ("qrels", "\n\n", ["s: no judgements found; expected a topic, a document and a code on each line"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(files, kind, content, expected):
    assert files.problems(kind, "s", content) == expected


def test_a_record_that_never_ends_is_not_gathered(files, monkeypatch):
    monkeypatch.setattr("judging.collections.parsers.smart.MAX_LENGTH", 100)
    content = ".I 1\n.W\n" + "word\n" * 100 + ".I 2\n.W\nshort\n"
    assert files.problems("documents", "s", content) == [
        "s, line 1: the record is longer than 100 characters, the longest accepted"
    ]
