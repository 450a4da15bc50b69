"""The pictures of the documentation, taken anew: `make demo`, then `python -m tests.docs.pictures http://127.0.0.1:8000/`.

It does what the tutorials tell to do, on a demo that was just begun, so that a picture cannot show what is not there.
"""

import re
import struct
import subprocess
import sys
import zlib
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests import chromium
from tests.browser.joining import read_instructions

DOCS = Path(__file__).resolve().parents[2] / "docs"
DESKTOP: ViewportSize = {"width": 1000, "height": 640}
PHONE: ViewportSize = {"width": 390, "height": 740}


def main(site: str) -> None:
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
        page = opened(browser, site)
        take(page, "first-page", height=560)
        page.get_by_role("button", name="Enter as the demo’s researcher").click()
        page.wait_for_selector("text=Dashboard")
        verdict = page.get_by_role("link", name="bm25-4grams against bm25-words")
        verdict.evaluate("link => link.scrollIntoView({ block: 'center' })")
        take(page, "dashboard", height=560)
        verdict.click()
        page.wait_for_selector(".answer figure")
        take(page, "verdict", height=560)
        page.goto("/experiments/1/report/")
        page.wait_for_selector(".plot svg")
        take(page, "ab-report", height=560)
        page.goto("/experiments/2/")
        take(page, "experiment")
        link = first_study(page, Path(folder))
        judge(opened(browser, site), link, "judge")
        phone = opened(browser, site, PHONE)
        judge(phone, phone.get_by_role("link", name="Start judging").get_attribute("href") or "", "phone", answers=0)
        settle(page)
        browser.close()


def opened(browser: Browser, site: str, size: ViewportSize = DESKTOP) -> Page:
    page = browser.new_context(base_url=site, viewport=size, color_scheme="light").new_page()
    page.goto("/")
    return page


def take(page: Page, name: str, *, height: int = 640) -> None:
    page.wait_for_timeout(400)  # fonts, figures
    path = DOCS / "pictures" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    size = page.viewport_size or DESKTOP
    shot = page.screenshot(clip={"x": 0, "y": 0, "width": size["width"], "height": min(height, size["height"])})
    path.write_bytes(smaller(page, shot))
    print(name, path.stat().st_size // 1000, "kB")


# The browser decodes the picture and finds the commonest colours; whatever else there is takes the nearest of these.
COLOURS = """async shot => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${shot}`)).blob());
  const {width, height} = picture, canvas = new OffscreenCanvas(width, height), drawing = canvas.getContext("2d");
  drawing.drawImage(picture, 0, 0);
  const dots = new Uint32Array(drawing.getImageData(0, 0, width, height).data.buffer), counts = new Map();
  for (const dot of dots) counts.set(dot, (counts.get(dot) ?? 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 128).map(([dot]) => dot);
  const distance = (a, b) => [0, 8, 16].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
  const places = new Map();
  for (const dot of counts.keys())
    places.set(dot, palette.reduce((best, other, at) => distance(dot, other) < distance(dot, palette[best]) ? at : best, 0));
  return {width, height, palette, places: Array.from(dots, dot => String.fromCharCode(places.get(dot))).join("")};
}"""


def smaller(page: Page, shot: bytes) -> bytes:
    """The same PNG with a palette, a third of its size."""
    drawn = recoloured(page, b64encode(shot).decode())
    data = zlib.compress(b"".join(b"\0" + line for line in lines_of(drawn)), 9)
    return png(drawn, drawn["height"], (b"IDAT", data))


def recoloured(page: Page, shot: str) -> dict:
    """The picture's commonest colours, and which of them each dot has; drawn on a page of its own."""
    blank = page.context.new_page()
    drawn = blank.evaluate(COLOURS, shot)
    blank.close()
    return drawn


def lines_of(drawn: dict) -> list[bytes]:
    places = drawn["places"].encode("latin-1")
    return [places[at : at + drawn["width"]] for at in range(0, len(places), drawn["width"])]


def png(drawn: dict, height: int, *data: tuple[bytes, bytes], moves: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
    """A PNG with the palette of what was drawn; `moves` stand before it and say that it is animated."""
    palette = b"".join(colour.to_bytes(4, "little")[:3] for colour in drawn["palette"])
    header = struct.pack(">IIBBBBB", drawn["width"], height, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), *moves, (b"PLTE", palette), *data, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


def first_study(page: Page, folder: Path) -> str:
    """Follow docs/tutorial/first-study.md until workers can begin; the link that they get."""
    tutorial = (DOCS / "tutorial" / "first-study.md").read_text(encoding="utf-8")
    subprocess.run(
        ["sh", "-c", re.findall(r"^```sh\n(cat .*?)^```", tutorial, re.MULTILINE | re.DOTALL)[0]], cwd=folder, check=True
    )
    page.goto("/collections/new/")
    page.get_by_label("Name").fill("Birds")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile(r"/collections/\d+/"))
    collection = re.sub(r"(/collections/\d+/).*", r"\1", page.url)
    page.goto(f"{collection}add/")
    page.locator("input[type=file]").set_input_files(sorted(str(file) for file in folder.iterdir()))
    page.get_by_role("button", name="Import these 4 files").wait_for()
    take(page, "files")
    page.get_by_role("button", name="Import these 4 files").click()
    page.locator(".badge", has_text="Imported").nth(3).wait_for()
    page.goto(collection)
    take(page, "collection", height=420)
    page.goto(f"/studies/new/?collection={collection.rstrip('/').rsplit('/', 1)[1]}")
    page.get_by_label("Name").first.fill("First study")
    for box in page.locator("[name=runs]").all():
        box.check()
    page.get_by_label("Pool depth").fill("2")
    page.get_by_role("button", name="Save and see the plan").click()
    page.wait_for_selector("text=Launch")
    take(page, "plan")
    page.get_by_role("link", name="Launch the study…").click()
    page.get_by_role("button", name="Launch: order").click()
    page.wait_for_selector("text=Invite workers")
    return page.get_by_role("link", name="Judge by it yourself").get_attribute("href") or ""


def judge(page: Page, link: str, name: str, answers: int = 5) -> None:
    page.goto(link)
    page.locator("input[type=checkbox]").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    take(page, name, height=740)
    for _ in range(answers):
        page.wait_for_timeout(600)
        page.keyboard.press("0" if "Sparrows" in page.locator("form.item .document").inner_text() else "2")


def settle(page: Page) -> None:
    """Keep the grades, and ask which system is better."""
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("button", name="Keep these grades as qrels").click()
    page.get_by_role("button", name="Make a report").first.click()
    page.wait_for_selector(".plot svg", timeout=60_000)
    take(page, "answer", height=560)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
