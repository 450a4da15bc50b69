"""A report shared by a link: made on the report's page, read by somebody without an account, and printed."""

import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK

pytestmark = pytest.mark.browser

A4 = {"width": 700, "height": 990}  # what margins leave of its width, in CSS pixels


@PHONE_IN_SOAK
def test_a_report_is_shared_read_and_printed(browse, size):
    watched = browse(size)
    page = watched.page
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.wait_for_selector("text=Dashboard")
    page.goto("/reports/")
    watched.follow(page.locator("tbody a[href^='/reports/']").first)
    page.locator("summary", has_text="Share").click()
    watched.follow(page.get_by_role("button", name="Make a link"))
    page.locator("summary", has_text="Share").click()
    watched.check("share", whole=False)
    address = page.get_by_label("Works until").first.input_value()

    reader = browse(size)
    reader.page.goto(address)
    reader.page.wait_for_selector(".plot svg")
    reader.check("shared-report")
    reader.page.set_viewport_size(A4)
    reader.page.emulate_media(media="print")
    assert reader.page.locator(".site-header").is_hidden()
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= A4["width"]
