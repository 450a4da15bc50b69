"""A sitting in one page: taking answers back, with and without a connection, and when the browser is not known any more."""

import re

import pytest

from tests.browser.joining import read_instructions
from tests.browser.test_judging import at_work, join, wait_for_ahead
from tests.browser.test_main_job import enter_as_researcher, expect_done, item_of, judge_by_key, open_demo_study, start_judging

pytestmark = pytest.mark.browser


def wait_for_item(page, item):
    page.wait_for_function("item => document.querySelector('form.item')?.dataset.item === item", arg=item)
    page.wait_for_timeout(300)


def pressed(page) -> list[str]:
    return page.locator(".grade[aria-pressed=true]").evaluate_all("buttons => buttons.map(button => button.value)")


def answers(page) -> list[str]:
    """The grades that the server has, the latest first."""
    page.goto(re.sub(r"(/judge/\d+/).*", r"\1answers/", page.url))
    return [text.strip()[0] for text in page.locator(".list kbd").all_inner_texts()]


def kept(page) -> int:
    return page.evaluate("() => Object.keys(localStorage).filter(key => key.startsWith('ireval-unsent')).length")


def counting_loads(page) -> list[str]:
    loads: list[str] = []
    page.on("load", lambda _: loads.append(page.url))
    return loads


def test_an_answer_is_taken_back_and_given_again_in_place(browse, size):
    worker = browse(size)
    start_judging(worker)
    page = worker.page
    wait_for_ahead(page)
    loads = counting_loads(page)
    first = item_of(page)
    judge_by_key(page, "1")
    second = item_of(page)
    page.wait_for_selector("text=Saved: 1 Related.")
    worker.check("saved", whole=False)
    page.keyboard.press("u")
    wait_for_item(page, first)
    assert pressed(page) == ["1"]
    assert page.get_by_text("You answered this before").is_visible()
    worker.check("undone", whole=False)
    page.keyboard.press("3")
    wait_for_item(page, second)
    page.wait_for_selector("text=Saved: 3 Exactly this.")
    page.locator("#saved .undo").click()
    wait_for_item(page, first)
    assert pressed(page) == ["3"]
    page.keyboard.press("1")
    wait_for_item(page, second)
    judge_by_key(page, "2")
    expect_done(page, 2)
    assert not loads
    assert answers(page) == ["2", "1"]
    assert not worker.complaints


@pytest.mark.slow
def test_back_answer_by_answer_beyond_what_the_page_has_seen(browse):
    worker = browse()
    start_judging(worker)
    page = worker.page
    seen = []
    for key in "012":
        seen.append(item_of(page))
        judge_by_key(page, key)
    expect_done(page, 3)
    page.reload()
    wait_for_ahead(page)
    loads = counting_loads(page)
    here = item_of(page)
    for item, key in zip(reversed(seen), "210", strict=True):
        page.keyboard.press("b")
        wait_for_item(page, item)
        assert pressed(page) == [key]
    page.keyboard.press("b")
    page.wait_for_selector("text=This is your first answer.")
    page.keyboard.press("3")  # revised, so one is where one was
    wait_for_item(page, here)
    page.keyboard.press("b")
    wait_for_item(page, seen[2])
    page.get_by_role("link", name="Go on judging").click()
    wait_for_item(page, here)
    page.keyboard.press("z")
    wait_for_item(page, seen[2])
    page.keyboard.press("Enter")
    wait_for_item(page, here)
    assert not loads
    assert answers(page) == ["3", "2", "1"]


def test_the_same_answer_again_is_no_other_answer(browse):
    page = at_work(browse)
    judge_by_key(page, "1")
    expect_done(page, 1)
    posted = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    here = item_of(page)
    page.keyboard.press("u")
    page.wait_for_timeout(400)
    page.keyboard.press("1")
    wait_for_item(page, here)
    assert not posted


