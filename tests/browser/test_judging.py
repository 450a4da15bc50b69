"""What a worker's browser does when things go wrong, and what it costs."""

import re

import pytest

from tests.browser.joining import read_instructions
from tests.browser.test_main_job import expect_done, item_of, judge_by_key, start_judging

pytestmark = pytest.mark.browser


def join(watched):
    page = watched.page
    page.goto("/")
    page.get_by_role("link", name="Start judging").click()
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run


def wait_for_ahead(page):
    page.wait_for_function("() => document.getElementById('ahead').content.firstElementChild")


def at_work(browse):
    """The page of a new worker, who has a document before them and the next one loaded."""
    worker = browse()
    start_judging(worker)
    wait_for_ahead(worker.page)
    return worker.page


def test_a_lost_connection_is_said_and_made_good(browse):
    worker = browse()
    start_judging(worker)
    page = worker.page
    wait_for_ahead(page)
    page.context.set_offline(True)
    first = item_of(page)
    page.keyboard.press("2")
    page.wait_for_selector("text=1 answer waits in this browser")
    assert item_of(page) != first  # the next one was already here: work goes on
    page.context.set_offline(False)
    page.wait_for_selector("#unsaved", state="hidden")
    expect_done(page, 1)
    assert all("ERR_INTERNET_DISCONNECTED" in line for line in worker.complaints)


def test_an_answer_that_was_not_saved_survives_the_tab(browse):
    page = at_work(browse)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("3")
    page.wait_for_selector("text=1 answer waits in this browser")
    address = page.url
    page.close()
    again = page.context.new_page()
    again.goto(address)
    expect_done(again, 1)


@pytest.mark.slow
def test_a_server_that_fails_for_a_while_loses_nothing_and_doubles_nothing(browse):
    page = at_work(browse)
    tries = []

    def shaky(route):
        if route.request.method != "POST":
            return route.continue_()
        tries.append(route.request.post_data)
        if len(tries) == 1:
            return route.fulfill(status=502, body="bad gateway")
        if len(tries) == 2:
            route.fetch()  # the server stores it, but the answer gets lost on its way back
            return route.abort()
        return route.continue_()

    page.route("**/judge/*/", shaky)
    page.keyboard.press("1")
    expect_done(page, 1)
    keys = {re.search(r"key=([0-9a-f-]+)", data)[1] for data in tries}
    assert (len(tries), len(keys)) == (3, 1)


@pytest.mark.parametrize("status", [200, 400])
def test_a_page_of_something_before_the_server_confirms_and_refuses_nothing(browse, status):
    """Such as a sign-in of the organisation's: the answer is kept, and sent until the server itself replies."""
    page = at_work(browse)

    def sign_in(route):
        if route.request.method != "POST":
            return route.continue_()
        return route.fulfill(status=status, content_type="text/html", body="<html><h1>Sign in</h1></html>")

    page.route("**/judge/*/", sign_in)
    page.keyboard.press("2")
    page.wait_for_selector("text=Your answer is kept in this browser.")
    assert page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('ireval-unsent-')).length") == 1
    page.unroute("**/judge/*/")
    expect_done(page, 1)
    page.wait_for_selector("#unsaved", state="hidden")


def test_a_note_that_was_begun_is_kept(browse):
    worker = browse()
    start_judging(worker)
    page = worker.page
    page.keyboard.press("n")
    page.get_by_label("Note").fill("half a thou")
    page.reload()
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    page.keyboard.press("n")
    assert page.get_by_label("Note").input_value() == "half a thou"


def test_a_key_held_down_grades_one_document(browse):
    page = at_work(browse)
    page.keyboard.down("2")
    for _ in range(20):
        page.keyboard.down("2")  # what a held key sends
    expect_done(page, 1)
    page.wait_for_load_state("networkidle")
    expect_done(page, 1)
    page.keyboard.up("2")
    page.keyboard.press("2")
    expect_done(page, 2)


def test_thirty_judgements_by_keyboard_without_a_page_load(browse):
    worker = browse()
    start_judging(worker)
    page = worker.page
    loads = []
    page.on("load", lambda _: loads.append(page.url))
    for number in range(30):
        judge_by_key(page, str(number % 4))
    expect_done(page, 30)
    assert not loads
    assert not worker.complaints


