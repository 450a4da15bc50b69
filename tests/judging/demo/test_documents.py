"""The documents are the weaknesses that MITRE has not withdrawn, in the words of their descriptions and no others."""

import re


def letters(text):
    """What the spreadsheets have kept: they lost quotation marks and some blanks."""
    return re.sub(r"[^A-Za-z]", "", text)


def test_they_are_the_938_weaknesses_of_mitres_own_spreadsheet(demo, research_concepts):
    assert len(demo.documents) == 938
    assert {document.docno for document in demo.documents} == set(research_concepts)
    for document in demo.documents:
        assert letters(document.title) == letters(research_concepts[document.docno]["Name"])


def test_each_begins_with_the_description_that_the_spreadsheet_has(demo, research_concepts):
    for document in demo.documents:
        assert letters(document.text).startswith(letters(research_concepts[document.docno]["Description"])), document.docno


def test_each_links_to_its_page_at_mitre(demo):
    by_docno = {document.docno: document for document in demo.documents}
    assert by_docno["CWE-79"].url == "https://cwe.mitre.org/data/definitions/79.html"


def test_lists_and_paragraphs_survive(demo):
    (regex,) = [document for document in demo.documents if document.docno == "CWE-1333"]
    paragraphs = regex.text.split("\n\n")
    assert paragraphs[2] == "Backtracking becomes a weakness if all of these conditions are met:"
    assert paragraphs[3].splitlines()[1:] == [
        "- The input can fail to match the regular expression.",
        "- The input can be long enough.",
    ]


def test_no_markup_and_no_dead_references_remain(demo):
    for document in demo.documents:
        assert not re.search(r"\[REF-|xhtml|</|\t|  |\n{3}", document.text), document.docno
        assert document.text == document.text.strip() != "", document.docno


def test_none_gives_an_answer_away(demo):
    vulnerabilities = [topic for topic in demo.topics if topic.number.startswith("CVE-")]
    for document in demo.documents:
        text = f"{document.title}\n{document.text}"
        flat = " ".join(text.lower().split())
        assert not re.search(r"CVE-\d|OWASP|Top Ten|A\d\d:2021", text), document.docno
        assert not [topic.number for topic in vulnerabilities if topic.title.lower() in flat], document.docno


def test_mitres_copyright_and_licence_come_with_them(demo):
    assert "The MITRE Corporation. CWE, CWSS, CWRAF, and the CWE logo" in demo.notice
    assert "MITRE hereby grants you a non-exclusive, royalty-free license" in demo.notice
    assert "CWE™ 4.14 (2024-02-29), The MITRE Corporation" in demo.attribution
