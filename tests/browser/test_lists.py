"""Lists by keyboard: workers are narrowed down and excluded by several; what they disagree on is adjudicated item by item."""

from uuid import uuid4

import pytest

from tests.browser.conftest import ON_A_PHONE, PHONE_IN_SOAK
from tests.browser.test_main_job import enter_as_researcher

pytestmark = pytest.mark.browser
SHOWN = 300  # ms; a page that is new takes no key at first

# Sixty workers, a page and a bit, who answer by turns what is right and what is not, on a study beside the demo's own.
MAKE = """
from uuid import uuid4
from judging.studies.launch import launch
from judging.models import Collection, Study, User, Worker
from judging.work.answers import Answer, record_judgement
by = User.objects.filter(is_researcher=True).first()
collection = Collection.objects.get(studies__name__startswith="Does this page help")
study = Study.objects.create(
    collection=collection, name="{name}", depth=2, overlap=3, created_by=by, instructions="Judge.", pay_a_judgement="0.05"
)
study.runs.set(collection.runs.all()[:2])
study.members.add(by)
launch(study, by=by, seed=1)
items = list(study.items.order_by("position")[:8])
for n in range(60):
    worker = Worker.objects.create(study=study, simulated=n >= 3)
    if n < 3:
        for place, item in enumerate(items):
            grade = 2 if place % 2 or n < 2 else 0
            note = "Names the weakness itself, but not what follows from it." if grade else ""
            record_judgement(
                worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, comment=note, milliseconds=9000 + 700 * n)
            )
print("study", study.pk)
"""


@pytest.fixture
def study(request, site, shell) -> str:
    """The address of a study for this test alone."""
    return f"/studies/{made(shell, f'{request.node.name} {uuid4()}')}/"


def made(shell, name) -> int:
    return int(shell(MAKE.replace("{name}", name)).split("study ")[1])


@PHONE_IN_SOAK
def test_several_workers_by_keyboard(browse, size, study):
    watched = browse(size)
    page = watched.page
    enter_as_researcher(page)
    page.goto(f"{study}workers/")
    watched.check("workers")
    page.get_by_role("columnheader").get_by_role("link", name="Judgements").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.get_by_label("Judgements, at least").fill("1")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator("tbody tr").count() == 3
    assert "sort=answers" in page.url and "least=1" in page.url
    page.locator("tbody input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Exclude…").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.get_by_role("heading", name="Exclude: 2 workers").is_visible()
    watched.check("workers-exclude")
    page.get_by_label("Why").fill("The same grade throughout")
    page.get_by_role("button", name="Exclude: 2 workers").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "2 workers excluded" in page.inner_text("main")
    assert page.locator("tbody .badge", has_text="excluded").count() == 2
    watched.check("workers-excluded")

    page.goto(f"{study}workers/?kind=simulated")
    page.get_by_label("All 57 that match").check()
    watched.follow(page.get_by_role("button", name="Message…"))
    page.get_by_label("Message").fill("Thank you.")
    watched.follow(page.get_by_role("button", name="Message: 57 workers"))
    assert "Sent to 57 workers" in page.inner_text("main")


def test_several_items_are_judged_first(browse, study):
    watched = browse()
    page = watched.page
    enter_as_researcher(page)
    page.goto(f"{study}items/")
    names = [page.locator("tbody tr").nth(place).locator("td.text a").inner_text() for place in (8, 9)]
    for place in (8, 9):
        page.locator("tbody input").nth(place).check()
    watched.follow(page.get_by_role("button", name="Judge first…"))
    assert page.get_by_role("heading", name="2 items").is_visible()
    watched.check("items-first")
    watched.follow(page.get_by_role("button", name="2 items"))
    page.goto(f"{study}items/?first=True")
    assert page.locator("tbody td.text a").all_inner_texts() == names
    assert page.locator("tbody .badge", has_text="first").count() == 2
    watched.check("items-that-come-first")


def test_items_on_which_workers_disagree_are_judged_by_more(browse, study):
    watched = browse()
    page = watched.page
    enter_as_researcher(page)
    page.goto(f"{study}items/?votes=disagree")
    before = page.locator("tbody tr").all_inner_texts()
    page.get_by_label("All 4 that match").check()
    watched.follow(page.get_by_role("button", name="Judged by more…"))
    watched.check("items-by-more")
    assert page.get_by_label("Workers").input_value() == "4"
    watched.follow(page.get_by_role("button", name="4 items"))
    assert "4 judgements more are asked for." in page.inner_text("main")
    assert [row.replace("of 4", "of 3") for row in page.locator("tbody tr").all_inner_texts()] == before
    assert "of 4" in page.locator("tbody tr").last.inner_text()
    page.get_by_label("All 4 that match").check()
    watched.follow(page.get_by_role("button", name="Judged by more…"))
    page.get_by_label("Workers").fill("3")
    watched.follow(page.get_by_role("button", name="4 items"))
    assert page.locator("tbody tr").all_inner_texts() == before
    watched.check("items-as-often-as-all")


