"""A report's tabs as a reader meets them: all in view, also on a phone, and with what was chosen a moment ago."""

from pathlib import Path

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_main_job import enter_as_researcher
from tests.visible_words import expect_the_answer_first

pytestmark = pytest.mark.browser


@pytest.fixture
def report(browse, size):
    """The demo's report, opened and computed."""
    watched = browse(size)
    page = watched.page
    page.goto("/")
    page.get_by_role("button", name="Enter as the demo’s researcher").click()
    page.wait_for_selector("text=Dashboard")
    page.goto("/reports/")
    page.get_by_role("link", name="Four rankings under").first.click()
    page.wait_for_selector("#explore .plot svg", timeout=60_000)
    return watched


def test_all_tabs_stand_in_one_row_inside_the_window(report):
    boxes = [tab.bounding_box() for tab in report.page.locator("nav.tabs a").all()]
    assert len(boxes) == 5
    assert len({box["y"] for box in boxes}) == 1
    assert all(box["x"] + box["width"] <= report.page.viewport_size["width"] for box in boxes)


@PHONE_IN_SOAK
def test_a_measure_chosen_without_a_new_page_goes_along_to_the_next_tab(report):
    page = report.page
    explore = page.locator("#explore")
    explore.get_by_label("Measure").select_option("AP")
    explore.get_by_role("button", name="Show").click()
    explore.get_by_role("heading", name="By AP").wait_for()
    for tab in ("Differences", "Tags", "Correlation", "Overview"):
        report.follow(page.get_by_role("navigation", name="Report").get_by_role("link", name=tab))
        assert page.get_by_label("Measure", exact=True).input_value() == "AP"
    assert not report.complaints


@PHONE_IN_SOAK
def test_further_rules_unfold_and_come_back_open_when_one_is_wrong(report):
    page = report.page
    page.goto("/reports/new/?collection=1")
    page.get_by_text("Conventions: which topics count").click()
    page.get_by_label("Judged documents only").check()
    report.check("report-new-more-rules")
    for version in page.locator("input[name=qrels]").all():  # other tests have settled studies of this collection
        version.uncheck()
    page.evaluate("document.querySelector('form.form').noValidate = true")
    page.get_by_role("button", name="Compute the report").click()
    page.wait_for_selector("text=Choose at least one qrels version.")
    assert page.get_by_label("Judged documents only").is_checked() and page.get_by_label("Cut rankings").is_visible()


@PHONE_IN_SOAK
def test_a_figure_is_saved_as_picture_and_table_and_leads_to_what_it_shows(report):
    page = report.page
    page.get_by_text("The means as bars").click()
    figure = page.locator("figure", has=page.locator("[data-figure=bars-figure]"))
    starts = {"SVG": b"<svg", "PNG": b"\x89PNG", "CSV": '\ufeff"Run","Mean"'.encode()}
    for kind, start in starts.items():
        with page.expect_download() as download:
            figure.get_by_role("button", name=kind, exact=True).click()
        assert download.value.suggested_filename.endswith(f"bars-figure.{kind.lower()}")
        assert Path(download.value.path()).read_bytes().startswith(start)
    bar = figure.locator(".points path").first.bounding_box()
    page.mouse.click(bar["x"] + 20, bar["y"] + bar["height"] / 2)
    page.wait_for_url("**/collections/runs/*/")
    assert not report.complaints


def test_whatever_unfolds_is_large_enough_for_a_finger(report):
    heights = report.page.locator("main summary:visible").evaluate_all(
        "all => all.map(summary => summary.getBoundingClientRect().height)"
    )
    assert heights
    assert min(heights) >= 24


@PHONE_IN_SOAK
def test_paper_has_the_method_and_no_ways_on(report):
    page = report.page
    page.emulate_media(media="print")
    assert page.locator(".tabs, .breadcrumbs, main form, main .button").locator("visible=true").count() == 0
    assert page.locator(".answer .method p").first.is_visible()
    sizes = page.locator("main :is(p, td, th, small, figcaption):visible").evaluate_all(
        "all => all.map(text => parseFloat(getComputedStyle(text).fontSize))"
    )
    assert min(sizes) >= 12  # nine points


def test_the_demos_report_is_read_at_a_glance(report):
    expect_the_answer_first(report.page.content())


@pytest.mark.one_database
def test_a_page_that_is_loaded_anew_calls_nobody_back_who_is_leaving_it(browse):
    page = browse().page
    enter_as_researcher(page)
    page.goto("/studies/1/")
    asked, leaving = [], []

    def ready(route):  # as when what the page waits for is there, and the other page takes its time
        asked.append(route.request.resource_type)
        route.fulfill(status=204, headers={"HX-Refresh": "true"}) if leaving else route.continue_()

    page.route(lambda url: url.endswith("/studies/1/"), ready)
    page.route("**/collections/", lambda route: leaving.append(route))  # noqa: PLW0108  Playwright marks what it is given
    with page.expect_response(lambda response: "hx-refresh" in response.headers):
        page.get_by_role("navigation").get_by_role("link", name="Collections").first.click(no_wait_after=True)
    page.wait_for_timeout(500)
    assert "document" not in asked
    leaving[0].continue_()
    page.wait_for_url("**/collections/")
