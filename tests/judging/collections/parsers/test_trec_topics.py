"""TREC topics: NIST's <top> records without closing tags, and the XML of later tracks."""

import pytest

from judging.collections.parsers import ParsedSubtopic, ParsedTopic

ROBUST = """
<top>

<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in international criminal
activity, the activity, and, if possible, collaborating organizations
and the countries involved.

<narr> Narrative:
A relevant document must as a minimum identify the organization and the
type of illegal activity (e.g., Columbian cartel exporting cocaine).

</top>

<top>
<num> Number: 302
<title> Poliomyelitis and Post-Polio
<desc> Description:
Is the disease of Poliomyelitis (polio) under control?
</top>
"""

EARLY = """<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain:  International Economics
<title> Topic:  Airbus Subsidies
<desc> Description:
Document will discuss government assistance.
<smry> Summary:
Left out.
<narr> Narrative:
A relevant document will cite assistance.
<con> Concept(s):
1. Airbus
</top>
"""

WEB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<webtrack2012>
<topic number="151" type="faceted">
<query> 403b </query>
<description> What is a 403b plan &amp; who
is eligible? </description>
<subtopic number="1" type="inf"> What is a <b>403b</b> plan? </subtopic>
<subtopic number="2" type="nav"> Find the homepage. </subtopic>
<subtopic> Unnumbered. </subtopic>
</topic>
</webtrack2012>
"""


def test_topics_of_the_robust_track(files):
    first, second = files.read("topics", "topics.robust04.txt", ROBUST)
    assert first == ParsedTopic(
        number="301",
        title="International Organized Crime",
        description="Identify organizations that participate in international criminal\n"
        "activity, the activity, and, if possible, collaborating organizations\nand the countries involved.",
        narrative="A relevant document must as a minimum identify the organization and the\n"
        "type of illegal activity (e.g., Columbian cartel exporting cocaine).",
        subtopics=(),
        line=2,
    )
    assert (second.number, second.narrative, second.line) == ("302", "", 18)


def test_topics_of_the_first_tracks_have_fields_that_end_others(files):
    (topic,) = files.read("topics", "topics.51-100", EARLY)
    assert topic.number == "051"
    assert topic.title == "Airbus Subsidies"
    assert topic.description == "Document will discuss government assistance."
    assert topic.narrative == "A relevant document will cite assistance."


def test_closed_tags_are_fine(files):
    content = "<top>\n<num>7</num><title>seven wonders</title>\n<desc>Which?</desc>\n</top>\n"
    assert files.read("topics", "t", content) == [ParsedTopic("7", "seven wonders", "Which?", "", (), 1)]


def test_topics_of_the_web_track_have_subtopics(files):
    (topic,) = files.read("topics", "wt2012.xml", WEB)
    assert topic == ParsedTopic(
        number="151",
        title="403b",
        description="What is a 403b plan & who\nis eligible?",
        narrative="",
        subtopics=(
            ParsedSubtopic("1", "What is a 403b plan?", "inf"),
            ParsedSubtopic("2", "Find the homepage.", "nav"),
            ParsedSubtopic("3", "Unnumbered.", ""),
        ),
        line=3,
        tags=("faceted",),
    )


def test_a_bare_sequence_of_topics_needs_no_root(files):
    content = (
        '<?xml version="1.0"?>\n\n<topic number="1"><query>a</query></topic>\n<topic number="2">\n<query>b</query>\n</topic>\n'
    )
    topics = files.read("topics", "t", content)
    assert [(topic.number, topic.title, topic.line) for topic in topics] == [("1", "a", 3), ("2", "b", 4)]


def test_the_number_may_be_an_element_and_the_text_the_topics_own(files):
    content = "<TOPICS><TOPIC><NUM>9</NUM><TITLE>nine</TITLE></TOPIC><topic number='10'>\n ten  lives </topic></TOPICS>"
    assert [(topic.number, topic.title) for topic in files.read("topics", "t", content)] == [("9", "nine"), ("10", "ten lives")]


def test_latin_1_declared_in_a_utf_8_file_does_not_garble_it(files):
    content = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<topics><topic number="1"><query>café</query></topic></topics>'
    assert files.read("topics", "t", content)[0].title == "café"


BOMB = """<?xml version="1.0"?>
<!DOCTYPE topics [
 <!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<topics><topic number="1"><query>&b;</query></topic></topics>
"""
EXTERNAL = '<!DOCTYPE topics SYSTEM "file:///etc/passwd">\n<topics><topic number="1"><query>x</query></topic></topics>'
REFUSED = "document type and entity declarations are refused; remove <!DOCTYPE …>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (BOMB, [f"t, line 2: {REFUSED}"]),
        (EXTERNAL, [f"t, line 1: {REFUSED}"]),
        (
            "<topics>\n<topic number='1'>\n<query>fish & chips</query></topic></topics>",
            [
                "t, line 3: not well-formed XML: not well-formed (invalid token) in the topic that begins on line 2; "
                "expected & and < in a text to be written as &amp; and &lt;"
            ],
        ),
        (
            "<topics>\n<topic number='1'><query>x</query>\n</topics>",
            ["t, line 3: not well-formed XML: mismatched tag in the topic that begins on line 2"],
        ),
        ("<topics>\n<topic number='1'><query>x</query></topic>\n", ["t, line 2: not well-formed XML: no element found"]),
        ("<topics><topic><query>x</query></topic></topics>", ['t, line 1: missing topic number; expected <topic number="…">']),
        ('<topics>\n<topic number="5"><note/></topic></topics>', ["t, line 2: topic 5 has no title; expected its query"]),
        (
            '<topics>\n<topic number="5">a</topic>\n<topic number="5">b</topic></topics>',
            ["t, line 3: duplicate topic 5; it was first on line 2"],
        ),
        (
            '<topics>\n<topic number="5">a<subtopic number="2"/><subtopic/></topic></topics>',
            ["t, line 2: topic 5 has several subtopics of number 2; expected each number once"],
        ),
        ("<top>\n<title> no number\n</top>", ["t, line 1: missing topic number; expected <num> Number: …"]),
        ("<top>\nno field\n</top>", ["t, line 1: missing topic number; expected <num> Number: …"]),
        ("<top>\n<num> Number: 4\n</top>", ["t, line 1: topic 4 has no title; expected its query"]),
        (
            "<top>\n<num> Number: 4\n<title> x\n<top>\n<num> Number: 5\n<title> y\n</top>",
            ["t, line 1: <top> is not closed; expected </top> before the next <top> on line 4"],
        ),
    ],
)
def test_what_is_wrong_is_said(files, content, expected):
    assert files.problems("topics", "t", content) == expected


def test_an_xml_file_without_topics(files):
    assert files.problems("topics", "t", "<topics></topics>", format="trec-xml") == [
        "t: no topics found; read as TREC topics in XML: <topic number=…>"
    ]
