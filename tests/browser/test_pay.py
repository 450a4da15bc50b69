"""Pay in a browser: the form says both ways as one types, other settings are tried, a bonus is given, the worker sees it."""

import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.joining import read_instructions, ready_to_judge
from tests.browser.test_main_job import judge_by_key

pytestmark = pytest.mark.browser


@pytest.fixture
def researcher(browse):
    def open_one(size="desktop", **more):
        watched = browse(size, **more)
        watched.page.goto("/")
        watched.follow(watched.page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)))
        return watched

    return open_one


def draft(watched, name: str) -> None:
    """The form of a new study over the demo's collection, paid by the judgement."""
    page = watched.page
    page.goto("/studies/new/?collection=1")
    page.fill("[name=name]", name)
    page.fill("[name=depth]", "1")
    page.check("[name=paid][value=judgement]")
    page.fill("[name=pay_a_judgement]", "0.06")


@PHONE_IN_SOAK
def test_the_form_says_the_other_way_and_shows_what_the_choice_needs(researcher, size):
    watched = researcher(size)
    draft(watched, "Said both ways")
    page, sentence = watched.page, watched.page.locator("#pay-said")
    assert sentence.inner_text() == "0.06 EUR each, about 8.64 EUR an hour at 25 s."
    assert page.locator("[name=pay_an_hour]").is_hidden()
    page.fill("[name=seconds_a_judgement]", "30")
    assert "about 7.20 EUR an hour at 30 s" in sentence.inner_text()
    page.check("[name=paid][value=hour]")
    page.fill("[name=pay_an_hour]", "12")
    assert sentence.inner_text() == "12.00 EUR an hour, about 0.10 EUR each at 30 s."
    watched.check("study-form-pay")
    page.check("[name=paid][value=no]")
    assert sentence.inner_text() == ""
    assert page.locator("[name=pay_screened_out]").is_hidden()


def test_a_study_without_pay_says_so_before_one_joins(browse):
    worker = browse()
    worker.page.goto("/")
    worker.follow(worker.page.get_by_role("link", name="Start judging"))
    assert "unpaid" in worker.page.locator("dl.facts").first.inner_text()


def test_without_a_script_every_field_is_there(researcher):
    watched = researcher(javascript=False)
    draft(watched, "Without a script")
    assert watched.page.locator("[name=pay_an_hour]").is_visible()


@pytest.mark.slow
def test_from_the_plan_to_the_bonus(researcher, browse, size):
    watched = researcher(size)
    draft(watched, f"Paid on a {size}")
    page = watched.page
    page.get_by_text("More where workers disagree").click()
    page.get_by_label("Items per worker").fill("2")
    watched.follow(page.get_by_role("button", name="Save and see the plan"))
    watched.follow(page.get_by_role("link", name=re.compile("Launch the study")))
    watched.check("launch-plan")
    page.get_by_label("Workers per item", exact=True).fill("3")
    watched.follow(page.get_by_role("button", name="Count again"))
    assert "overlap=3" in page.url
    watched.check("launch-what-if")
    watched.follow(page.get_by_role("link", name="Back to the draft’s own"))
    watched.follow(page.get_by_role("button", name=re.compile("Launch: order")))
    link = page.locator("input[id^=link-]").first.input_value()
    worker = browse(size)
    worker.page.goto(link)
    assert "0.06 EUR a document, about 8.64 EUR an hour at 25 seconds each" in worker.page.inner_text("body")
    worker.page.check("[name=agree]")
    worker.follow(worker.page.get_by_role("button", name="Start judging"))
    read_instructions(worker.page)
    ready_to_judge(worker.page)
    judge_by_key(worker.page, "2")
    worker.page.wait_for_selector("#worker-progress .wage:visible:has-text('0.06 EUR')")
    judge_by_key(worker.page, "1")
    worker.page.get_by_role("heading", name="All done, thank you").wait_for()
    earned = worker.page.locator(".stats").inner_text()
    assert "0.12 EUR" in earned and "0.06 EUR a document" in earned
    watched.follow(page.get_by_role("link", name="Pay", exact=True))
    page.get_by_role("checkbox", name=re.compile("Bonus for w")).check()
    page.get_by_label("Bonus (EUR)").fill("1.50")
    page.get_by_label("Reason").fill("careful notes")
    watched.follow(page.get_by_role("button", name="Give it to each of them"))
    assert "Given: 1.50 EUR to 1 worker." in page.inner_text("body")
    watched.check("study-pay")
    worker.page.goto(re.sub(r"(/judge/\d+/).*", r"\1work/", worker.page.url))
    assert "careful notes" in worker.page.inner_text("body")
    worker.check("my-work")
