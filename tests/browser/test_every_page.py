"""Every page that links of the demo lead to, and those of workers and admins: nothing for axe, nothing sideways, words in one
language, few bytes, and in the demo nothing empty.

Each kind of page is seen in three windows, in another language in each of them, and by axe in the light and in the dark. Which
goes with which differs from page to page, so that together they are seen in every combination.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from tests.browser.conftest import ADMINS, PASSWORD, SIZES, Watched
from tests.browser.pairs import join, press_and_go_on, wait_until_seen
from tests.browser.test_first_steps import wait_for_verdict
from tests.browser.test_main_job import enter_as_researcher, judge_by_key, start_judging
from tests.browser.test_people import sign_in
from tests.conftest import SOAKING

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.one_database, pytest.mark.soak(short=True)]

MOST_PAGES = 400 if SOAKING else 13
LANGUAGES = ["en", "it", "de"]
NO_PAGES = re.compile(r"^/(admin|api|docs|judge|join)/|\.\w+(\?|$)|/(trec|files?|export|download)\b|[?&]format=")
BEGINNINGS = ["/", "/verdicts/1/", "/reports/", "/studies/2/", "/sites/1/", "/collections/1/", "/account/"]
OF_ADMINS = ["/administration/", "/audit/", "/people/", "/account/email/"]
OF_NOBODY = ["/confirm/asked/", "/confirm/wrong/"]
OF_THE_DEMO = re.compile(r"/((verdicts|sites)/1|(collections|experiments)/[12]|studies/[23])/")
EMPTY = re.compile(r"/sites/1/quarantine/")  # nothing went wrong


def links_of(page) -> Iterator[str]:
    """Addresses of the site's pages that this one leads to."""
    for link in page.eval_on_selector_all("a[href]:not([download])", "links => links.map(link => link.href)"):
        parts = urlsplit(link)
        address = parts.path + (f"?{parts.query}" if parts.query else "")
        if parts.netloc == urlsplit(page.url).netloc and not NO_PAGES.search(address):
            yield address


def kind_of(address: str) -> str:
    """What addresses of the same kind of page have in common."""
    path, _, query = address.partition("?")
    path = re.sub(r"^/join/.*", "/join/1/", path)
    return re.sub(r"\d[\da-f-]*", "1", path) + ",".join(sorted(part.partition("=")[0] for part in query.split("&")))


@pytest.fixture(scope="session")
def people(chromium, site, usual):
    """What the browsers of four people keep, and the addresses that they begin with."""

    def browser():
        return Watched(chromium.new_context(base_url=site, viewport=SIZES["desktop"]).new_page(), "desktop")

    researcher, admin, worker = browser(), browser(), browser()
    enter_as_researcher(researcher.page)
    wait_for_verdict(researcher.page)
    sign_in(admin, ADMINS[0], PASSWORD)
    worker.page.goto("/")
    invitation = worker.page.get_by_role("link", name="Start judging").get_attribute("href")
    start_judging(worker)
    judge_by_key(worker.page, "1")  # from then on no instructions lie over the page
    judging = [worker.page.url]
    join(worker, usual)
    wait_until_seen(worker.page)
    press_and_go_on(worker.page, "1")
    judging.append(worker.page.url)
    kept = [watched.page.context.storage_state() for watched in (researcher, admin, worker)]
    for watched in (researcher, admin, worker):
        watched.page.context.close()
    of_workers = [urlsplit(address).path for address in judging]
    begin = [BEGINNINGS, OF_ADMINS, of_workers, [*OF_NOBODY, invitation, f"/join/{usual}/"]]
    return list(zip([*kept, None], begin, strict=True))


class Eye:
    """Somebody's browser in one of the three windows, which keeps nothing of the pages it has seen."""

    def __init__(self, watched, look: int):
        self.watched, self.look = watched, look
        self.loaded: dict[str, int] = {}
        watched.page.on("requestfinished", self.weigh)
        network = watched.page.context.new_cdp_session(watched.page)
        network.send("Network.enable")
        network.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def weigh(self, request) -> None:
        """Leave out the library that draws figures, which is 400 kB, and the next item, which a script asks for meanwhile."""
        if "/plotly" not in request.url and request.resource_type != "fetch":
            sizes = request.sizes()
            self.loaded[request.url] = sizes["responseBodySize"] + sizes["responseHeadersSize"]

    def see(self, address: str) -> None:
        kind, page = kind_of(address), self.watched.page
        number = crc32(kind.encode())
        language = LANGUAGES[(number // 2 + self.look) % 3]
        page.context.set_extra_http_headers({"Accept-Language": language})
        page.emulate_media(color_scheme=["light", "dark"][(number + self.look) % 2])
        self.loaded.clear()
        assert page.goto(address).status == 200
        page.wait_for_load_state()
        page.evaluate("() => document.fonts.ready.then(() => null)")
        # The first and the third window are as light or as dark as each other: one of them is enough for axe.
        seen_twice = self.look == number // 6 % 2 * 2
        self.watched.check(re.sub(r"\W+", "-", f"every{address}"), axe=SOAKING or not seen_twice)
        assert page.locator("html").get_attribute("lang")[:2] == language
        assert sum(self.loaded.values()) <= most_bytes(kind), self.loaded
        if (address in BEGINNINGS or OF_THE_DEMO.match(address)) and not EMPTY.match(address):
            assert page.locator("div.empty").all_inner_texts() == []
        if kind == "/join/1/":
            height = page.evaluate("() => document.documentElement.scrollHeight")
            assert height <= 1.5 * page.viewport_size["height"], "nobody reads all of it"


def most_bytes(kind: str) -> int:
    """Of a page and all that it refers to but the figures' library, as it comes over the wire."""
    if kind.startswith("/judge/"):
        return 60_000
    return 100_000 if kind in map(kind_of, [*BEGINNINGS, *OF_ADMINS, *OF_NOBODY, "/join/1/"]) else 300_000


@pytest.mark.parametrize("look", range(3))
def test_every_page(browse, people, look):
    seen, wrong = set(), []
    for state, addresses in people:
        eye = Eye(browse(list(SIZES)[look], storage_state=state), look)
        waiting, named = list(addresses), len(addresses)
        while waiting and (named > 0 or len(seen) < MOST_PAGES):
            address = waiting.pop(0)
            named -= 1
            if named < 0 and kind_of(address) in seen:
                continue
            seen.add(kind_of(address))
            try:
                eye.see(address)
            except AssertionError as error:
                wrong.append(f"{address}: {error}")
            waiting += links_of(eye.watched.page) if addresses is BEGINNINGS else []
    assert not wrong, "\n".join(wrong)
    assert len(seen) >= 20
