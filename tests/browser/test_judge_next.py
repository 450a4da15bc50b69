"""From a report to the documents that could change it, and on to a study."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK

pytestmark = pytest.mark.browser


@PHONE_IN_SOAK
def test_documents_go_from_a_report_to_a_study(browse, size):
    watched = browse(size)
    page = watched.page
    page.goto("/")
    page.get_by_role("button", name="Enter as the demo’s researcher").click()
    page.wait_for_selector("text=Dashboard")
    page.goto("/reports/")
    report = page.get_by_role("link", name="Three rankings under").first
    for _ in range(120):  # it is asked for when the demo's simulated people have finished
        if report.count():
            break
        page.wait_for_timeout(1000)
        page.reload()
    report.click()
    page.wait_for_selector("#explore .plot svg", timeout=60_000)
    watched.follow(page.get_by_role("link", name="Judge next"))
    page.get_by_label("Documents", exact=True).fill("3")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("button", name="to study").wait_for()
    watched.check("report-next")
    page.get_by_role("button", name="to study").click()
    page.get_by_text("added to “").wait_for()
    assert not watched.complaints
