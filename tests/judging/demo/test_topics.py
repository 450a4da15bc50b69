"""Ten categories and 40 vulnerabilities, chosen by a rule that can be checked."""

import re
from itertools import combinations

import pytest

from judging.demo.cwe import Weakness
from judging.demo.owasp_topics import vulnerabilities


def observed(number, *examples, name="Some Weakness"):
    return Weakness(number, name, "The product does something wrong.", withdrawn=False, observed=examples)


def queries(*weaknesses):
    return [(vulnerability.topic.number, vulnerability.mapped) for vulnerability in vulnerabilities(weaknesses)]


TEXT = "Mail program runs every attachment that it receives without first asking the user about it"


def test_the_top_ten_have_their_short_names(demo):
    top_ten = demo.topics[:10]
    assert [topic.number for topic in top_ten] == [f"A{rank:02}" for rank in range(1, 11)]
    assert top_ten[0].title == "Broken Access Control"
    assert top_ten[0].description.startswith(
        'Weaknesses in this category are related to the A01 category "Broken Access Control"'
    )
    assert top_ten[9].title == "Server-Side Request Forgery (SSRF)"


def test_forty_vulnerabilities_follow(demo):
    chosen = demo.topics[10:]
    assert len({topic.number for topic in chosen}) == len({topic.title for topic in chosen}) == 40
    assert all(re.fullmatch(r"CVE-\d{4}-\d{4,}", topic.number) for topic in chosen)


def test_their_queries_are_about_the_vulnerability_and_can_be_searched(demo):
    for topic in demo.topics[10:]:
        assert 12 <= len(topic.title.split()) <= 40, topic.number
        assert not re.search(r"CWE-?\d|CVE-|\bchain\b", topic.title, re.IGNORECASE), topic.number


def test_their_tags_tell_categories_from_vulnerabilities(demo):
    assert [list(topic.tags) for topic in demo.topics] == [["category"]] * 10 + [["vulnerability"]] * 40


def test_every_topic_says_what_is_relevant(demo):
    assert all(topic.description and topic.narrative.startswith("A relevant document") for topic in demo.topics)


def test_no_two_vulnerabilities_ask_for_the_same_document(demo):
    wanted: dict[str, set[str]] = {}
    for topic, docno, _ in demo.qrels.rows:
        if topic.startswith("CVE-"):
            wanted.setdefault(topic, set()).add(docno)
    assert all(len(documents) >= 2 for documents in wanted.values())
    assert all(docnos.isdisjoint(other) for docnos, other in combinations(wanted.values(), 2))


def test_one_cited_by_more_documents_wins_then_the_newer():
    older, newer, wide = ("CVE-2001-0001", TEXT), ("CVE-2020-10000", TEXT), ("CVE-1999-0001", TEXT)
    assert queries(observed(1, older, newer), observed(2, older, newer)) == [("CVE-2020-10000", (1, 2))]
    assert queries(observed(1, wide, newer), observed(2, wide, newer), observed(3, wide)) == [("CVE-1999-0001", (1, 2, 3))]


def test_serial_numbers_count_as_numbers():
    low, high = ("CVE-2020-9999", TEXT), ("CVE-2020-10000", TEXT)
    assert queries(observed(1, low, high), observed(2, low, high)) == [("CVE-2020-10000", (1, 2))]


@pytest.mark.parametrize(
    "example",
    [
        ("CVE-2020-0001", "too short to search with"),
        ("CVE-2020-0001", "word " * 41),
        ("CVE-2020-0001", f"{TEXT} (CWE-20)"),
        ("CVE-2020-0001", f"Chain: {TEXT}"),
        ("CVE-2020-0001", f"Some weakness: {TEXT}"),
        ("BUGTRAQ:20030203", TEXT),
    ],
    ids=["short", "long", "names a CWE", "speaks of chains", "names the weakness", "no CVE"],
)
def test_what_makes_no_query_is_passed_over(example):
    assert queries(observed(1, example), observed(2, example)) == []
    assert queries(observed(1, ("CVE-2020-0001", TEXT)), observed(2, ("CVE-2020-0001", TEXT))) != []


def test_documents_must_agree_on_the_words():
    assert queries(observed(1, ("CVE-2020-0001", TEXT)), observed(2, ("CVE-2020-0001", f"{TEXT} again"))) == []


def test_one_document_is_not_enough():
    assert queries(observed(1, ("CVE-2020-0001", TEXT)), observed(2)) == []
