"""A figure's marks by keyboard: each reached, shown, said, and followed to where it leads."""

import re

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browse):
    page = browse().page
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.wait_for_selector("text=Dashboard")
    return page


@pytest.fixture
def report(page) -> str:
    """The address of the demo's report, which is computed."""
    page.goto("/reports/")
    page.get_by_role("link", name="Four rankings under").first.click()
    page.wait_for_selector("#explore .plot svg", timeout=60_000)
    return page.url


def open_figure(page, address: str, key: str):
    """The figure, with the focus on it, and the place where its marks are said."""
    page.goto(address)
    figure = page.locator(f"[data-figure={key}]")
    figure.locator("svg").first.wait_for()
    figure.focus()
    return figure, page.locator(f"#{key}-mark")


def test_keys_go_from_mark_to_mark_and_enter_opens_what_a_mark_leads_to(page, report):
    from playwright.sync_api import expect

    figure, spoken = open_figure(page, f"{report}curves/", "histogram")
    figure.press("End")
    expect(spoken).to_have_text(re.compile(r"^topic \S+.*: -\d\.\d+, a link$"))
    figure.press("Home")
    expect(spoken).to_have_text(re.compile(r"^topic \S+.*: \d\.\d+, a link$"))
    first = spoken.text_content()
    figure.press("ArrowRight")
    expect(spoken).not_to_have_text(first)
    number = spoken.text_content().split()[1].strip(",:")
    assert number in figure.locator(".hoverlayer .hovertext").text_content()
    figure.press("Enter")
    page.wait_for_url(f"**/topic/?topic={number}&*")


def test_a_mark_opens_in_another_tab_with_ctrl(page, report):
    figure, _ = open_figure(page, f"{report}curves/", "histogram")
    figure.press("Home")
    with page.context.expect_page() as opened:
        figure.press("Control+Enter")
    opened.value.wait_for_url("**/topic/?topic=*")
    assert page.url.endswith("/curves/")


def test_keys_go_between_series_and_a_mark_that_leads_nowhere_stays(page, report):
    from playwright.sync_api import expect

    figure, spoken = open_figure(page, f"{report}curves/", "dcg")
    figure.press("ArrowRight")
    expect(spoken).to_have_text(re.compile("^bm25-4grams, by rank 1: "))
    for _ in range(4):
        figure.press("ArrowUp")
    expect(spoken).to_have_text(re.compile(r"^Ideal, by rank 1: \d\.\d+$"))
    figure.press("ArrowRight")
    expect(spoken).to_have_text(re.compile("^Ideal, by rank 2: "))
    figure.press("Enter")
    figure.press("ArrowDown")
    expect(spoken).to_have_text(re.compile("^(?!Ideal).*, by rank 2: "))
    assert page.url.endswith("/curves/")


def test_the_focus_enters_a_figure_once_and_leaves_it_by_tab_and_escape(page, report):
    figure, spoken = open_figure(page, f"{report}curves/", "histogram")
    assert figure.get_attribute("aria-label") and figure.get_attribute("role") == "application"
    assert "Enter opens" in page.locator(f"#{figure.get_attribute('aria-describedby')}").text_content()
    is_inside = "figure => figure.contains(document.activeElement)"
    figure.press("ArrowRight")
    page.keyboard.press("Tab")
    assert not figure.evaluate(is_inside)
    assert figure.locator(".hovertext").count() == 0 and spoken.text_content() == ""
    page.keyboard.press("Shift+Tab")
    assert figure.evaluate("figure => figure === document.activeElement")
    page.keyboard.press("Escape")
    assert not figure.evaluate(is_inside)


def test_marks_of_rows_are_reached_from_the_top_down(page, report):
    from playwright.sync_api import expect

    figure, spoken = open_figure(page, f"{report}tags/", "means-figure")
    figure.press("ArrowDown")
    top = "vulnerability, n = 40"
    expect(spoken).to_have_text(re.compile(f"^{top}"))
    figure.press("ArrowLeft")
    expect(spoken).to_have_text(re.compile(f"^{top}, (?!bm25-4grams)"))
    figure.press("ArrowDown")
    expect(spoken).to_have_text(re.compile("^category, n = 10"))


