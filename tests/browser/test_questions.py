"""Further questions on the judge page: by hand and by key, kept over a reload, and what workers' replies look like afterwards."""

import re

import pytest

from tests.browser.conftest import PHONE_IN_SOAK
from tests.browser.joining import read_instructions
from tests.browser.test_judging import wait_for_ahead
from tests.browser.test_main_job import enter_as_researcher, item_of

pytestmark = pytest.mark.browser

MAKE = """
from judging.models import Collection, Study, User
from judging.recruiting.invites import invite, token_of
from judging.studies.launch import launch
by = User.objects.filter(is_researcher=True).first()
collection = Collection.objects.get(name__startswith="Demo: software weaknesses")
collection.topics.update(subtopics=[
    {"number": "1", "text": "How an attacker gets in", "type": ""},
    {"number": "2", "text": "What a programmer does about it", "type": ""},
])
study = Study.objects.create(
    collection=collection, name="Questions", depth=10, overlap=20, created_by=by, instructions="Judge.",
    questions=[
        {"name": "credible", "text": "Would you believe it?"},
        {"name": "use", "text": "How useful is it?", "kind": "grades", "options": ["Not at all", "Somewhat", "Very"]},
        {"name": "facts", "text": "What does it say?", "by_subtopic": True},
        {"name": "why", "text": "What is missing?", "kind": "text", "required": False},
    ],
)
study.runs.set(collection.runs.all()[:2])
study.members.add(by)
launch(study, by=by, seed=1)
print("made", study.pk, token_of(invite(study, by=by)))
"""


@pytest.fixture(scope="session")
def asking(site, shell) -> tuple[str, str]:
    """The study's number and the token of its link."""
    study, token = shell(MAKE).split("made ")[1].split()
    return study, token


@pytest.fixture
def at_work(browse, asking):
    def open_one(size="desktop", **more):
        watched = browse(size, **more)
        page = watched.page
        page.goto(f"/join/{asking[1]}/")
        page.get_by_label("I have read this and want to take part").check()
        page.get_by_role("button", name="Start judging").click()
        read_instructions(page)
        page.wait_for_selector("form.item")
        page.wait_for_load_state()  # its script has run
        return watched

    return open_one


def replied(page) -> dict:
    """What the form says of the questions."""
    return page.evaluate("""() => Object.fromEntries(
        [...new FormData(document.querySelector("form.item"))].filter(([name]) => name.startsWith("reply-")))""")


def another(page, before):
    page.wait_for_function("before => document.querySelector('form.item')?.dataset.item !== before", arg=before)
    page.wait_for_timeout(300)  # a key pressed sooner counts as meant for the document before


def test_a_document_is_judged_by_hand(at_work, size):
    watched = at_work(size)
    page = watched.page
    wait_for_ahead(page)
    watched.check("judge-questions", whole=False)
    first = item_of(page)
    page.get_by_role("radio", name="Yes").check()
    page.locator("button.grade").nth(2).click()
    assert item_of(page) == first, "a required question was left out"
    page.get_by_role("radio", name="Somewhat").check()
    page.get_by_label("What a programmer does about it").check()
    page.get_by_label("What is missing?").fill("Examples")
    watched.check("judge-questions-replied", whole=False)
    page.locator("button.grade").nth(2).click()
    another(page, first)
    assert replied(page) == {"reply-3": ""}
    page.keyboard.press("u")
    page.wait_for_function("first => document.querySelector('form.item').dataset.item === first", arg=first)
    assert replied(page) == {"reply-0": "1", "reply-1": "1", "reply-2-2": "1", "reply-3": "Examples"}


def test_a_document_is_judged_by_keyboard(at_work):
    page = at_work().page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    first = item_of(page)
    page.keyboard.press("q")
    page.keyboard.press("ArrowRight")  # Yes
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # Not at all
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert replied(page) == {"reply-0": "1", "reply-1": "0", "reply-2-1": "1", "reply-3": ""}
    page.keyboard.press("3")
    another(page, first)


def test_enter_in_a_text_gives_no_grade(at_work):
    page = at_work().page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    first = item_of(page)
    page.get_by_label("What is missing?").fill("Examples")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert item_of(page) == first
    assert page.locator("[aria-pressed=true]").count() == 0


def test_replies_survive_a_reload(at_work):
    page = at_work().page
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_label("How an attacker gets in").check()
    page.get_by_label("What is missing?").fill("Examples")
    page.reload()
    page.wait_for_load_state()
    page.wait_for_function("() => document.querySelector('[name=reply-3]').value")
    assert replied(page) == {"reply-0": "0", "reply-2-1": "1", "reply-3": "Examples"}


def test_who_cannot_judge_need_not_reply(at_work):
    page = at_work().page
    wait_for_ahead(page)
    page.wait_for_timeout(300)
    first = item_of(page)
    page.keyboard.press("c")
    page.keyboard.press("1")
    another(page, first)


def test_without_a_script(at_work):
    page = at_work(javascript=False).page
    first = item_of(page)
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("radio", name="Very").check()
    page.locator("button.grade").nth(1).click()
    page.wait_for_load_state()
    assert item_of(page) != first


@PHONE_IN_SOAK
def test_the_researcher_reads_what_was_replied(at_work, browse, asking, size):
    page = at_work().page
    first = item_of(page)
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("radio", name="Very").check()
    page.wait_for_timeout(300)
    page.locator("button.grade").nth(1).click()
    another(page, first)
    watched = browse(size)
    enter_as_researcher(watched.page)
    watched.page.goto(f"/studies/{asking[0]}/questions/")
    watched.page.get_by_role("cell", name=re.compile("^[1-9]")).first.wait_for()
    watched.check("questions-of-a-study")
    watched.page.goto("/studies/new/?collection=1")
    watched.page.get_by_text("Further questions about each document").click()
    watched.page.get_by_text("Question 1", exact=True).click()
    watched.check("study-form-questions")
