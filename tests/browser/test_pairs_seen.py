"""Both lists are seen before one is preferred: on a phone and a desk, by finger and key, kept over reloads."""

import json

import pytest

from tests.browser.joining import read_instructions
from tests.browser.pairs import join, noted, posts, press_and_go_on, ready, reasons_are_in_reach, see_both, turn_to
from tests.browser.test_main_job import expect_done, item_of

pytestmark = pytest.mark.browser


def at_width(browse, width, **more):
    worker = browse("phone" if width < 700 else "desktop", **more)
    worker.page.set_viewport_size({"width": width, "height": 800})
    return worker


def hint(page):
    return page.locator(".look")


def seen_of(post):
    return json.loads(post["seen"])


@pytest.mark.parametrize("by", ["finger", "key"])
def test_on_a_phone_nothing_is_preferred_before_both_lists_were_on_the_screen(browse, usual, by):
    worker = at_width(browse, 390)
    page = join(worker, usual)
    sent, item = posts(page), item_of(page)

    def answer():
        page.locator(".grade").first.click(force=True) if by == "finger" else page.keyboard.press("1")

    button = page.locator(".grade").first
    assert hint(page).inner_text() == "Look at the right list, too: then you can answer."
    assert button.get_attribute("aria-disabled") == "true"
    assert button.get_attribute("aria-describedby") == hint(page).get_attribute("id")
    worker.check("pair-unseen", whole=False)
    answer()
    page.wait_for_selector(".sides button[value='1'][aria-current]")  # it shows what is to be seen
    assert not sent and item_of(page) == item
    hint(page).wait_for(state="hidden")
    page.wait_for_timeout(400)
    assert button.get_attribute("aria-disabled") is None and button.get_attribute("aria-describedby") is None
    worker.check("pair-seen", whole=False)
    answer()
    expect_done(page, 1)
    [left, right] = seen_of(sent[0])
    assert left[0] > 300 and right[0] > 150 and min(left[1], right[1]) >= 1
    hint(page).wait_for()  # the next pair is new


def test_who_cannot_judge_on_a_phone_says_so_at_once(browse, usual):
    page = join(browse("phone"), usual)
    sent = posts(page)
    page.keyboard.press("c")
    press_and_go_on(page, "3")
    expect_done(page, 1)
    assert seen_of(sent[0])[1] == [0, 0]


def test_on_a_wide_screen_both_are_seen_at_once(browse, usual):
    page = join(at_width(browse, 1280), usual)
    sent = posts(page)
    assert hint(page).is_hidden() and page.locator(".grade[aria-disabled]").count() == 0
    press_and_go_on(page, "2")
    expect_done(page, 1)
    assert all(milliseconds > 150 and results >= 1 for milliseconds, results in seen_of(sent[0]))


def test_what_lies_under_a_result_is_not_looked_at(browse, usual):
    page = join(browse(), usual)
    sent = posts(page)
    page.locator(".open").first.click()
    page.locator("#reader h2").wait_for()
    page.wait_for_timeout(1500)
    page.keyboard.press("Escape")
    noted(page, "open", "close")
    press_and_go_on(page, "2")
    expect_done(page, 1)
    done = json.loads(sent[0]["interactions"])
    apart = done[1][0] - done[0][0]
    assert apart >= 1500
    assert max(milliseconds for milliseconds, _ in seen_of(sent[0])) <= int(sent[0]["milliseconds"]) - apart + 200


@pytest.mark.slow
def test_what_was_seen_survives_a_reload_and_counts_for_a_changed_mind(browse, usual):
    page = join(browse("phone"), usual)
    sent = posts(page)
    turn_to(page, 1)
    page.wait_for_timeout(500)
    page.locator(".open").first.evaluate("link => link.closest('.panel').dispatchEvent(new Event('scroll'))")
    page.wait_for_timeout(500)
    page.reload()
    ready(page)
    assert hint(page).is_hidden()
    press_and_go_on(page, "2")
    expect_done(page, 1)
    press_and_go_on(page, "u")
    assert hint(page).is_hidden(), "both were seen before"
    press_and_go_on(page, "4")
    page.wait_for_function("() => !document.getElementById('saved').hidden")
    assert [answer["grade"] for answer in sent] == ["-1", "1"]


@pytest.mark.parametrize("width", [390, 1280])
def test_what_was_seen_is_stored(browse, usual, shell, width):
    page = join(at_width(browse, width), usual)
    see_both(page)
    press_and_go_on(page, "2")
    expect_done(page, 1)
    code = "from judging.models import Preference; print('seen', Preference.objects.latest('judgement__created').seen)"
    stored = json.loads(shell(code).split("seen ")[1])
    assert len(stored) == 2 and all(milliseconds > 150 and results >= 1 for milliseconds, results in stored)


def test_in_italian_it_says_so_too(browse, usual):
    worker = at_width(browse, 360, locale="it-IT")
    page = worker.page
    page.goto(f"/join/{usual}/")
    page.locator("[name=agree]").check()
    page.locator("button.primary").click()
    read_instructions(page)
    ready(page)
    assert hint(page).inner_text() == "Guarda anche la lista a destra, poi rispondi."
    reasons_are_in_reach(page)
    worker.check("pair-unseen-it", whole=False)
