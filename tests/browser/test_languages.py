"""A worker whose browser asks for Italian, from the link to the judgements, by keyboard; and one who changes the language."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.joining import read_instructions
from tests.browser.test_judging import wait_for_ahead
from tests.browser.test_main_job import item_of, judge_by_key, start_judging

pytestmark = pytest.mark.browser


def join_in_italian(worker):
    """Without a mouse: the box with the space bar, the button behind it with Enter."""
    page = worker.page
    page.goto("/")
    page.get_by_role("link", name="Inizia a giudicare").press("Enter")
    page.get_by_label("Ho letto e voglio partecipare").press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#instructions[open]")
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)


def language_of(page) -> str:
    return page.locator("html").get_attribute("lang")


def wait_for_done(page, count):
    page.wait_for_selector(f"#worker-progress .progress-text:has-text('{count} su')")


@PHONE_IN_SOAK
def test_joining_and_judging_in_italian_by_keyboard(browse, size):
    worker = browse(size, locale="it-IT")
    join_in_italian(worker)
    page = worker.page
    assert language_of(page) == "it"
    judge_by_key(page, "2")
    wait_for_done(page, 1)
    page.keyboard.press("c")
    page.wait_for_selector("text=Non capisco la sua lingua")
    worker.check("cannot-judge-it", whole=False)
    page.keyboard.press("2")
    wait_for_done(page, 2)
    page.wait_for_timeout(300)
    page.keyboard.press("i")
    page.get_by_role("heading", name="Istruzioni").wait_for()
    worker.check("instructions-it", whole=False)
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.wait_for_selector("text=Hai già risposto")
    worker.check("judge-again-it", whole=False)


def test_the_script_speaks_the_pages_language(browse):
    worker = browse(locale="it-IT")
    join_in_italian(worker)
    page = worker.page
    wait_for_ahead(page)
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.wait_for_selector("text=Sei offline. 1 risposta attende in questo browser")
    page.wait_for_timeout(300)
    page.keyboard.press("1")
    page.wait_for_selector("text=2 risposte attendono in questo browser")
    page.wait_for_selector("text=Carico il prossimo documento…")
    page.context.set_offline(False)
    wait_for_done(page, 2)


@pytest.mark.parametrize("javascript", [True, False])
def test_the_choice_stays_on_the_page_and_with_the_item(browse, javascript):
    worker = browse("phone", javascript=javascript)
    if javascript:
        start_judging(worker)
    else:
        page = worker.page
        page.goto("/")
        page.get_by_role("link", name="Start judging").click()
        page.get_by_label("I have read this").check()
        page.get_by_role("button", name="Start judging").click()
        read_instructions(page)
    page = worker.page
    address, item = page.url, item_of(page)
    worker.follow(page.get_by_role("button", name="Italiano"))
    assert (page.url, item_of(page), language_of(page)) == (address, item, "it")
    page.reload() if javascript else worker.follow(page.get_by_role("link", name="Istruzioni"))
    assert language_of(page) == "it"
    worker.follow(page.get_by_role("button", name="English"))
    assert language_of(page) == "en-gb"