@PHONE_IN_SOAK
def test_adjudication_by_keyboard(browse, size, study):
    watched = browse(size)
    page = watched.page
    enter_as_researcher(page)
    page.goto(f"{study}items/?votes=disagree")
    watched.check("items")
    assert page.locator("tbody tr").count() == 4
    watched.follow(page.locator(".button-group").get_by_role("link", name="Adjudicate"))
    assert "4 items on which workers disagree" in page.inner_text("main")
    watched.check("adjudicate")
    first = page.url
    page.wait_for_timeout(SHOWN)
    with page.expect_navigation():
        page.keyboard.down("s")
    second = page.url
    assert second != first and "4 items" in page.inner_text("main")
    page.wait_for_timeout(SHOWN)
    page.keyboard.down("s")  # what a held key sends
    page.wait_for_timeout(SHOWN)
    assert page.url == second
    page.keyboard.up("s")
    page.keyboard.press("n")
    page.keyboard.type("It names no 3 consequences")  # a digit in the note is no grade
    page.keyboard.press("Escape")
    settled = page.url
    with page.expect_navigation():
        page.keyboard.press("1")
    assert page.url != settled and "is settled on 1" in page.inner_text("main")
    for left in (3, 2, 1):
        assert f"{left} item" in page.locator(".toolbar").last.inner_text()
        page.wait_for_timeout(SHOWN)
        with page.expect_navigation():
            page.keyboard.press("2")
    assert "Nothing to adjudicate" in page.inner_text("main")
    watched.check("adjudicated")
    page.goto(settled)
    assert "It names no 3 consequences" in page.inner_text("main")
    watched.follow(page.get_by_role("button", name="Take it back"))
    assert "What the workers said decides again" in page.inner_text("main")
    watched.check("adjudication-taken-back")


LISTS = [  # addresses, a field that narrows the list down, what is chosen there, and the column to sort by
    ("/studies/2/judgements/", "grade", "2", "Seconds"),
    ("/collections/1/documents/", "q", "injection", "Id"),
    ("/sites/", "q", "demo", "Made"),
    ("/reports/", "kind", "runs", "When"),
]


@pytest.mark.parametrize(("address", "field", "value", "column"), LISTS)
def test_a_list_is_narrowed_down_sorted_and_shown_whole_again(browse, address, field, value, column):
    watched = browse()
    page, rows = watched.page, watched.page.locator("tbody tr")
    enter_as_researcher(page)
    page.goto(address)
    filters, whole = page.locator("form.filters"), rows.count()
    chosen = filters.locator(f"[name={field}]")
    if field == "q":
        chosen.fill(value)
    else:
        chosen.select_option(value)
    watched.follow(filters.get_by_role("button", name="Show"))
    assert 0 < rows.count() <= whole
    watched.follow(page.locator("thead").get_by_role("link", name=column))
    assert page.locator("th[aria-sort]").inner_text() == column
    assert f"{field}={value}" in page.url and "sort=" in page.url
    filters.locator("[name=q]").fill("no words of anything")
    watched.follow(filters.get_by_role("button", name="Show"))
    assert rows.count() == 0
    watched.follow(page.get_by_role("link", name="Clear the filters"))
    assert rows.count() == whole
    assert not watched.complaints


@pytest.mark.parametrize("width", ["desktop", pytest.param("phone", marks=ON_A_PHONE)])
def test_workers_and_judgements_are_sorted_without_a_script(browse, width, study):
    watched = browse(width, javascript=False)
    page = watched.page
    enter_as_researcher(page)
    for name, column, key in (("workers", "Median seconds", "seconds"), ("judgements", "Grade", "grade")):
        page.goto(f"{study}{name}/")
        for sort, order in ((key, "ascending"), (f"-{key}", "descending")):
            watched.follow(page.locator("thead").get_by_role("link", name=column))
            assert page.url.endswith(f"?sort={sort}")
            assert page.locator("th[aria-sort]").get_attribute("aria-sort") == order
        watched.check(f"{name}-sorted", axe=False)
        assert page.locator(".table-scroll").evaluate("region => region.scrollWidth <= region.clientWidth")


def test_without_a_script(browse, study):
    watched = browse(javascript=False)
    page = watched.page
    enter_as_researcher(page)
    page.goto(f"{study}adjudicate/")
    page.get_by_label("Why").fill("No script")
    watched.follow(page.get_by_role("group", name="Grade").get_by_role("button").nth(2))
    assert "is settled on 2" in page.inner_text("main")
    page.goto(f"{study}items/")
    page.locator("tbody input").first.check()
    watched.follow(page.get_by_role("button", name="Judge first…"))
    watched.follow(page.get_by_role("button", name="Judge first: 1 item"))
    assert "1 more document to be judged first" in page.inner_text("main")
