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

    figure, said = open_figure(page, f"{report}curves/", "histogram")
    figure.press("End")
    expect(said).to_have_text(re.compile(r"^topic \S+.*: -\d\.\d+, a link$"))
    figure.press("Home")
    expect(said).to_have_text(re.compile(r"^topic \S+.*: \d\.\d+, a link$"))
    first = said.text_content()
    figure.press("ArrowRight")
    expect(said).not_to_have_text(first)
    number = said.text_content().split()[1].strip(",:")
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

    figure, said = open_figure(page, f"{report}curves/", "dcg")
    figure.press("ArrowRight")
    expect(said).to_have_text(re.compile("^bm25-4grams, by rank 1: "))
    for _ in range(4):
        figure.press("ArrowUp")
    expect(said).to_have_text(re.compile(r"^Ideal, by rank 1: \d\.\d+$"))
    figure.press("ArrowRight")
    expect(said).to_have_text(re.compile("^Ideal, by rank 2: "))
    figure.press("Enter")
    figure.press("ArrowDown")
    expect(said).to_have_text(re.compile("^(?!Ideal).*, by rank 2: "))
    assert page.url.endswith("/curves/")


def test_the_focus_enters_a_figure_once_and_leaves_it_by_tab_and_escape(page, report):
    figure, said = open_figure(page, f"{report}curves/", "histogram")
    assert figure.get_attribute("aria-label") and figure.get_attribute("role") == "application"
    assert "Enter opens" in page.locator(f"#{figure.get_attribute('aria-describedby')}").text_content()
    is_inside = "figure => figure.contains(document.activeElement)"
    figure.press("ArrowRight")
    page.keyboard.press("Tab")
    assert not figure.evaluate(is_inside)
    assert figure.locator(".hovertext").count() == 0 and said.text_content() == ""
    page.keyboard.press("Shift+Tab")
    assert figure.evaluate("figure => figure === document.activeElement")
    page.keyboard.press("Escape")
    assert not figure.evaluate(is_inside)


def test_marks_of_rows_are_reached_from_the_top_down(page, report):
    from playwright.sync_api import expect

    figure, said = open_figure(page, f"{report}tags/", "means-figure")
    figure.press("ArrowDown")
    top = "vulnerability, n = 40"
    expect(said).to_have_text(re.compile(f"^{top}"))
    figure.press("ArrowLeft")
    expect(said).to_have_text(re.compile(f"^{top}, (?!bm25-4grams)"))
    figure.press("ArrowDown")
    expect(said).to_have_text(re.compile("^category, n = 10"))
