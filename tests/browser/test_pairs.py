"""Comparing two lists in a real browser: by keys alone, with a finger, without a connection, and what is recorded of it."""

import json
import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.joining import read_instructions
from tests.browser.pairs import focused, join, kept, noted, posts, press_and_go_on, ready, reasons_are_in_reach, see_both
from tests.browser.test_judging import wait_for_ahead
from tests.browser.test_main_job import expect_done, item_of

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_by_keys_alone(browse, usual):
    worker = browse()
    page = join(worker, usual)
    worker.check("pair", whole=False)
    wait_for_ahead(page)
    sent = posts(page)
    for key in "jj":
        page.keyboard.press(key)
    assert focused(page) == ["0", "1"]
    page.keyboard.press("ArrowRight")
    assert focused(page) == ["1", "1"]
    page.keyboard.press("k")
    page.keyboard.press("+")
    assert kept(page, "marks")[0][2] == 1
    page.keyboard.press("o")
    page.locator("#reader h2").wait_for()
    worker.check("pair-open", whole=False)
    page.keyboard.press("2")  # nothing is answered while something lies over the lists
    assert not sent
    page.keyboard.press("Escape")
    assert focused(page) == ["1", "0"]
    page.keyboard.press("m")
    assert page.locator(".show-shared").is_checked()
    page.keyboard.press("r")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")  # in a checkbox: gives no answer
    assert not sent
    page.keyboard.press("n")
    page.keyboard.type("2 good ones")
    page.keyboard.press("Escape")
    press_and_go_on(page, "2")
    expect_done(page, 1)
    press_and_go_on(page, "x")
    expect_done(page, 2)
    page.keyboard.press("c")
    press_and_go_on(page, "3")
    expect_done(page, 3)
    first, second, third = sent
    assert (first["grade"], first["reason-0"], first["comment"]) == ("-1", "More relevant results", "2 good ones")
    assert [row[1:] for row in json.loads(first["interactions"])] == [["open", 1, 0], ["close", 1, 0]]
    assert (second["both_bad"], "grade" in second) == ("1", False)
    assert third["cannot_judge"] == "unclear"
    page.keyboard.press("i")
    worker.check("pair-instructions", whole=False)
    assert page.locator("dialog#instructions").get_by_text("To the left list, to the right list").is_visible()


def test_back_and_undo_show_what_was_answered_and_let_it_be_changed(browse, usual):
    page = join(browse(), usual)
    wait_for_ahead(page)
    sent = posts(page)
    first = item_of(page)
    page.locator(".reasons input").nth(2).check()
    press_and_go_on(page, "4")
    expect_done(page, 1)
    press_and_go_on(page, "u")
    assert item_of(page) == first
    assert page.locator(".grade[aria-pressed=true]").inner_text().endswith("Right is better")
    assert page.locator(".reasons input").nth(2).is_checked()
    press_and_go_on(page, "1")
    page.wait_for_function("() => !document.getElementById('saved').hidden")
    page.reload()
    ready(page)
    press_and_go_on(page, "b")  # now from the server
    assert item_of(page) == first
    assert page.locator(".grade[aria-pressed=true]").inner_text().endswith("Left is much better")
    assert page.locator(".reasons input").nth(2).is_checked()
    assert [answer["grade"] for answer in sent] == ["1", "-2"]
    assert len({answer["key"] for answer in sent}) == 2