def test_a_figure_on_a_page_that_leads_nowhere_has_its_marks_and_no_links(page, report, browse):
    from playwright.sync_api import expect

    page.locator("summary", has_text="Share").click()
    with page.expect_navigation():
        page.get_by_role("button", name="Make a link").click()
    shared = page.get_by_label("Works until").first.input_value()
    reader = browse().page
    figure, spoken = open_figure(reader, shared, "bars-figure")
    assert "Enter" not in reader.locator("#bars-figure-keys").text_content()
    figure.press("ArrowDown")
    expect(spoken).to_have_text(re.compile(r"^bm25-4grams, \d\.\d{4} \(\d\.\d{4} to \d\.\d{4}\)$"))
    figure.press("ArrowDown")
    expect(spoken).to_have_text(re.compile("^bm25-words"))
    figure.press("Enter")
    assert reader.url == shared


def test_a_moment_leads_to_its_row_in_the_folded_table(page):
    for _ in range(60):  # the demo's visitors come after its pages
        page.goto("/experiments/1/report/")
        if page.locator("[data-figure=looks-0]").count():
            break
        page.wait_for_timeout(1000)
    figure, _ = open_figure(page, "/experiments/1/report/", "looks-0")
    row = page.locator("#looks-0-0")
    assert not row.is_visible()
    figure.press("Home")
    figure.press("Enter")
    row.wait_for()


def test_folded_bars_are_as_wide_as_their_place_once_they_are_unfolded(page, report):
    bars = page.locator("[data-figure=bars-figure]")
    page.get_by_text("The means as bars").click()
    bars.locator("svg").first.wait_for()
    assert bars.locator("svg").first.bounding_box()["width"] == bars.bounding_box()["width"]


def test_a_figure_is_as_wide_as_the_paper_and_as_light(browse, site):
    page = browse(color_scheme="dark").page
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.goto("/reports/1/curves/")
    figure = page.locator("[data-figure=precision]")
    figure.locator("svg").first.wait_for()
    page.set_viewport_size({"width": 700, "height": 990})
    page.emulate_media(media="print")
    assert figure.locator("svg").first.bounding_box()["width"] == figure.bounding_box()["width"]
    ink = figure.locator(".xtick text").first.evaluate("text => getComputedStyle(text).fill")
    assert ink == "rgb(27, 33, 42)"


def test_a_document_is_marked_in_every_ranking(page, report):
    page.goto(f"{report}topic/?topic=A01")
    page.locator("[data-document] a").first.focus()
    marked = page.locator(".same-document")
    assert marked.count() > 1
    assert len({cell.get_attribute("data-document") for cell in marked.all()}) == 1


def test_a_table_of_links_is_one_stop_whose_links_arrow_keys_reach(page, report):
    page.goto(report)
    page.locator("#topics > details > summary").click()
    table = page.locator("#topics table[data-grid]")
    stops = "links => links.filter(link => link.tabIndex === 0).length"
    assert table.locator("tbody a").count() > 100 and table.locator("tbody a").evaluate_all(stops) == 1
    first = table.locator("tbody tr").nth(0).locator("a")
    first.nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    below = table.locator("tbody tr").nth(1).locator("a").nth(1)
    assert below.evaluate("link => document.activeElement === link && link.tabIndex === 0")
    assert table.locator("tbody a").evaluate_all(stops) == 1
    address = below.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")


def test_a_table_that_is_sorted_anew_is_still_one_stop(page, report):
    page.goto(report)
    page.locator("#topics > details > summary").click()
    page.locator("#topics thead a").nth(1).click()
    page.wait_for_selector("#topics th:nth-child(2)[aria-sort]")
    page.wait_for_function("document.querySelectorAll('#topics tbody a[tabindex=\"0\"]').length === 1")
