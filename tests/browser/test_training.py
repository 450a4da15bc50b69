"""Practice: what was right is told on the page, by keyboard and to who listens; and on a page of its own without a script."""

import contextlib
import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_judging import join, wait_for_ahead
from tests.browser.test_main_job import enter_as_researcher, item_of, open_demo_study

pytestmark = pytest.mark.browser
TOPIC = "3"
LESSONS = [("sink-snake", "3", "It clears what is **asked** for."), ("bread-freeze", "0", "")]


@contextlib.contextmanager
def practising(researcher, lessons):
    """The demo's study with documents to practise on, as a researcher adds them, until the tests are through with it."""
    page = researcher.page
    enter_as_researcher(page)
    open_demo_study(page)
    address = f"{page.url.split('#')[0]}training/"
    page.goto(address)
    for docno, grade, why in lessons:
        page.get_by_label("Topic").last.fill(TOPIC)
        page.get_by_label("Document").last.fill(docno)
        page.locator(f"input[name=right][value='{grade}']").check()
        page.locator("textarea[name=explanation]").fill(why)
        researcher.follow(page.get_by_role("button", name="Add it"))
        assert page.locator(".alert.error").count() == 0, page.locator(".alert.error").inner_text()
    try:
        yield researcher
    finally:
        page.goto(address)
        while page.get_by_role("button", name=re.compile("Withdraw")).count():
            page.get_by_role("button", name=re.compile("Withdraw")).first.click()
            page.wait_for_url("**/checks/")
            page.goto(address)


@pytest.fixture
def practised(browse):
    with practising(browse(), LESSONS) as researcher:
        yield researcher


def feedback(page):
    return page.locator(".told")


@PHONE_IN_SOAK
def test_practice_by_keyboard(practised, browse, size):
    practised.check("training-of-a-study")
    worker = browse(size)
    join(worker)
    page, loads = worker.page, []
    wait_for_ahead(page)
    page.on("load", lambda _: loads.append(page.url))
    first = item_of(page)
    assert page.get_by_text("Practice 1 of 2").is_visible()
    worker.check("practice", whole=False)
    page.keyboard.press("0")
    feedback(page).get_by_role("heading", name="Not quite").wait_for()
    assert page.evaluate("document.activeElement.className").endswith("told")
    assert page.locator("[role=status] .told").count() == 1
    assert feedback(page).locator("strong", has_text="asked").is_visible()
    worker.check("practice-wrong", whole=False)
    page.wait_for_timeout(300)
    page.keyboard.press("3")
    feedback(page).get_by_role("heading", name="Right").wait_for()
    assert item_of(page) == first
    worker.check("practice-right", whole=False)
    page.keyboard.press("Enter")
    page.get_by_text("Practice 2 of 2").wait_for()
    page.wait_for_timeout(300)
    page.keyboard.press("0")
    feedback(page).get_by_role("heading", name="Right").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    page.wait_for_function("() => !document.querySelector('.practice')")
    assert not loads


def test_practice_without_a_script(practised, browse):
    worker = browse(javascript=False)
    join(worker)
    page = worker.page
    page.locator("button.grade").first.click()
    feedback(page).get_by_role("heading", name="Not quite").wait_for()
    worker.picture("practice-no-script", whole=False)
    page.reload()
    assert feedback(page).get_by_text("Not quite").is_visible()
    worker.follow(feedback(page).get_by_role("link", name="Go on"))
    assert page.get_by_text("Practice 2 of 2").is_visible()


def test_what_is_right_is_told_when_the_connection_is_back(practised, browse):
    worker = browse()
    join(worker)
    page = worker.page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    page.context.set_offline(True)
    page.keyboard.press("0")
    page.wait_for_selector("text=1 answer waits in this browser")
    assert feedback(page).count() == 0
    page.context.set_offline(False)
    feedback(page).get_by_role("heading", name="Not quite").wait_for()


def test_a_reload_before_it_was_told_tells_it_after_all(practised, browse):
    worker = browse()
    join(worker)
    page = worker.page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("0")
    page.wait_for_selector("text=1 answer waits in this browser")
    page.unroute("**/judge/*/")
    page.reload()
    feedback(page).get_by_role("heading", name="Not quite").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("Practice 2 of 2").wait_for()
