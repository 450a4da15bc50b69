"""Every page that links of the demo lead to: nothing for axe, nothing sideways, words in one language, and few bytes."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.browser.test_judging import bytes_of
from tests.browser.test_main_job import enter_as_researcher
from tests.conftest import SOAKING

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.one_database, pytest.mark.soak(short=True)]

MOST_PAGES = 400 if SOAKING else 16
MOST_BYTES = 300_000
NO_PAGES = re.compile(r"^/(admin|api|docs|judge|join)/|\.\w+$|/(trec|files?|export|download)\b|[?&]format=")
BEGINNINGS = ["/", "/verdicts/1/", "/reports/", "/studies/2/", "/sites/1/", "/collections/1/", "/account/"]
LOOKS = {
    "wide": ("desktop", {"color_scheme": "light", "locale": "en-GB"}),
    "phone in the dark": ("phone", {"color_scheme": "dark", "locale": "it-IT"}),
    "small": ("small", {"color_scheme": "light", "locale": "de-DE"}),
}


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
    return re.sub(r"\d+", "1", path) + ",".join(sorted(part.partition("=")[0] for part in query.split("&")))


@pytest.mark.parametrize("look", LOOKS)
def test_every_page(browse, look):
    reader = browse()
    enter_as_researcher(reader.page)
    size, more = LOOKS[look]
    watched = browse(size, storage_state=reader.page.context.storage_state(), **more)
    page, loaded = watched.page, []
    page.on("requestfinished", lambda request: loaded.append(bytes_of(request.response())))
    waiting, seen, wrong = list(BEGINNINGS), set(), []
    while waiting and len(seen) < MOST_PAGES:
        address = waiting.pop(0)
        if kind_of(address) in seen:
            continue
        seen.add(kind_of(address))
        loaded.clear()
        assert page.goto(address).status == 200, address
        page.wait_for_load_state()
        try:
            watched.check(re.sub(r"\W+", "-", f"every{address}"))
            assert page.locator("html").get_attribute("lang")[:2] == more["locale"][:2]
            assert sum(loaded) < MOST_BYTES or page.locator("[data-figure]").count(), sum(loaded)
        except AssertionError as error:
            wrong.append(f"{address}: {error}")
        waiting += links_of(page)
    assert not wrong, "\n".join(wrong)
    assert len(seen) >= 16
