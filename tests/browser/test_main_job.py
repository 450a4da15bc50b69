"""The main job, end to end, as a newcomer does it: judge, watch, export, read the report."""

import json
import re
from pathlib import Path

import pytest

from tests.browser.joining import read_instructions, ready_to_judge

pytestmark = [pytest.mark.browser, pytest.mark.database]


def start_judging(watched):
    page = watched.page
    page.goto("/")
    page.get_by_role("link", name="Start judging").click()
    page.get_by_label("I have read this and want to take part").check()
    page.get_by_role("button", name="Start judging").click()
    read_instructions(page)
    ready_to_judge(page)


def expect_done(page, count):
    page.wait_for_selector(f"#worker-progress .progress-text:has-text('{count} of')")


def item_of(page):
    return page.locator("form.item").get_attribute("data-item")


def judge_by_key(page, key):
    before = item_of(page)
    page.keyboard.press(key)
    page.wait_for_function("before => document.querySelector('form.item')?.dataset.item !== before", arg=before)
    page.wait_for_timeout(300)


def enter_as_researcher(page):
    page.goto("/")
    page.get_by_role("button", name="Enter as the demo’s researcher").click()
    page.wait_for_selector("text=Dashboard")


def open_demo_study(page):
    """From the dashboard, by its own link: among the latest studies it is until other tests have made six of them."""
    page.get_by_role("link", name="the study’s progress").click()
    page.wait_for_selector("text=Invite workers")


def test_judge_watch_export_and_read_the_report(browse, size):  # noqa: PLR0915  one way, from its start to its end
    worker = browse(size)
    worker.page.goto("/")
    worker.check("welcome")
    start_judging(worker)
    page = worker.page
    worker.check("judge", whole=False)
    for key in "0123":
        judge_by_key(page, key)
    expect_done(page, 4)

    page.keyboard.press("i")
    assert page.locator("dialog#instructions").is_visible()
    worker.check("instructions", whole=False)
    page.keyboard.press("Escape")

    before = item_of(page)
    page.locator(".note > summary").click()
    page.get_by_label("Note").fill("It is all in Greek to me")
    page.locator(".cannot > summary").click()
    worker.check("cannot-judge", whole=False)
    page.get_by_role("button", name="I don't understand its language").click()
    page.wait_for_function("before => document.querySelector('form.item')?.dataset.item !== before", arg=before)
    expect_done(page, 5)

    page.get_by_role("link", name="Back").click()
    page.wait_for_selector("text=You answered this before")
    assert page.get_by_label("Note").input_value() == "It is all in Greek to me"
    worker.check("change-an-answer", whole=False)
    page.wait_for_timeout(300)  # as above
    page.locator("button.grade").nth(1).click()
    page.wait_for_selector("form.item:not([data-again])")
    page.goto(re.sub(r"(/judge/\d+/).*", r"\1answers/", page.url))
    worker.check("answers")
    assert page.locator(".list > li").count() == 5

    researcher = browse(size)
    page = researcher.page
    enter_as_researcher(page)
    researcher.check("dashboard")
    open_demo_study(page)
    researcher.check("study")
    judged = int(re.search(r"([\d,]+) of", page.locator("#progress .stats dd").first.inner_text())[1].replace(",", ""))
    assert judged >= 5

    researcher.follow(page.get_by_role("link", name="Results"))
    researcher.check("results")
    with page.expect_download() as download:
        page.get_by_role("link", name="qrels, TREC").click()
    rows = [line.split(" ") for line in Path(download.value.path()).read_text().splitlines()]
    assert len(rows) >= 5
    assert all(len(row) == 4 and re.fullmatch("[a-z-]+", row[2]) and row[3] in "0123" for row in rows)
    researcher.follow(page.get_by_role("link", name="Judgements", exact=True))
    researcher.check("judgements")

    page.goto("/reports/")
    researcher.check("reports")
    page.locator("main a[href^='/reports/']:not([href*='new']):not([href*='?'])").first.click()
    page.wait_for_selector("table", timeout=60_000)
    page.wait_for_selector(".js-plotly-plot, .plot svg", timeout=30_000)
    page.wait_for_timeout(500)
    researcher.check("report")
    assert "nDCG@10" in page.content()

    page.get_by_role("link", name="Differences").click()
    page.get_by_label("Test").select_option("tukey")
    page.get_by_role("button", name="Show").first.click()
    page.wait_for_selector("text=Tukey HSD, α = .05")
    page.wait_for_selector(".js-plotly-plot")
    page.wait_for_timeout(500)
    researcher.check("differences")
    page.get_by_role("link", name="Correlation", exact=True).click()
    page.wait_for_selector("text=Runs by their documents")
    researcher.check("agreement")
    page.get_by_role("link", name="Curves", exact=True).click()
    page.locator("#histogram-of-two .plot svg").first.wait_for()
    researcher.check("report-curves")


@pytest.mark.one_database
def test_from_kept_grades_to_a_report_of_their_own(browse):
    worker = browse()
    start_judging(worker)
    for key in "3210":
        judge_by_key(worker.page, key)
    expect_done(worker.page, 4)

    researcher = browse()
    page = researcher.page
    enter_as_researcher(page)
    open_demo_study(page)
    researcher.follow(page.get_by_role("link", name="Results"))
    page.get_by_role("button", name="Keep these grades as qrels").click()
    page.wait_for_selector("text=Kept as the qrels")
    researcher.follow(page.get_by_role("link", name=re.compile(r"v1")).first)
    researcher.follow(page.get_by_role("link", name="Choose runs and measures"))
    researcher.check("report-new")
    page.get_by_role("button", name="Compute the report").click()
    page.wait_for_url(re.compile(r"/reports/\d+/"))
    page.wait_for_selector(".js-plotly-plot, .plot svg", timeout=60_000)
    assert not researcher.complaints, researcher.complaints


@pytest.mark.one_database
def test_the_api_page_works_offline(browse):
    researcher = browse()
    page = researcher.page
    outside = []
    page.on(
        "request",
        lambda request: (
            outside.append(request.url)
            if "127.0.0.1" not in request.url and "localhost" not in request.url and not request.url.startswith("data:")
            else None
        ),
    )
    enter_as_researcher(page)
    page.goto("/api/v1/docs/")
    page.click("#operations-tag-studies")
    page.wait_for_selector(".opblock")
    researcher.picture("api")
    assert not outside
    schema = json.loads(page.request.get("/api/v1/schema/?format=json").text())
    assert "/api/v1/studies/" in schema["paths"]
