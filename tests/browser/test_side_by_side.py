"""Two systems compared by people: from the launch by a researcher over three workers to the report."""

import re

import pytest

from tests.browser.joining import read_instructions
from tests.browser.pairs import see_both
from tests.browser.test_main_job import enter_as_researcher, item_of

pytestmark = [pytest.mark.browser, pytest.mark.database, pytest.mark.slow]
OTHERS = ["bm25-4grams", "tfidf-words"]
PAIRS, WORKERS_A_PAIR = 4, 3


def launch(researcher, name) -> str:
    """Drafts and launches a study of the demo's first two runs, and gives the link for workers."""
    page = researcher.page
    enter_as_researcher(page)
    page.goto("/studies/new/")
    page.get_by_label("Side by side").check()
    page.get_by_label("Collection").select_option(label=page.get_by_role("option", name="Demo: software").inner_text())
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Name", exact=True).fill(name)
    for run in OTHERS:
        page.get_by_label(run).uncheck()
    page.get_by_text("Which pairs, topics, and a budget").click()
    page.get_by_label("Which topics").select_option("sample")
    page.get_by_label("How many topics").fill(str(PAIRS))
    page.get_by_label("Workers per pair").fill(str(WORKERS_A_PAIR))
    page.get_by_text("Pairs per worker, pairs repeated with sides swapped").click()
    page.get_by_label("Repeated with sides swapped, %").fill("0")
    page.get_by_text("Which answers, marks on results, and reasons to tick").click()
    page.get_by_label("Answers").select_option("3")
    researcher.check("pairs-form")
    researcher.follow(page.get_by_role("button", name="Save and see the plan"))
    researcher.check("pairs-draft")
    researcher.follow(page.get_by_role("link", name="Launch the study"))
    researcher.check("pairs-launch")
    researcher.follow(page.get_by_role("button", name=f"Launch: order {PAIRS * WORKERS_A_PAIR} judgements"))
    researcher.check("pairs-study")
    return page.get_by_label("Link for workers").input_value()


def join(worker, link):
    page = worker.page
    page.goto(link)
    page.get_by_label("I have read this and want to take part").check()
    worker.follow(page.get_by_role("button", name="Start judging"))
    read_instructions(page)


def prefer(worker, key, most):
    """Answers up to so many pairs by a key, while there are any, and says how many."""
    page, answered = worker.page, 0
    while answered < most:
        page.wait_for_selector("form.item, h1")
        page.wait_for_load_state()
        if not page.locator("form.item").count():
            break
        page.wait_for_timeout(300)  # a key pressed sooner counts as meant for the page before
        see_both(page)
        before = item_of(page)
        page.keyboard.press(key)
        page.wait_for_function("before => document.querySelector('form.item')?.dataset.item !== before", arg=before)
        answered += 1
    page.wait_for_function("() => Object.keys(localStorage).every(key => !key.startsWith('ireval-unsent'))")
    return answered


def test_launch_three_workers_and_the_report(browse, size):
    researcher = browse(size)
    name = f"Which list, on a {size}"
    link = launch(researcher, name)
    answered = 0
    for number, key in enumerate("131"):
        worker = browse(size)
        join(worker, link)
        if number == 0:
            worker.check("pairs-judge", whole=False)
        answered += prefer(worker, key, PAIRS)
        assert not worker.complaints
    assert answered == PAIRS * WORKERS_A_PAIR
    page = researcher.page
    page.reload()
    judged = re.search(r"([\d,]+) of", page.locator("#progress .stats dd").first.inner_text())[1]
    assert int(judged) == PAIRS * WORKERS_A_PAIR
    researcher.follow(page.get_by_role("link", name="Preferences", exact=True))
    page.get_by_role("heading", name="How strongly").wait_for(timeout=60_000)
    assert f"on {PAIRS} topics by 3 workers" in page.locator(".answer").inner_text()
    page.wait_for_timeout(500)
    researcher.check("pairs-report")
    page.goto(page.url.replace("preferences/", "judgements/"))
    researcher.check("pairs-judgements")
    assert not researcher.complaints
