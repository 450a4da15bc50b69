"""A graded study from its draft on: topics, a budget, own checks; and from kept grades to a report and what to judge next."""

import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_main_job import enter_as_researcher

pytestmark = pytest.mark.browser
QRELS = "MITRE mappings (CWE 4.14)"


@pytest.fixture
def drafting(browse, size):
    """A draft of twenty topics and two hundred judgements, until the test is through with it."""
    watched = browse(size)
    page = watched.page
    enter_as_researcher(page)
    page.goto("/studies/new/?collection=1")
    page.get_by_label("Name").fill(f"Drafted on a {size}")
    page.get_by_text("Only some of the topics").click()
    page.get_by_label("Number of topics, drawn at random").fill("20")
    page.get_by_text("A budget instead of a depth").click()
    page.get_by_label("Budget, in judgements").fill("200")
    watched.check("study-form")
    watched.follow(page.get_by_role("button", name="Save and see the plan"))
    address = page.url
    yield watched
    page.goto(f"{address}delete/")
    watched.follow(page.get_by_role("button", name="Delete"))


def test_a_draft_with_topics_a_budget_and_checks(drafting):
    page = drafting.page
    assert page.get_by_text("drawn at random").is_visible()
    assert page.get_by_text("within the budget of").is_visible()
    drafting.follow(page.get_by_role("link", name="Make checks"))
    page.get_by_label("Grades from").select_option(label=QRELS)
    page.get_by_label("Use them as").select_option("gold")
    page.get_by_label("How many").first.fill("3")
    drafting.follow(page.get_by_role("button", name="Take them"))
    assert page.get_by_role("heading", name="3 checks").is_visible()
    drafting.check("study-checks-draft")
    drafting.follow(page.get_by_role("link", name="Judge documents of the pool"))
    pair = page.locator("[name=pair]").input_value()  # the same document may stand under another topic, too
    page.get_by_label("2 Relevant").check()
    drafting.check("study-own-grades")
    drafting.follow(page.get_by_role("button", name="Keep, and show another"))
    assert page.locator("[name=pair]").input_value() != pair
    drafting.follow(page.get_by_role("link", name="Done"))
    drafting.follow(page.get_by_role("link", name="Rules"))
    assert page.get_by_text("It will catch nobody: it waits for 10 gold items").is_visible()
    drafting.follow(page.get_by_role("link", name="Preview").first)
    drafting.follow(page.get_by_role("button", name="Make this rule"))
    drafting.follow(page.get_by_role("link", name="Plan"))
    assert page.get_by_text("1 pooled document has a grade of yours").is_visible()
    assert page.get_by_text("It will catch nobody").is_visible()
    drafting.check("study-plan")
    drafting.follow(page.get_by_role("link", name="In other languages"))
    drafting.check("study-languages")
    page.get_by_label("Name", exact=True).fill("Entwurf")
    drafting.follow(page.get_by_role("button", name=re.compile("^Keep in")))
    assert page.get_by_label("Name", exact=True).input_value() == "Entwurf"


@PHONE_IN_SOAK
def test_from_kept_grades_to_a_report_and_what_to_judge_next(browse, size):
    watched = browse(size)
    page = watched.page
    enter_as_researcher(page)
    page.goto("/collections/1/")
    watched.follow(page.locator("#qrels").get_by_role("link", name=QRELS).first)
    watched.check("qrels")
    watched.follow(page.get_by_role("button", name="Make a report"))
    page.wait_for_selector("#explore .plot svg", timeout=60_000)
    watched.follow(page.get_by_role("link", name="Judge next"))
    page.get_by_role("button", name="Begin a study").wait_for()
    assert not watched.complaints
