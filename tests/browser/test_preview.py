"""The preview of the judge page answers like the real one to the eye, and sends nothing."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.test_main_job import enter_as_researcher, open_demo_study

pytestmark = pytest.mark.browser

SAID = "This is a preview: nothing is stored."


@pytest.fixture
def preview(browse):
    def open_one(size="desktop", **more):
        watched = browse(size, **more)
        page = watched.page
        enter_as_researcher(page)
        open_demo_study(page)
        page.get_by_role("link", name="Preview as a worker").click()
        page.wait_for_selector("form.item")
        page.wait_for_load_state()  # its script has run
        return watched

    return open_one


@PHONE_IN_SOAK
def test_a_grade_a_key_and_a_reason_say_that_nothing_is_stored(preview, size):
    watched = preview(size)
    page, posted = watched.page, []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    toast = page.locator("#not-stored")
    assert toast.is_hidden()

    def pressed(press):
        page.evaluate("document.querySelector('#not-stored').hidden = true")
        press()
        toast.wait_for(state="visible")
        assert SAID in toast.inner_text()

    pressed(page.locator("button.grade").nth(2).click)
    watched.check("preview", whole=False)
    pressed(lambda: page.keyboard.press("1"))
    page.locator(".cannot > summary").click()
    pressed(page.get_by_role("button", name="I don't understand what is asked").click)
    assert posted == []
    assert "/preview/" in page.url


def test_without_a_script_nothing_can_be_pressed(preview):
    page = preview(javascript=False).page
    assert page.locator("button.grade").first.is_disabled()
    assert page.get_by_text("Whatever you press here, nothing is stored.").is_visible()