def test_reading_a_result_does_not_lose_the_place(browse, usual, size):
    worker = browse(size)
    page = join(worker, usual)
    panel = page.locator(".panel").first
    panel.evaluate("panel => { panel.scrollTop = 400; }")
    page.wait_for_timeout(500)
    at = panel.evaluate("panel => panel.scrollTop")
    here = page.locator(".panel").first.locator(".open").nth(3)
    title = here.inner_text()
    here.click()
    page.locator("#reader h2").wait_for()
    assert page.locator("#reader h2").inner_text() == title
    assert page.locator("#reader .follow").get_attribute("rel") == "noopener noreferrer nofollow"
    worker.check("pair-reading", whole=False)
    page.get_by_role("button", name="Close").click()
    assert panel.evaluate("panel => panel.scrollTop") == pytest.approx(at, abs=120)  # the click may have brought it into view
    assert focused(page) == ["0", "3"]
    noted(page, "open", "close")
    done = [row[1:] for row in kept(page, "interactions")]
    assert done[0][:2] == ["scroll", 0] and done[0][2] >= 2
    assert done[-2:] == [["open", 0, 3], ["close", 0, 3]]
    page.locator(".panel").first.locator(".more > summary").first.click()
    noted(page, "expand")
    page.locator(".panel").first.locator(".more > summary").first.click()
    noted(page, "expand", "collapse")
    moments = [row[0] for row in kept(page, "interactions")]
    assert moments == sorted(moments)


def test_what_was_begun_survives_a_reload(browse, usual):
    page = join(browse(), usual)
    page.keyboard.press("j")
    page.keyboard.press("-")
    page.locator(".reasons input").nth(1).check()
    page.locator(".open").first.click()
    page.keyboard.press("Escape")
    noted(page, "open", "close")
    before = {name: kept(page, name) for name in ("marks", "interactions")}
    assert all(before.values())
    page.reload()
    ready(page)
    assert {name: kept(page, name) for name in before} == before
    assert page.locator(".reasons input").nth(1).is_checked()
    assert page.locator("[data-mark='0']").first.is_checked()
    page.locator(".open").first.click()
    noted(page, "close", "open")
    assert kept(page, "interactions")[-1][0] >= before["interactions"][-1][0]


def test_a_mark_on_a_result_that_both_have_stands_on_both_sides(browse, usual):
    page = join(browse(), usual)
    while not page.locator(".result[data-also]").count():
        press_and_go_on(page, "3")
    result = page.locator(".panel").first.locator(".result[data-also]").first
    place, also = (int(result.get_attribute(name)) for name in ("data-place", "data-also"))
    other = page.locator(f".panel[data-side='1'] .result[data-place='{also}']")
    result.get_by_label("Relevant").check()
    assert other.get_by_label("Relevant").is_checked()
    assert kept(page, "marks") == [[0, place, 1], [1, also, 1]]
    other.get_by_label("Bad").check()
    assert not result.get_by_label("Relevant").is_checked()
    assert kept(page, "marks") == [[0, place, 0], [1, also, 0]]
    result.get_by_label("Bad").uncheck()
    assert kept(page, "marks") == []


def swipe(page, *, across: range) -> None:
    """Lay a finger on the lists, draw it along, and lift it."""
    phone = page.context.new_cdp_session(page)
    phone.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for place, x in enumerate(across):
        kind = "touchMove" if place else "touchStart"
        phone.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": 400}]})
        page.wait_for_timeout(16)
    phone.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
def test_a_finger_swipes_from_list_to_list(browse, usual):
    worker = browse("phone")
    page = join(worker, usual)
    worker.check("pair", whole=False)
    left = page.locator(".sides button").first
    assert left.get_attribute("aria-current") == "true"
    swipe(page, across=range(330, 60, -20))
    page.wait_for_selector(".sides button[value='1'][aria-current]")
    page.wait_for_function("() => document.getElementById('spoken').textContent === 'Right list'")
    assert left.get_attribute("aria-current") is None
    worker.check("pair-swiped", whole=False)
    left.click()
    page.wait_for_selector(".sides button[value='0'][aria-current]")
    page.wait_for_timeout(400)
    assert page.locator(".panel").first.bounding_box()["x"] == 0
    for width, height in [(844, 390), (360, 640), (390, 664), (390, 844)]:  # in reach, however the phone is held
        page.set_viewport_size({"width": width, "height": height})
        boxes = [button.bounding_box() for button in page.locator(".grade").all()]
        assert all(box["y"] + box["height"] <= height and box["height"] >= 40 for box in boxes)
        reasons_are_in_reach(page)
    labels = page.locator(".grade span")
    assert all(word.is_visible() for word in labels.all())
    assert [word.split()[0] for word in labels.all_inner_texts()] == ["Left", "Left", "About", "Right", "Right", "Both"]
    page.locator(".grade").nth(1).click()
    expect_done(page, 1)


