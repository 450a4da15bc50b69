"""The documentation in a browser: it fits, in both schemes, and a keyboard reaches what scrolls."""

import re

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("address", ["", "?q=nightly+backups", "tutorial/first-study/", "reference/labels/"])
def test_a_page_of_the_documentation(browse, size, address):
    reader = browse(size)
    reader.page.goto(f"/docs/{address}")
    reader.page.wait_for_selector(".docs, .list mark")
    reader.check("docs-" + (re.sub(r"\W+", "-", address).strip("-") or "index"))
    for picture in reader.page.locator(".docs img").all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    assert not reader.complaints