def test_without_a_script_the_same_forms_work(browse, size):
    worker = browse(size, javascript=False)
    join(worker)
    page = worker.page
    for count in (1, 2):
        page.locator("button.grade").nth(count).click()
        expect_done(page, count)
    page.locator(".cannot > summary").click()
    page.get_by_role("button", name="Something else").click()
    expect_done(page, 3)
    page.get_by_role("link", name="Back").click()
    page.wait_for_selector("text=You answered this before")
    page.locator("button.grade").nth(3).click()
    expect_done(page, 3)
    page.get_by_role("link", name="Instructions").click()
    page.get_by_role("link", name="Back to the document").click()
    worker.picture("judge-no-script", whole=False)


def test_the_judge_page_is_light(browse):
    """At most 60 kB and 10 requests cold, its typeface included, 10 kB a judgement after that, as they come over the wire."""
    worker = browse()
    join(worker)
    fresh = browse(storage_state=worker.page.context.storage_state())
    page = fresh.page
    answers: list = []
    page.on("response", lambda response: answers.append(response))  # noqa: PLW0108  it wants a function to mark
    page.goto(worker.page.url)
    wait_for_ahead(page)
    read_instructions(page)
    assert len(answers) <= 10
    assert sum(map(bytes_of, answers)) <= 60_000
    page.wait_for_timeout(300)
    answers.clear()
    judge_by_key(page, "2")
    expect_done(page, 1)
    assert len(answers) == 1
    assert bytes_of(answers[0]) <= 10_000


def bytes_of(response) -> int:
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


def test_instructions_open_before_the_first_answer_and_once(browse):
    """Keys do not answer beneath them, and the first document's time begins when they are closed."""
    page = browse().page
    page.goto("/")
    page.get_by_role("link", name="Start judging").click()
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    instructions = page.get_by_role("dialog", name="Instructions")
    instructions.wait_for()
    page.keyboard.press("2")
    page.keyboard.press("Escape")
    expect_done(page, 0)
    wait_for_ahead(page)
    page.reload()
    wait_for_ahead(page)
    assert instructions.is_hidden()


def test_two_answers_given_offline_are_both_kept_as_they_were(browse):
    """What was judged without a connection is not offered again when it comes back."""
    page = at_work(browse)
    page.context.set_offline(True)
    offline = []
    for key in "13":
        offline.append(item_of(page))
        page.keyboard.press(key)
        page.wait_for_timeout(300)
    page.wait_for_selector("text=Loading the next document")
    page.wait_for_selector("text=2 answers wait in this browser")
    page.context.set_offline(False)
    expect_done(page, 2)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    assert item_of(page) not in offline
    page.goto(re.sub(r"(/judge/\d+/).*", r"\1answers/", page.url))
    assert [text.strip()[0] for text in page.locator(".list kbd").all_inner_texts()] == ["3", "1"]


def test_a_reload_with_an_unsaved_answer_goes_on_with_the_next_document(browse):
    page = at_work(browse)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    answered = item_of(page)
    page.keyboard.press("3")
    page.wait_for_selector("text=1 answer waits in this browser")
    page.unroute("**/judge/*/")
    page.reload()
    expect_done(page, 1)
    page.wait_for_selector("form.item")
    page.wait_for_load_state()  # its script has run
    assert item_of(page) != answered


def test_a_digit_picks_a_reason_while_the_reasons_are_open(browse):
    worker = browse()
    start_judging(worker)
    page = worker.page
    page.keyboard.press("c")
    page.keyboard.press("2")
    expect_done(page, 1)
    page.get_by_role("link", name="Back").click()
    page.wait_for_selector("text=You answered this before")
    assert page.locator(".grade[aria-pressed=true]").count() == 0
    assert page.locator("[name=cannot_judge][aria-pressed=true]").get_attribute("value") == "language"


def test_the_reasons_close_when_something_else_is_clicked(browse):
    worker = browse("phone")
    start_judging(worker)
    page = worker.page
    page.locator(".cannot > summary").click()
    assert page.locator(".cannot .menu-list").is_visible()
    page.locator(".topic h1").click(position={"x": 5, "y": 5})
    assert not page.locator(".cannot .menu-list").is_visible()
