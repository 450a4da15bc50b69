"""Reading a long document: its extract and its full text, finding in it, and marking what speaks for the grade."""

import re
from itertools import pairwise

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_judging import join
from tests.browser.test_main_job import expect_done, item_of
from tests.browser.test_training import practising

pytestmark = pytest.mark.browser
LONG = [("year-round", "1", "")]


@pytest.fixture
def long(browse):
    with practising(browse(), LONG) as researcher:
        yield researcher


def wait_until_ready(page):
    page.wait_for_function("() => CSS.highlights.has('passage')")
    page.wait_for_timeout(300)


def highlighted(page, name) -> list[str]:
    return page.evaluate("name => [...(CSS.highlights.get(name) ?? [])].map(String)", name)


def select(page, words, root=".text"):
    """Select these words in the document, as a mouse does."""
    page.evaluate(
        """([words, root]) => {
            const walker = document.createTreeWalker(document.querySelector(root), NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(words);
                if (at < 0) continue;
                getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
                return;
            }
            throw new Error("not there: " + words);
        }""",
        [words, root],
    )


def full_text(page) -> str:
    return page.locator(".whole .text").evaluate("element => element.textContent")


def words_of(page, count=4) -> str:
    """Some words of the extract that lie in one piece of text."""
    piece = page.evaluate(
        """() => {
            const walker = document.createTreeWalker(document.querySelector(".extract"), NodeFilter.SHOW_TEXT);
            const found = [];
            while (walker.nextNode()) if (walker.currentNode.parentElement.dataset.start) found.push(walker.currentNode.data);
            return found.sort((one, other) => other.length - one.length)[0];
        }"""
    )
    return " ".join(piece.split()[1 : 1 + count])


def test_a_long_document_shows_an_extract_first(long, browse, size):
    worker = browse(size)
    join(worker)
    page = worker.page
    wait_until_ready(page)
    extract, whole = page.locator(".extract"), page.locator(".whole .text")
    assert extract.is_visible()
    assert not whole.is_visible()
    worker.check("extract", whole=False)
    page.keyboard.press("f")
    assert whole.is_visible()
    assert not extract.is_visible()
    worker.check("full-text", whole=False)
    page.reload()  # remembered for the session
    page.wait_for_function("() => document.querySelector('.whole')?.open")
    page.locator(".whole > summary").click()
    assert extract.is_visible()


def test_without_a_script_the_full_text_is_a_click_away(long, browse):
    worker = browse(javascript=False)
    join(worker)
    page = worker.page
    assert page.locator(".extract").is_visible()
    page.locator(".whole > summary").click()
    assert page.locator(".whole .text").is_visible()
    assert not page.locator(".extract").is_visible()
    worker.picture("extract-no-script")


@PHONE_IN_SOAK
def test_finding_in_a_document_by_keyboard(long, browse, size):
    worker = browse(size)
    join(worker)
    page = worker.page
    wait_until_ready(page)
    text = full_text(page)
    times = len(re.findall("water", text, re.IGNORECASE)) + len(
        re.findall("water", page.locator(".document h2").inner_text(), re.IGNORECASE)
    )
    assert times > 1
    page.keyboard.press("/")
    page.keyboard.type("WATER")
    page.get_by_text(f"1 of {times}", exact=True).wait_for()
    assert len(highlighted(page, "match")) == times
    page.keyboard.press("Enter")
    page.get_by_text(f"2 of {times}", exact=True).wait_for()
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    page.get_by_text(f"{times} of {times}", exact=True).wait_for()
    worker.check("find", whole=False)
    box = page.evaluate("() => [...CSS.highlights.get('match-here')][0].getBoundingClientRect().toJSON()")
    assert 0 < box["top"] < page.viewport_size["height"] * 0.8
    page.get_by_label("Find in the document").fill("no such words")
    page.get_by_text("not found").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "document"
    assert page.locator("#find").is_hidden()
    before = item_of(page)
    page.keyboard.press("/")
    page.keyboard.type("3")
    assert item_of(page) == before  # what is typed there grades nothing


@PHONE_IN_SOAK
def test_marking_evidence_by_keyboard_writing_a_note_and_coming_back(long, browse, size):
    worker = browse(size)
    join(worker)
    page = worker.page
    wait_until_ready(page)
    text = full_text(page)
    page.keyboard.press("/")
    page.keyboard.type("water")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    (sentence,) = set(highlighted(page, "passage"))
    assert "water" in sentence.lower()
    assert sentence.strip() in text
    start, end = page.evaluate("() => JSON.parse(document.querySelector('[name=passages]').value)[0]")
    assert text[start:end] == sentence
    page.keyboard.press("n")
    page.keyboard.type("2 good sentences")  # digits are a part of the note
    worker.check("note-and-evidence", whole=False)
    page.reload()
    wait_until_ready(page)
    assert set(highlighted(page, "passage")) == {sentence}  # a draft, until it is sent
    page.wait_for_timeout(300)
    page.keyboard.press("2")
    page.locator(".told").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function("() => !document.querySelector('.practice')")
    assert highlighted(page, "passage") == []
    page.keyboard.press("u")
    page.locator(".practice").wait_for()
    assert set(highlighted(page, "passage")) == {sentence}
    page.keyboard.press("n")
    assert page.get_by_label("Note").input_value() == "2 good sentences"
    page.get_by_role("button", name="Remove 1").press("Enter")
    assert highlighted(page, "passage") == []
    assert page.locator("[name=passages]").input_value() == ""
    page.keyboard.press("Escape")
    expect_done(page, 1)
    assert not worker.complaints


def test_what_is_selected_in_the_extract_is_marked_in_the_text(long, browse):
    worker = browse()
    join(worker)
    page = worker.page
    wait_until_ready(page)
    text, words = full_text(page), words_of(page)
    assert page.locator(".mark-passage").is_hidden()
    select(page, words, ".extract")
    page.locator(".mark-passage").click()
    start, end = page.evaluate("() => JSON.parse(document.querySelector('[name=passages]').value)[0]")
    assert text[start:end] == words
    page.locator(".mark-passage").wait_for(state="hidden")
    assert set(highlighted(page, "passage")) == {words}
    first = words.split()[0]
    select(page, first, ".extract")
    page.keyboard.press("e")
    spans = page.evaluate("() => JSON.parse(document.querySelector('[name=passages]').value)")
    assert all(span[1] < other[0] for span, other in pairwise(spans))


def test_characters_beyond_the_basic_plane_count_as_one(long, browse):
    worker = browse()
    join(worker)
    page = worker.page
    wait_until_ready(page)
    page.evaluate("() => document.querySelector('.whole .text').prepend('🦉🦉 owls ')")
    page.keyboard.press("f")
    select(page, "owls", ".whole .text")
    page.keyboard.press("e")
    assert page.evaluate("() => document.querySelector('[name=passages]').value") == "[[3,7]]"
    assert highlighted(page, "passage")[-1] == "owls"


def test_researchers_read_what_was_marked(long, browse):
    worker = browse()
    join(worker)
    page = worker.page
    wait_until_ready(page)
    words = words_of(page)
    select(page, words, ".extract")
    page.keyboard.press("e")
    page.wait_for_timeout(300)
    page.keyboard.press("1")
    page.locator(".told").wait_for()
    long.page.goto(re.sub(r"(/studies/\d+/).*", r"\1judgements/", long.page.url))
    assert long.page.locator("q", has_text=words).first.is_visible()
    long.check("judgements-with-evidence", whole=False)
