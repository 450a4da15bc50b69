"""TREC's <DOC> records: from the disks, from Web crawls, from Gigaword, and what is wrong with them."""

import pytest

from judging.collections.parsers import ParsedDocument


def test_a_document_of_the_ad_hoc_disks(files):
    content = """
<DOC>
<DOCNO> FT911-3 </DOCNO>
<DATE>910514</DATE>
<HEADLINE>
FT  14 MAY 91 / International Company News: Contigas plans
DM900m east German project
</HEADLINE>
<TEXT>
CONTIGAS, the German gas group, said yesterday it intends to
invest DM900m (Dollars 522m) in the next four years.
<!-- PJG 0012 frnewline -->
<P>
Eastern gas &amp; electricity.
</P>
</TEXT>
</DOC>
"""
    assert files.read("documents", "ft.sgml", content) == [
        ParsedDocument(
            docno="FT911-3",
            title="FT 14 MAY 91 / International Company News: Contigas plans DM900m east German project",
            text="CONTIGAS, the German gas group, said yesterday it intends to\n"
            "invest DM900m (Dollars 522m) in the next four years.\nEastern gas & electricity.",
            url="",
            line=2,
        )
    ]


def test_several_text_fields_are_one_text(files):
    content = "<DOC>\n<DOCNO>AP1</DOCNO>\n<HEAD>First</HEAD>\n<HEAD>Second</HEAD>\n<TEXT>One.</TEXT>\n<TEXT>Two.</TEXT>\n</DOC>\n"
    (document,) = files.read("documents", "ap", content)
    assert (document.title, document.text) == ("First", "One.\n\nTwo.")


def test_a_web_page_gives_its_address_its_title_and_what_a_reader_sees(files):
    content = """<DOC>
<DOCNO>GX000-00-0000000</DOCNO>
<DOCHDR>
http://sgra.jpl.nasa.gov
HTTP/1.1 200 OK
</DOCHDR>
<html><head><title>JPL &amp; Co</title><STYLE>p {color: red}</STYLE></head>
<SCRIPT>if (1 < 2) run();</SCRIPT>
<h1>Welcome</h1><p>to the <b>jet</b> laboratory<h3>unclosed
</html>
</DOC>"""
    (document,) = files.read("documents", "gov2.txt", content)
    assert document.url == "http://sgra.jpl.nasa.gov"
    assert document.title == "JPL & Co"
    assert document.text == "Welcome\nto the jet laboratory\nunclosed"


def test_gigaword_has_its_ids_in_an_attribute(files):
    text = "<TEXT>\n<P>\nA.\n</P>\n<P>\nB.\n</P>\n</TEXT>"
    content = f'<DOC id="AFP_ENG_1" type="story" >\n<HEADLINE>\nOne\n</HEADLINE>\n{text}\n</DOC>\n'
    (document,) = files.read("documents", "afp", content)
    assert (document.docno, document.title, document.text) == ("AFP_ENG_1", "One", "A.\nB.")


def test_tags_may_be_of_any_case_and_share_lines(files):
    content = "<doc><docno>a</docno><text>x</text></doc><DOC><DOCNO>b</DOCNO>\n<TEXT>y</TEXT></DOC>"
    assert [(d.docno, d.text, d.line) for d in files.read("documents", "f", content)] == [("a", "x", 1), ("b", "y", 1)]


def test_a_prologue_and_a_root_element_are_no_text(files):
    content = '<?xml version="1.0"?>\n<docs>\n<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n</docs>\n'
    assert [document.docno for document in files.read("documents", "f.xml", content)] == ["a"]


def test_scripts_in_capitals_go_from_texts_with_other_letters_too(files):
    text = "<P>Café İ</P><SCRIPT>if (1 < 2) run();</SCRIPT><STYLE>p {}</STYLE><p>owl</p>"
    content = f"<DOC><DOCNO>a</DOCNO><TEXT>{text}</TEXT></DOC>"
    assert files.read("documents", "f", content)[0].text == "Café İ\nowl"


def test_what_is_no_tag_stays(files):
    content = "<DOC><DOCNO>a</DOCNO><TEXT>if x < 3 and y > 4, 1<2; AT&T; &lt;b&gt;</TEXT></DOC>"
    assert files.read("documents", "f", content)[0].text == "if x < 3 and y > 4, 1<2; AT&T; <b>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<DOC>\n<TEXT>x</TEXT>\n</DOC>", ["f, line 1: missing document id; expected <DOCNO> … </DOCNO>"]),
        (
            "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>x</TEXT>\n<DOC>\n<DOCNO>b</DOCNO>\n<TEXT>y</TEXT>\n</DOC>",
            ["f, line 1: <DOC> is not closed; expected </DOC> before the next <DOC> on line 4"],
        ),
        ("<DOC>\n<DOCNO>a</DOCNO>\n", ["f, line 1: <DOC> is not closed; expected </DOC> before the end of the file"]),
        (
            "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>x\n</DOC>",
            ["f, line 3: <TEXT> is not closed; expected </TEXT> before </DOC>"],
        ),
        (
            "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\nstray\nmore\n</DOC>",
            ["f, line 5: text outside of <DOC> … </DOC>; expected <DOC>", "f, line 7: </DOC> without a <DOC> before it"],
        ),
        (
            "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT></TEXT>\n</DOC>",
            ["f, line 1: document a has neither title nor text; expected at least one of them"],
        ),
    ],
)
def test_what_is_wrong_is_said(files, content, expected):
    assert files.problems("documents", "f", content) == expected


def test_every_problem_is_found_not_only_the_first(files):
    record = "<DOC>\n<DOCNO>{}</DOCNO>\n<TEXT>{}</TEXT>\n</DOC>\n"
    content = record.format("a b", "x") + record.format("c", "") + record.format("d", "x") + record.format("d", "x")
    assert files.problems("documents", "f", content) == [
        "f, line 1: document id 'a b' contains white space; an id is one word, as in run files",
        "f, line 5: document c has neither title nor text; expected at least one of them",
        "f, line 13: duplicate document d; it was first on line 9",
    ]


def test_a_document_that_never_ends_is_not_gathered(files, monkeypatch):
    monkeypatch.setattr("judging.collections.parsers.sgml.MAX_LENGTH", 1000)
    content = "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>" + "word \n" * 200 + "</TEXT>\n</DOC>\n<DOC><DOCNO>b</DOCNO><TEXT>x</TEXT></DOC>"
    assert files.problems("documents", "f", content) == ["f, line 1: <DOC> holds more than 1,000 characters, the most accepted"]
