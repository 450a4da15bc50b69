"""Documents with HTML: nothing of it runs or is fetched from elsewhere, and whoever reads it goes on judging by keys."""

import socket
import threading
from contextlib import contextmanager, suppress
from urllib.request import urlopen

import pytest

from tests.browser import documents, pairs
from tests.browser.test_main_job import item_of
from tests.hostile.documents import EVIL, pages

pytestmark = pytest.mark.browser
FRAME = "iframe.page"
OWLS = (
    """<html><head><title>Barn owls</title></head><body bgcolor=black text=white><h1>What owls eat</h1>
<p>The barn owl eats <b>voles</b> and mice. <img src="img/vole.png" alt="a vole" width=60>
<img src="http://x.org/no.png" alt="a mouse">
</p><table><tr><th>Prey<th>Share<tr><td>Voles<td>60 %<tr><td>Mice<td>25 %</table>"""
    + "<p>More of the owls and their prey.</p>" * 40
)


@pytest.fixture(scope="session")
def hostile(shell, site):
    return documents.made(shell, "Hostile pages", pages())


@pytest.fixture(scope="session")
def owls(shell, site):
    several = {f"D{number}": OWLS for number in range(12)}
    return documents.made(shell, "Pages of owls", several, images=["img/vole.png", "D3.png"], attached=True)


@pytest.fixture(scope="session")
def compared(shell, site):
    several = {f"D{number}": OWLS for number in range(4)}
    return documents.made(shell, "Pages compared", several, images=["img/vole.png"], attached=True, compared=True)


@pytest.fixture(scope="session")
def marked(shell, site):
    html = "<p>Owls eat <b>voles</b></p><table><tr><td>mice<td>voles</table><p title=x>not in the text</p>"
    return documents.made(shell, "Marked pages", {"D1": html}, text="Owls eat voles.\nmice\nvoles 🦉")


def fitted(page):
    page.wait_for_selector(f"{FRAME}.fitted", state="attached")


def inside(page):
    return page.frame_locator(FRAME)


def go_on(page, key="1"):
    page.wait_for_timeout(300)
    item = item_of(page)
    page.keyboard.press(key)
    page.wait_for_function("item => document.querySelector('form.item')?.dataset.item !== item", arg=item)


def image_widths(page) -> list[int]:
    """Of the frame's images, as drawn: 0 where nothing came."""
    return page.evaluate("() => [...document.querySelector('iframe.page').contentDocument.images].map(one => one.naturalWidth)")


@pytest.mark.parametrize("javascript", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["script", "no script"])
def test_nothing_of_a_hostile_page_runs_or_leaves(hostile, browse, site, javascript):
    worker = browse(javascript=javascript)
    asked = []
    worker.page.context.on("request", lambda request: asked.append(request.url))
    worker.page.context.on("page", lambda page: asked.append(f"opened {page.url}"))
    page = documents.join(worker, hostile[0])
    read = set()
    for _ in range(len(pages())):
        page.wait_for_selector(FRAME)
        inside(page).locator("p").first.wait_for()
        read.add(inside(page).locator("p").first.text_content())
        for element in inside(page).locator("a, summary, p").all():
            element.click(no_wait_after=True)
        if javascript:
            assert page.evaluate("() => window.hit") is None
            page.wait_for_timeout(300)
            page.keyboard.press("1")  # the frame has the focus: the key grades all the same
            page.wait_for_function("() => !document.querySelector('form.item[data-again]')")
        else:
            with page.expect_navigation():
                page.locator("button.grade").first.click()
    assert read == {f"Owls of {name}" for name in pages()}
    assert [address for address in asked if not address.startswith((site, "about:srcdoc"))] == []
    assert not [address for address in asked if "/api/" in address]
    assert not [line for line in worker.complaints if EVIL in line]
    assert page.url.startswith(f"{site}/judge/")


UNCLEANED = """html => new Promise((done) => {
  const frame = document.querySelector("iframe.page");
  frame.addEventListener("load", done, { once: true });
  frame.srcdoc = frame.srcdoc.replace(/<body>[^]*/, () => html);
})"""


def test_what_a_cleaner_let_through_would_neither_run_nor_leave(hostile, browse, site):
    """Sandbox and policies alone, on HTML as it came."""
    page = documents.join(browse(), hostile[0])
    fitted(page)
    with listening() as (elsewhere, heard):
        page.evaluate(UNCLEANED, f"<img src='{site}/static/ireval/icon.svg'><p>works")
        assert image_widths(page) != [0]  # what is ours is fetched
        for html in pages().values():
            page.evaluate(UNCLEANED, html.replace(EVIL, elsewhere).replace("evil.invalid", elsewhere.removeprefix("http://")))
            for link in inside(page).locator("a, button").all():
                link.dispatch_event("click")
            page.wait_for_timeout(100)
            assert page.evaluate("() => window.hit") is None
        assert heard == []
        with pytest.raises(OSError):  # it answers nothing, and hears whoever calls
            urlopen(elsewhere, timeout=2)
    assert len(heard) == 1
    assert page.url.startswith(f"{site}/judge/")


