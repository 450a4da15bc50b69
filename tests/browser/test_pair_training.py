"""Training of a side-by-side study, from the researcher's form to the worker's first paid pair, on a desk and on a phone."""

import pytest

from tests.browser.pairs import join, made, ready, see_both
from tests.browser.test_judging import wait_for_ahead
from tests.browser.test_main_job import enter_as_researcher, item_of

pytestmark = pytest.mark.browser

LIMITS = """
Study.objects.filter(pk=study.pk).update(gold_every=2, most_judgements=4)
"""
RIGHT = """
from judging.models import Slot
from judging.work.tickets import ticket
slots = Slot.objects.filter(study={study}, worker__isnull=False).select_related("worker")
print(next("right" if slot.swapped else "left" for slot in slots if ticket(slot.worker, slot.item_id) == "{name}"))
"""


@pytest.fixture(scope="session")
def trained(site, shell) -> tuple[str, str]:
    """The study's key and the token of its link."""
    printed = made(shell, "Trained pairs", then=LIMITS)
    study = shell('from judging.models import Study\nprint(Study.objects.get(name="Trained pairs").pk)')
    return study, printed


def told(page):
    return page.locator(".told")


def test_from_the_form_to_the_first_pairs_of_work(browse, shell, trained, size):
    study, token = trained
    researcher = browse(size)
    make_checks(researcher, study)
    worker = browse(size)
    page = join(worker, token)
    wait_for_ahead(page)
    assert page.get_by_text("Practice 1 of 2").is_visible()
    assert told(page).count() == 0
    worker.check("pair-practice", whole=False)
    first, right = item_of(page), right_side(shell, study, page)
    see_both(page)
    give(page, "left" if right == "right" else "right")
    told(page).get_by_role("heading", name="Not quite").wait_for()
    assert told(page).get_by_text(f"The {right} list is better.").is_visible()
    assert told(page).locator("strong", has_text="answers").is_visible()
    assert page.evaluate("document.activeElement.className").endswith("told")
    worker.check("pair-practice-wrong", whole=False)
    page.wait_for_timeout(300)
    give(page, right)
    told(page).get_by_role("heading", name="That’s right").wait_for()
    assert item_of(page) == first
    worker.check("pair-practice-right", whole=False)
    told(page).locator(".go-on").click()
    page.get_by_text("Practice 2 of 2").wait_for()
    page.wait_for_timeout(300)
    see_both(page)
    give(page, right_side(shell, study, page))
    told(page).get_by_role("heading", name="That’s right").wait_for()
    told(page).locator(".go-on").click()
    ready(page)
    page.wait_for_function("() => !document.querySelector('.practice')")
    for _ in range(4):  # the test, then work and gold, which look the same
        answer_without_feedback(page, right_side(shell, study, page))
    researcher.page.goto(f"/studies/{study}/judgements/")
    researcher.check("pair-judgements")


def make_checks(researcher, study):
    """Take training, a test and gold, unless that is done, and say in words of one's own why a list is better."""
    page = researcher.page
    enter_as_researcher(page)
    page.goto(f"/studies/{study}/checks/")
    if not page.get_by_role("button", name="Withdraw").count():
        researcher.check("pair-checks-none")
        for role, count in (("training", "2"), ("test", "1"), ("gold", "3")):
            page.locator("select[name=role]").select_option(role)
            page.locator("input[name=count]").fill(count)
            researcher.follow(page.get_by_role("button", name="Take them"))
            assert page.locator(".alert.error").count() == 0, page.locator(".alert.error").inner_text()
    researcher.check("pair-checks")
    page.goto(f"/studies/{study}/training/")
    page.locator("textarea[name$=explanation]").first.fill("The better one **answers** the question.")
    researcher.follow(page.get_by_role("button", name="Save").first)
    researcher.check("pair-training")


def answer_without_feedback(page, side):
    before = item_of(page)
    see_both(page)
    give(page, side)
    page.wait_for_function("before => document.querySelector('form.pair')?.dataset.item !== before", arg=before)
    page.wait_for_timeout(300)
    assert told(page).count() == 0


def right_side(shell, study, page) -> str:
    """The side of the shown pair's first list, which is the better one of a check."""
    return shell(RIGHT.replace("{study}", study).replace("{name}", item_of(page)))


def give(page, side):
    """Say that this list is better, by the button."""
    page.locator(f"button[name=grade][value='{-1 if side == 'left' else 1}']").click()