def test_a_phone_shows_both_lists_at_a_glance_and_keeps_the_place_in_each(browse, usual):
    worker = browse("phone")
    page = join(worker, usual)
    panels = page.locator(".panel")
    fifth = panels.first.locator(".result").nth(4)  # titles alone end before they could be scrolled so far
    panels.first.evaluate("panel => { panel.scrollTop = panel.querySelectorAll('.result')[4].offsetTop; }")
    assert abs(fifth.bounding_box()["y"] - panels.first.bounding_box()["y"]) < 3
    page.get_by_role("button", name="Both", exact=True).click()
    boxes = [panel.bounding_box() for panel in panels.all()]
    assert [box["width"] for box in boxes] == [195, 195] and boxes[1]["x"] == 195
    assert page.locator(".snippet").first.is_hidden()
    page.locator(".look").wait_for(state="hidden")  # both were on the screen
    worker.check("pair-both", whole=False)
    page.get_by_role("button", name="Left", exact=True).click()
    assert abs(fifth.bounding_box()["y"] - panels.first.bounding_box()["y"]) < 3
    assert page.locator(".snippet").first.is_visible() and page.locator(".sides [aria-current]").inner_text() == "Left"


def test_on_a_phone_reasons_open_over_the_lists_and_are_counted(browse, usual):
    worker = browse("phone")
    page = join(worker, usual)
    see_both(page)
    sent = posts(page)
    page.locator(".why").click()
    page.locator(".reasons input").nth(4).check()
    page.locator(".reasons input").nth(1).check()
    worker.check("pair-reasons", whole=False)
    page.locator(".topic").click()
    assert page.locator(".reasons").is_hidden()
    assert page.locator(".why .count").inner_text() == "2"
    page.locator(".grade").nth(1).click()
    expect_done(page, 1)
    assert {"reason-4", "reason-1"} <= sent[0].keys()


def test_a_lost_connection_is_said_and_made_good(browse, usual):
    worker = browse()
    page = join(worker, usual)
    wait_for_ahead(page)
    page.context.set_offline(True)
    press_and_go_on(page, "1")
    page.wait_for_selector("text=1 answer waits in this browser")
    page.locator(".open").first.click()
    page.wait_for_selector("#reader >> text=There is no connection right now")
    page.keyboard.press("Escape")
    page.context.set_offline(False)
    expect_done(page, 1)
    page.locator(".open").first.click()
    page.locator("#reader h2").wait_for()
    assert all("ERR_INTERNET_DISCONNECTED" in line for line in worker.complaints)


@pytest.mark.slow
def test_ten_ahead_are_compared_offline_and_saved_once(browse, usual):
    worker = browse()
    page = join(worker, usual)
    page.keyboard.press("i")
    page.get_by_label("Load ten comparisons ahead").check()
    page.wait_for_selector("text=Loaded: 10 of 10.")
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    compared = []
    for key in "12345123451":
        compared.append(item_of(page))
        press_and_go_on(page, key)
    page.wait_for_selector("text=11 answers wait in this browser")
    worker.picture("eleven-comparisons-wait", whole=False)
    page.context.set_offline(False)
    page.wait_for_selector("text=All 11 answers are saved.")
    expect_done(page, 11)
    page.wait_for_selector("form.pair")
    assert len({*compared, item_of(page)}) == 12


