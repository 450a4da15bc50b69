"""A question on its way: a worker asks about the document before them, a researcher replies, the bar tells the worker."""

import pytest

from tests.browser.test_judging import wait_for_ahead
from tests.browser.test_main_job import enter_as_researcher, judge_by_key, open_demo_study, start_judging

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_asked_answered_and_read(browse, size):
    worker, desk = browse(size), browse(size)
    start_judging(worker)
    page = worker.page
    wait_for_ahead(page)
    title = page.locator(".document h2").inner_text()
    page.locator(".cannot > summary").click()
    worker.check("cannot-judge-or-ask", whole=False)
    worker.follow(page.get_by_role("link", name="Ask the researchers…"))
    assert title[:40] in page.inner_text("main")
    page.get_by_label("Your question").fill(f"Is a proof of concept enough? (on a {size})")
    worker.check("ask")
    worker.follow(page.get_by_role("button", name="Send"))
    assert "no reply yet" in page.inner_text("main")
    worker.check("asked")
    worker.follow(page.get_by_role("link", name="Go on judging"))
    page.wait_for_selector("form.item")
    wait_for_ahead(page)
    assert page.locator(".reply").is_hidden()

    enter_as_researcher(desk.page)
    open_demo_study(desk.page)
    desk.check("study-with-a-question")
    desk.follow(desk.page.get_by_role("link", name="Workers’ questions"))
    card = desk.page.locator("section.card", has_text=f"(on a {size})")
    card.get_by_label("Reply").first.fill("Yes, if it shows the mechanism.")
    card.get_by_label("Show question and reply to all workers").check()
    desk.check("study-questions")
    desk.follow(card.get_by_role("button", name="Reply"))
    assert "All workers of the study can read it now." in desk.page.inner_text("main")
    desk.check("study-question-answered")

    judge_by_key(page, "2")
    page.wait_for_selector(".reply:visible")
    worker.check("judge-with-a-reply", whole=False)
    worker.follow(page.get_by_role("link", name="You have a message"))
    assert "Yes, if it shows the mechanism." in page.inner_text("main")
    worker.check("reply-read")
    worker.follow(page.get_by_role("link", name="Go on judging"))
    page.wait_for_selector("form.item")
    assert page.locator(".reply").is_hidden()
