"""Household tips: every page is whole, and every grade is of a page and a query that there are."""

import re
from collections import defaultdict

import pytest

from judging.demo import household


@pytest.fixture(scope="module")
def tips():
    return household.load()


def test_every_page_has_a_name_of_its_own_a_title_and_a_text(tips):
    assert len({page.docno for page in tips.documents}) == len({page.title for page in tips.documents}) == len(tips.documents)
    assert all(re.fullmatch("[a-z]+(-[a-z]+)+", page.docno) and page.title and len(page.text) > 80 for page in tips.documents)


def test_every_query_has_pages_of_each_grade(tips):
    grades = defaultdict(set)
    for topic, _, grade in tips.qrels.rows:
        grades[topic].add(grade)
    assert grades == {topic.number: {0, 1, 2, 3} for topic in tips.topics}
    assert all(topic.title and topic.description and topic.narrative for topic in tips.topics)


def test_a_grade_of_an_unknown_page_would_be_noticed(tips):
    listed = sum(grade > 0 for *_, grade in tips.qrels.rows)
    assert listed == sum(len(grades) for grades in household.read_topics()[1].values())