def test_undoing_offline_is_kept_in_the_order_in_which_it_was_done(browse):
    page = at_work(browse)
    page.context.set_offline(True)
    first = item_of(page)
    judge_by_key(page, "0")
    second = item_of(page)
    page.keyboard.press("1")
    page.wait_for_selector("text=Loading the next document")
    page.keyboard.press("u")
    wait_for_item(page, second)
    page.keyboard.press("b")
    wait_for_item(page, first)
    page.keyboard.press("3")
    page.wait_for_selector("text=3 answers wait in this browser")
    assert kept(page) == 3
    page.context.set_offline(False)
    expect_done(page, 2)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('ireval-unsent'))")
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    assert answers(page) == ["3", "1"]


def test_answers_kept_over_a_reload_are_sent_in_order(browse):
    page = at_work(browse)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    first = item_of(page)
    judge_by_key(page, "0")
    page.keyboard.press("u")
    wait_for_item(page, first)
    for key in "12":  # a mind that changes
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        page.keyboard.press("u")
        wait_for_item(page, first)
    assert kept(page) == 3
    page.unroute("**/judge/*/")
    page.reload()
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('ireval-unsent'))")
    assert answers(page) == ["2"]


def test_two_tabs_lose_nothing(browse):
    worker = browse()
    start_judging(worker)
    first = worker.page
    second = first.context.new_page()
    second.goto(first.url)
    read_instructions(second)  # each tab opens them before the first answer
    wait_for_ahead(first)
    wait_for_ahead(second)
    first.wait_for_timeout(300)
    assert item_of(first) == item_of(second)
    judge_by_key(first, "1")
    judge_by_key(second, "2")  # the same document: a changed mind
    expect_done(second, 1)
    judge_by_key(first, "3")
    expect_done(first, 2)
    second.keyboard.press("u")
    second.wait_for_selector(".again:visible")
    second.wait_for_timeout(300)
    second.keyboard.press("0")
    second.wait_for_selector("text=Saved: 0")
    assert answers(first) == ["0", "3"]


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        (re.compile("worker-"), "This browser is not known here any more."),
        (re.compile(""), "Your answer is kept in this browser. Reload the page to save it."),
    ],
)
def test_who_lost_the_cookie_is_told_and_sends_what_was_kept_when_back_by_the_link(browse, lost, message):
    worker = browse()
    join(worker)
    page = worker.page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    page.context.clear_cookies(name=lost)
    page.keyboard.press("2")
    page.wait_for_selector(f"text={message}")
    assert kept(page) == 1
    page.wait_for_timeout(300)
    page.keyboard.press("1")  # one goes on all the same
    page.wait_for_timeout(500)
    assert kept(page) == 2
    worker.picture("not-known", whole=False)
    page.reload()
    assert page.get_by_text("or kept in this browser until you are back").is_visible()
    join(worker)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('ireval-unsent'))")
    assert page.locator("#unsaved").is_hidden()


def test_whose_sign_in_ran_out_sends_what_was_kept_after_signing_in(browse):
    worker = browse()
    page = worker.page
    enter_as_researcher(page)
    join_by_link(page)
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    done = int(page.locator("#worker-progress progress").get_attribute("value"))
    address = page.url
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("2")
    page.wait_for_selector("text=This browser is not known here any more.")
    enter_as_researcher(page)
    page.goto(address)
    expect_done(page, done + 1)
    assert kept(page) == 0


def test_who_is_warned_meanwhile_keeps_the_answer_and_gets_to_the_warning(browse):
    """The reply says so; the page that it leads to is the server's (tests/judging/rules/test_warnings.py)."""
    page = at_work(browse)
    warned = []

    def warn(route):
        if route.request.method != "POST" or warned:
            return route.continue_()
        warned.append(route.request.url)
        reply = route.fetch()
        return route.fulfill(response=reply, body=reply.text() + "<p data-warned></p>")

    page.route("**/judge/*/", warn)
    with page.expect_navigation():
        page.keyboard.press("2")
    expect_done(page, 1)
    assert kept(page) == 0
    assert answers(page) == ["2"]


def join_by_link(page):
    """The researcher takes part in the demo's study, with their account."""
    open_demo_study(page)
    page.goto(page.locator("input[value*='/join/']").first.input_value())
    if page.get_by_label("I have read this").count():
        page.get_by_label("I have read this").check()
        page.get_by_role("button", name="Start judging").click()
        read_instructions(page)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