def test_a_session_that_ended_keeps_the_answer_and_says_what_to_do(browse, usual):
    page = join(browse(), usual)
    wait_for_ahead(page)
    address, cookies = page.url, page.context.cookies()
    page.context.clear_cookies(name=re.compile("worker"))
    press_and_go_on(page, "5")
    page.wait_for_selector("text=This browser is not known here any more")
    page.context.add_cookies(cookies)
    page.goto(address)
    expect_done(page, 1)


def test_two_tabs_answer_the_same_pair_once(browse, usual):
    page = join(browse(), usual)
    other = page.context.new_page()
    other.goto(page.url)
    read_instructions(other)
    ready(other)
    assert item_of(other) == item_of(page)
    press_and_go_on(page, "2")
    expect_done(page, 1)
    press_and_go_on(other, "4")
    expect_done(other, 1)


@pytest.mark.slow
def test_lists_that_are_empty_or_too_long(browse, odd, size):
    worker = browse(size)
    page = join(worker, odd)
    seen = set()
    for number in range(40):  # the server draws which pairs come first
        lists = [panel.locator(".result").count() for panel in page.locator(".panel").all()]
        seen |= set(lists)
        worker.check(f"pair-odd-{number}", whole=False)
        bar = page.locator(".grade-bar").bounding_box()
        assert bar["y"] + bar["height"] <= page.viewport_size["height"] + 1
        heights = {round(panel.bounding_box()["height"]) for panel in page.locator(".panel").all()}
        assert len(heights) == 1 and heights.pop() >= 150
        if number >= 5 and seen >= {0, 1}:
            break
        see_both(page)
        press_and_go_on(page, "7")
    assert seen >= {0, 1}


@PHONE_IN_SOAK
def test_without_a_script_the_same_forms_work(browse, usual, size):
    worker = browse(size, javascript=False)
    page = worker.page
    page.goto(f"/join/{usual}/")
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    page.wait_for_selector("form.pair")
    with page.context.expect_page() as opened:
        page.locator(".open").first.click()
    opened.value.get_by_text("Left list, result 1").wait_for()
    opened.value.close()
    usual_size = page.viewport_size
    for width, height in [(844, 390), (360, 640)]:
        page.set_viewport_size({"width": width, "height": height})
        reasons_are_in_reach(page)
    page.set_viewport_size(usual_size)
    page.locator("[data-mark='1']").first.check()
    page.locator(".reasons input").first.check()
    page.locator(".show-shared").click(force=True)
    page.get_by_role("button", name="Left is better").click()
    expect_done(page, 1)
    page.locator("a.back").click()  # a document may have that word in its title
    page.wait_for_selector("text=You answered this before")
    assert page.locator("[data-mark='1']").first.is_checked()
    assert page.locator(".reasons input").first.is_checked()
    page.get_by_role("button", name="Both are bad").click()
    expect_done(page, 1)
    worker.picture("pair-no-script", whole=False)


def test_the_pages_around_it(browse, usual, size):
    worker = browse(size)
    page = worker.page
    page.goto(f"/join/{usual}/")
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    ready(page)
    see_both(page)
    press_and_go_on(page, "1")
    expect_done(page, 1)
    judging = re.match(r".*/judge/\d+/", page.url)[0]
    for name in ("answers", "instructions", "work"):
        page.goto(f"{judging}{name}/")
        worker.check(f"pair-{name}")


@PHONE_IN_SOAK
def test_a_researcher_tries_it_and_nothing_is_sent(browse, usual, size):
    watched = browse(size)
    page = watched.page
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.goto("/studies/")
    page.get_by_role("link", name="Side by side", exact=True).click()
    page.goto(f"{page.url.split('?')[0].rstrip('/')}/preview/")
    ready(page)
    sent = posts(page)
    watched.check("pair-preview", whole=False)
    page.keyboard.press("j")
    assert focused(page) == ["0", "0"]
    see_both(page)
    page.keyboard.press("x")
    page.get_by_text("This is a preview: nothing is stored.").wait_for()
    assert sent == []
