"""Near-duplicates as an owner meets them: asked for by a button, found while the page waits, counted once by a report."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK

pytestmark = pytest.mark.browser


@pytest.mark.slow
@PHONE_IN_SOAK
def test_groups_are_found_while_the_page_waits_and_a_report_offers_to_count_them_once(browse, size):
    watched = browse(size)
    page = watched.page
    page.goto("/")
    page.get_by_role("button", name="Enter as the demo’s researcher").click()
    page.wait_for_selector("text=Dashboard")
    page.goto("/collections/1/")
    watched.follow(page.get_by_role("link", name="near-duplicates"))
    page.get_by_role("button", name="Find near-duplicates").click()
    page.wait_for_selector("text=in 1 group", timeout=60_000)
    watched.check("near-duplicates")
    page.goto("/reports/new/?collection=1")
    page.get_by_text("Conventions: which topics count").click()
    page.get_by_label("Count near-duplicates once").check()
    watched.check("report-new-duplicates")
    page.get_by_role("button", name="Compute the report").click()
    page.wait_for_selector("#explore .plot svg", timeout=60_000)
    assert page.get_by_text("Near-duplicates counted once.").is_visible()
    watched.check("report-duplicates-once")
    assert not watched.complaints