@contextmanager
def listening():
    """The address of a server elsewhere, and whoever has called it."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        ended = threading.Event()

        def listen():
            while not ended.is_set():
                with suppress(TimeoutError):
                    connection, _ = server.accept()
                    heard.append(connection.recv(200))
                    connection.close()

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
        finally:
            ended.set()
            listener.join()


def test_a_page_is_read_with_its_images_and_judged_by_keys(owls, browse, size):
    worker = browse(size)
    page = documents.join(worker, owls[0])
    fitted(page)
    inside(page).get_by_role("cell", name="60 %").wait_for()
    page.wait_for_function("() => document.querySelector('iframe.page').contentDocument.images[0].naturalWidth === 60")
    assert image_widths(page) == [60]
    assert inside(page).get_by_text("a mouse").is_visible()  # in place of an image that is elsewhere
    assert inside(page).locator("mark").first.inner_text() == "owls"
    low, high = page.locator(FRAME).bounding_box()["height"], page.evaluate("() => document.documentElement.scrollHeight")
    assert 1000 < low < high  # as high as what is in it
    worker.check("document-frame", whole=False)
    inside(page).get_by_text("What owls eat").click()
    assert page.evaluate("() => document.activeElement.tagName") == "IFRAME"
    page.keyboard.press("f")
    assert page.locator(".whole .text").is_visible()
    assert page.locator(FRAME).is_hidden()
    worker.check("document-plain-text", whole=False)
    page.keyboard.press("f")
    inside(page).get_by_text("What owls eat").click()
    go_on(page, "2")
    fitted(page)
    assert worker.complaints == []


def test_side_by_side_a_result_opens_as_a_page(compared, browse, size):
    worker = browse(size)
    page = pairs.join(worker, compared[0])
    assert page.locator(".attachments a").count() == 2
    page.locator(".open").first.click()
    fitted(page)
    inside(page).get_by_role("cell", name="60 %").wait_for()
    assert inside(page).locator("mark").first.inner_text() == "owls"
    page.wait_for_function("() => document.querySelector('iframe.page').contentDocument.images[0].naturalWidth === 60")
    worker.check("pair-result-page", whole=False, axe=size == "desktop")  # on a phone, axe orders headings behind it, too
    page.get_by_text("Show plain text").click()
    assert page.locator(FRAME).is_hidden()
    page.get_by_text("Show the page").click()
    inside(page).get_by_text("What owls eat").click()
    assert page.evaluate("() => document.activeElement.tagName") == "IFRAME"
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('#reader').open")
    assert worker.complaints == []


def test_plain_text_is_searched_and_marked(owls, browse):
    page = documents.join(browse(), owls[0])
    fitted(page)
    page.keyboard.press("/")
    page.keyboard.type("voles")
    page.get_by_text("1 of 20", exact=True).wait_for()
    assert page.locator(FRAME).is_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    assert page.locator("[name=passages]").input_value() == "[[0,15]]"


SELECT = """([words, nth]) => {
  const { body } = document.querySelector("iframe.page").contentDocument;
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf(words);
    if (at < 0 || nth--) continue;
    body.ownerDocument.getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
    return;
  }
}"""
IN_FRAME = """() => {
  const { CSS, document } = window.document.querySelector("iframe.page").contentWindow;
  return [...(CSS.highlights.get("passage") ?? [])].map((range) => [String(range), range.startContainer.parentElement.tagName]);
}"""


def test_what_is_selected_in_a_page_is_marked_in_its_text(marked, browse):
    page = documents.join(browse(), marked[0])
    fitted(page)
    text = page.locator(".whole .text").evaluate("element => element.textContent")
    assert page.locator(".mark-passage").is_hidden()
    page.evaluate(SELECT, ["voles", 1])
    page.locator(".mark-passage").click()
    start, end = page.evaluate("() => JSON.parse(document.querySelector('[name=passages]').value)[0]")
    assert (text[start:end], start) == ("voles", text.rindex("voles"))
    assert page.evaluate(IN_FRAME) == [["voles", "TD"]]
    page.locator(".mark-passage").wait_for(state="hidden")
    page.evaluate(SELECT, ["not in the text", 0])
    assert page.locator(".mark-passage").is_hidden()
    page.reload()  # a draft is shown in the page again
    page.wait_for_function(f"() => ({IN_FRAME})().length === 1")


def test_ten_pages_ahead_are_read_offline_with_their_images(owls, browse):
    page = documents.join(browse(), owls[0])
    fitted(page)
    page.keyboard.press("i")
    page.get_by_label("Load ten documents ahead").check()
    page.wait_for_function("() => document.getElementById('ahead').content.childElementCount === 10")
    page.keyboard.press("Escape")
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    for _ in range(3):
        go_on(page)
        fitted(page)
        inside(page).get_by_role("cell", name="60 %").wait_for()
        page.wait_for_function("() => document.querySelector('iframe.page').contentDocument.images[0].naturalWidth === 60")
    assert page.evaluate("() => document.querySelector('iframe.page').contentDocument.styleSheets.length") == 1


def test_attachments_stand_beside_the_topic(owls, browse, size):
    worker = browse(size)
    page = documents.join(worker, owls[0])
    image = page.get_by_role("img", name="pellet.png")
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 60
    with page.expect_download() as download:
        page.get_by_role("link", name="what counts.pdf").click()
    assert download.value.suggested_filename == "what counts.pdf"


def test_in_the_dark_a_page_is_light_on_dark(owls, browse, site):
    worker = browse(color_scheme="dark")
    page = documents.join(worker, owls[0])
    fitted(page)
    colour = page.evaluate("() => getComputedStyle(document.querySelector('iframe.page').contentDocument.body).color")
    assert min(map(int, colour.removeprefix("rgb(").rstrip(")").split(", "))) > 200
    worker.check("document-frame-dark", whole=False)
