"""Judging without a connection: what is said, ten items ahead by choice, and all of it saved once when the connection is back."""

import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_judging import at_work, join, wait_for_ahead
from tests.browser.test_main_job import expect_done, item_of, start_judging
from tests.browser.test_sitting import answers, kept, wait_for_item

pytestmark = pytest.mark.browser
WORDS = "You are offline. 2 answers wait in this browser and are sent by themselves. You may close this page and come back later."
NO_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
COMES_LAST = """item => {
  const items = [...document.getElementById('ahead').content.children].map(form => form.dataset.item);
  return items.length === 10 && items.indexOf(item) === 9;
}"""


def toast(page):
    return page.locator("#unsaved [data-text]")


def choose_ten(page):
    page.keyboard.press("i")
    page.get_by_label("Load ten documents ahead").check()


def wait_for_ten(page):
    page.wait_for_function("() => document.getElementById('ahead').content.childElementCount === 10")


def press(page, key) -> str:
    """Answer the item that is shown. Returns its name."""
    item = item_of(page)
    page.wait_for_timeout(300)
    page.keyboard.press(key)
    page.wait_for_function("item => document.querySelector('form.item')?.dataset.item !== item", arg=item)
    return item


def wait_until_sent(page):
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('ireval-unsent'))")


def test_who_is_offline_is_told_what_waits_and_that_it_is_saved_later(browse, size):
    worker = browse(size)
    start_judging(worker)
    page = worker.page
    wait_for_ahead(page)
    page.context.set_offline(True)
    page.wait_for_selector("text=You are offline. You can go on")
    press(page, "1")
    page.wait_for_selector("text=1 answer waits in this browser and is sent by itself.")
    press(page, "2")
    page.wait_for_selector("text=2 answers wait in this browser")
    assert toast(page).inner_text() == WORDS
    worker.picture("offline", whole=False)
    page.context.set_offline(False)
    page.wait_for_selector("text=All 2 answers are saved.")
    assert page.locator("#unsaved").is_hidden()
    worker.picture("online-again", whole=False)


def test_who_comes_back_online_with_nothing_to_send_is_no_longer_told(browse):
    page = at_work(browse)
    page.context.set_offline(True)
    page.wait_for_selector("text=You are offline.")
    page.context.set_offline(False)
    page.wait_for_selector("#unsaved", state="hidden")


def test_a_server_that_fails_is_not_called_offline(browse):
    page = at_work(browse)
    page.route("**/judge/*/", lambda route: route.fulfill(status=503) if route.request.method == "POST" else route.continue_())
    press(page, "1")
    page.wait_for_selector("text=The server cannot save answers right now. 1 answer waits in this browser")


def test_where_the_browser_keeps_nothing_the_page_must_stay_open(browse):
    worker = browse()
    worker.page.add_init_script(NO_STORAGE)
    start_judging(worker)
    page = worker.page
    wait_for_ahead(page)
    page.context.set_offline(True)
    press(page, "1")
    page.wait_for_selector("text=Keep this page open until then.")
    assert "close this page" not in toast(page).inner_text()
    page.context.set_offline(False)
    expect_done(page, 1)


@pytest.mark.slow
@PHONE_IN_SOAK
def test_ten_ahead_are_answered_offline_and_saved_once(browse, size):
    worker = browse(size)
    start_judging(worker)
    page = worker.page
    choose_ten(page)
    wait_for_ten(page)
    page.wait_for_selector("text=Loaded: 10 of 10.")
    worker.check("ten-ahead", whole=False)
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    grades = "01230123012"
    items = [press(page, grade) for grade in grades]
    page.wait_for_selector("text=Loading the next document")
    page.wait_for_selector("text=11 answers wait in this browser")
    worker.picture("eleven-wait", whole=False)
    assert len(set(items)) == kept(page) == 11
    page.context.set_offline(False)
    page.wait_for_selector("text=All 11 answers are saved.")
    expect_done(page, 11)
    page.wait_for_selector("form.item")
    assert item_of(page) not in items
    wait_for_ten(page)
    assert answers(page) == list(reversed(grades))


def test_ten_that_wait_outlive_the_page_and_are_sent_first(browse):
    page = at_work(browse)
    choose_ten(page)
    wait_for_ten(page)
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    items = [press(page, "2") for _ in range(4)]
    assert kept(page) == 4
    address, context = page.url, page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    asked: list[str] = []
    again.on("request", lambda request: asked.append(request.method) if "/judge/" in request.url else None)
    again.goto(address)
    again.wait_for_selector("text=All 4 answers are saved.")
    wait_until_sent(again)
    assert asked[:5] == ["GET", *["POST"] * 4]
    wait_for_ten(again)  # the choice is remembered
    assert item_of(again) not in items
    assert answers(again) == ["2"] * 4


def test_what_somebody_else_has_meanwhile_is_dropped_and_made_up_for(browse):
    """The reply says what is held; here it leaves out one."""
    page = at_work(browse)
    choose_ten(page)
    wait_for_ten(page)
    page.keyboard.press("Escape")
    lost = page.evaluate("() => document.getElementById('ahead').content.children[3].dataset.item")

    def without(route):
        reply = route.fetch()
        return route.fulfill(response=reply, body=re.sub(rf"{lost},?", "", reply.text(), count=1))

    page.route("**/judge/*/", without)
    press(page, "1")
    expect_done(page, 1)
    page.unroute("**/judge/*/")
    page.wait_for_function(COMES_LAST, arg=lost)  # held after all, and so sent again


def test_who_chooses_one_again_uses_up_what_is_loaded(browse):
    page = at_work(browse)
    choose_ten(page)
    wait_for_ten(page)
    page.get_by_label("Load ten documents ahead").uncheck()
    page.keyboard.press("Escape")
    press(page, "1")
    expect_done(page, 1)
    assert page.evaluate("() => document.getElementById('ahead').content.childElementCount") == 9


def test_going_back_offline_does_not_lead_past_practice(browse):
    """Nothing is answered before it was told what was right."""
    worker = browse()
    join(worker)
    page = worker.page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    press(page, "1")
    expect_done(page, 1)
    practice = item_of(page)
    page.evaluate("""() => {
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'practice', value: '1' });
      document.querySelector('form.item').append(field);
    }""")
    page.context.set_offline(True)
    page.wait_for_timeout(300)
    page.keyboard.press("2")
    page.wait_for_selector("form.item[aria-busy]")
    page.keyboard.press("b")
    page.wait_for_selector("form.item:not([aria-busy])")
    page.get_by_role("link", name="Go on judging").click()
    wait_for_item(page, practice)
