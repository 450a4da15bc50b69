"""The first steps of a newcomer: two clicks to a verdict, the tour, and a first page that draws what the demo's reports say."""

import json
import re
from contextlib import suppress

import pytest
from playwright.sync_api import Error

from judging.demo import showcase
from tests.browser.test_main_job import enter_as_researcher

pytestmark = pytest.mark.browser


@pytest.fixture
def verdict(browse):
    watched = browse()
    enter_as_researcher(watched.page)
    wait_for_verdict(watched.page)
    return watched


def wait_for_verdict(page):
    """When all five kinds of evidence are in it, the demo's people have done everything."""
    for _ in range(120):
        with suppress(Error):  # the page loads itself anew when a verdict has come
            page.goto("/verdicts/1/")
        if page.locator(".answer .forest").count() >= 5:
            return
        page.wait_for_timeout(1000)
    raise AssertionError("the verdict did not come")


def test_from_the_first_page_to_a_verdict_in_two_clicks(verdict, browse, size):
    watched = browse(size)
    page = watched.page
    page.goto("/")
    watched.check("first-page")
    watched.follow(page.get_by_role("button", name="Enter as the demo’s researcher"))
    rows = page.locator(".outcomes li").filter(has=page.locator(".glance"))
    told = {row.locator(".muted").first.inner_text(): row.locator(".glance title").inner_html() for row in rows.all()}
    assert {"Verdict", "Runs", "A/B test", "Interleaving", "Clicks"} <= told.keys()
    assert told["Verdict"].count("bm25-4grams is better") == 3
    watched.follow(page.get_by_role("link", name="bm25-4grams against bm25-words"))
    assert "bm25-4grams is better than bm25-words" in page.locator(".answer .sentence").inner_text()
    watched.check("verdict-of-the-demo")


def begin_tour(watched):
    """From the help menu; one that an earlier test left is ended before."""
    end = watched.page.get_by_role("button", name="End the tour")
    if end.count():
        watched.follow(end)
    watched.page.locator(".ask > summary").click()
    watched.follow(watched.page.locator(".ask button"))


def test_the_tour_shows_five_pages_and_can_be_ended(verdict, browse, size):
    watched = browse(size)
    page = watched.page
    enter_as_researcher(page)
    begin_tour(watched)
    seen = []
    for step in range(1, 6):
        tour = page.get_by_role("region", name="Tour")
        assert f"{step} of 5" in tour.inner_text()
        seen.append(re.sub(r"\d+", "1", page.url.split("/", 3)[3]))
        watched.check(f"tour-{step}", whole=False)
        if step < 5:
            watched.follow(tour.get_by_role("button", name="Next"))
    assert len(set(seen)) == 5
    page.goto("/reports/")
    assert "5 of 5" in page.get_by_role("region", name="Tour").inner_text()
    watched.follow(page.get_by_role("button", name="End the tour"))
    assert page.get_by_role("region", name="Tour").count() == 0


def test_the_tour_needs_no_script(browse):
    watched = browse(javascript=False)
    page = watched.page
    page.goto("/")
    watched.follow(page.get_by_role("button", name="Enter as the demo’s researcher"))
    begin_tour(watched)
    watched.follow(page.get_by_role("button", name="Next"))
    assert "2 of 5" in page.get_by_role("region", name="Tour").inner_text()
    watched.follow(page.get_by_role("button", name="End the tour"))


REPORTED = """
import json
from metrics.kinds.ab.results import ABResults
from metrics.models import Report
from metrics.kinds.runs.results import outcomes
from metrics.kinds.studies import rows
verdict = Report.objects.filter(kind="verdict", state="done", hypothesis=1).latest("pk")
answers = [[answer["line"]["kind"], *(round(answer["share"][end], 2) for end in ("value", "low", "high"))]
    for answer in verdict.result["answers"]]
quality = Report.objects.filter(kind="quality", state="done", study__name__startswith="Household tips, graded").latest("pk")
agreement = [round(value, 2) for value in rows(quality, "workers").sort("worker")["agreement"].to_list()]
runs = Report.objects.get(kind="runs", title__startswith="Three rankings under")
author = min(outcome.qrels for outcome in outcomes(runs))
means = [outcome.means["nDCG@10"] for outcome in outcomes(runs) if outcome.qrels == author]
systems = sorted(([round(mean.mean, 2), round(mean.low, 2), round(mean.high, 2)] for mean in means), reverse=True)
ab = Report.objects.filter(kind="ab", state="done", experiment__name="four-letters").latest("pk")
[line] = ABResults(ab, ab.experiment.site.owner, {}).deciding
arms = [line.effect.mean, line.effect.mean_control], [line.effect.difference, line.decision.low, line.decision.high]
print("reported", json.dumps([answers, agreement, systems, *arms]))
"""


def test_the_first_page_draws_what_the_reports_say(verdict, shell):
    answers, agreement, systems, arms, apart = json.loads(shell(REPORTED).split("reported ")[1])
    drawn = {line.label.lower(): [line.value, line.low, line.high] for line in showcase.VERDICT}
    assert drawn == {label.lower().removeprefix("the "): pytest.approx(numbers, abs=0.05) for label, *numbers in answers}
    assert agreement[1:] == pytest.approx(showcase.AGREEMENT[1:], abs=0.03)  # which gold each of them met, too
    assert [[line.value, line.low, line.high] for line in showcase.SYSTEMS] == systems
    assert [line.value for line in showcase.ARMS] == pytest.approx(arms, abs=0.006)  # of rounding
    assert showcase.APART[1:4] == pytest.approx(apart, abs=0.006)
    assert agreement[0] == pytest.approx(showcase.AGREEMENT[0], abs=0.12)  # which items the spammer got is drawn by lot
