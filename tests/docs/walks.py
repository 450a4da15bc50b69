"""Walks through the application, recorded: `make demo`, then `python -m tests.docs.walks http://127.0.0.1:8000/ CRANFIELD`.

CRANFIELD is a folder with Glasgow's files. Each walk is one animated PNG: what is clicked is ringed, then comes what it leads to.
"""

import re
import struct
import sys
import zlib
from base64 import b64encode
from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize, sync_playwright

from tests import chromium
from tests.docs.pictures import DOCS, lines_of, opened, png, recoloured

SIZE: ViewportSize = {"width": 960, "height": 600}
MILLISECONDS, LAST = 1800, 6000
RING = """(place) => {
  const ring = document.createElement("div");
  ring.id = "ring";
  ring.style.cssText = `position: fixed; z-index: 9999; box-sizing: border-box; pointer-events: none; border: 4px solid #d6006e;
    border-radius: 12px; left: ${place.x - 8}px; top: ${place.y - 8}px; width: ${place.width + 16}px;
    height: ${place.height + 16}px`;
  document.body.append(ring);
}"""
STACKED = """async shots => {
  const pictures = await Promise.all(shots.map(async shot =>
    createImageBitmap(await (await fetch(`data:image/png;base64,${shot}`)).blob())));
  const {width, height} = pictures[0], canvas = new OffscreenCanvas(width, height * pictures.length);
  const drawing = canvas.getContext("2d");
  pictures.forEach((picture, place) => drawing.drawImage(picture, 0, height * place));
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
}"""


class Walk:
    """A walk on a page: its screenshots, and how often something was clicked."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0
        self.shots: list[bytes] = []

    def look(self) -> None:
        self.page.wait_for_timeout(500)  # fonts, figures
        self.shots.append(self.page.screenshot())

    def show(self, target: Locator) -> None:
        """Ring what is clicked next."""
        target.evaluate("element => element.scrollIntoView({ block: 'nearest' })")
        self.page.wait_for_timeout(300)
        self.page.evaluate(RING, target.bounding_box())
        self.look()
        self.page.evaluate("document.getElementById('ring').remove()")
        self.clicks += 1

    def click(self, target: Locator) -> None:
        self.show(target)
        target.click()

    def save(self, name: str) -> None:
        """End with what the last click led to."""
        self.look()
        blank = self.page.context.new_page()
        stacked = blank.evaluate(STACKED, [b64encode(shot).decode() for shot in self.shots])
        blank.close()
        drawn = recoloured(self.page, stacked)
        path = DOCS / "pictures" / f"{name}.png"
        path.write_bytes(animated(drawn, len(self.shots)))
        print(name, self.clicks, "clicks", path.stat().st_size // 1000, "kB")


def animated(drawn: dict, n: int) -> bytes:
    """An animated PNG of `n` pictures that were drawn one below the other; of each only the rows that changed."""
    width, height, lines = drawn["width"], drawn["height"] // n, lines_of(drawn)
    pictures = [lines[start : start + height] for start in range(0, len(lines), height)]
    chunks: list[tuple[bytes, bytes]] = []
    number = 0  # of chunks that say when and where, or hold a picture but the first
    for before, picture in zip([None, *pictures], pictures, strict=False):
        changed = [at for at in range(height) if before is None or picture[at] != before[at]] or [0]
        top, bottom = changed[0], changed[-1] + 1
        delay = LAST if picture is pictures[-1] else MILLISECONDS
        chunks.append((b"fcTL", struct.pack(">IIIIIHHBB", number, width, bottom - top, 0, top, delay, 1000, 0, 0)))
        data = zlib.compress(b"".join(b"\0" + line for line in picture[top:bottom]), 9)
        chunks.append((b"IDAT", data) if before is None else (b"fdAT", struct.pack(">I", number + 1) + data))
        number += 1 if before is None else 2
    return png(drawn, height, *chunks, moves=((b"acTL", struct.pack(">II", n, 1)),))


def to_the_verdict(walk: Walk) -> None:
    """From the first page to a verdict."""
    walk.click(walk.page.get_by_role("button", name="Enter as the demo’s researcher"))
    walk.page.wait_for_selector("text=Dashboard")
    walk.click(walk.page.get_by_role("link", name="bm25-4grams against bm25-words"))
    walk.page.wait_for_selector(".answer figure")


def from_own_files(walk: Walk, cranfield: Path) -> None:
    """From the first page and files of one's own to a report."""
    page = walk.page
    page.goto("/")
    walk.click(page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)))
    page.wait_for_selector("text=Dashboard")
    walk.click(page.get_by_role("link", name="New collection").first)
    page.get_by_label("Name").fill("Cranfield")
    walk.click(page.get_by_role("button", name="Create"))
    walk.show(page.locator("input[type=file]"))
    page.locator("input[type=file]").set_input_files(
        [str(cranfield / name) for name in ("cranqrel", "cran.all.1400", "cran.qry")]
    )
    page.get_by_role("button", name="Import these 3 files").wait_for()
    walk.click(page.get_by_role("button", name="Import these 3 files"))
    page.get_by_text("Next: runs to compare").wait_for(timeout=60_000)
    walk.click(page.get_by_role("button", name="Make runs here").first)
    page.get_by_text("Next: a report").wait_for(timeout=90_000)
    walk.click(page.get_by_role("button", name="Make the report").first)
    page.get_by_text("has the highest nDCG@10").wait_for(timeout=60_000)


def main(site: str, cranfield: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.program(), args=chromium.FLAGS)
        walk = Walk(opened(browser, site, SIZE))
        to_the_verdict(walk)
        walk.save("walk-verdict")
        walk = Walk(opened(browser, site, SIZE))
        from_own_files(walk, Path(cranfield))
        walk.save("walk-own-files")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2])
