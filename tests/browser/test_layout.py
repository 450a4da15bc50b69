"""What the stylesheet promises: nothing runs out of the window sideways, and a phone's judge page leaves room to read."""

import json
import re
from urllib.parse import urlsplit

import pytest

from tests.browser.joining import read_instructions

pytestmark = pytest.mark.browser

LONG = "unbroken" * 15


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layout")
    (folder / "topics.jsonl").write_text(json.dumps({"_id": LONG, "text": LONG}) + "\n")
    (folder / "documents.jsonl").write_text(json.dumps({"_id": LONG, "title": LONG, "text": LONG}) + "\n")
    (folder / f"{LONG}.run").write_text(f"{LONG} Q0 {LONG} 1 2 {LONG}\n")
    return folder


def enter(page):
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.wait_for_selector("text=Dashboard")


def add(page, collection, kind, file):
    page.goto(f"{collection}add/")
    page.locator("input[type=file]").set_input_files(str(file))
    page.get_by_label(re.compile("^What .* is$")).select_option(kind)
    page.get_by_role("button", name="Import").click()
    page.wait_for_selector(".alert.success")


def first_link(page, address):
    return page.locator(f"main a[href^='{address}']").first.get_attribute("href")


@pytest.fixture
def judging(browse):
    """Opens the judge page in a window of this size."""

    def open_one(width, height, size="phone"):
        page = browse(size).page
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/")
        page.get_by_role("link", name="Start judging").click()
        page.get_by_label("I have read this and want to take part").check()
        page.get_by_role("button", name="Start judging").click()
        read_instructions(page)
        page.wait_for_selector("form.item")
        page.wait_for_load_state()  # its script has run
        page.wait_for_timeout(400)  # an answer given sooner counts as meant for the page before
        return page

    return open_one


@pytest.mark.slow
def test_names_without_blanks_stay_inside_the_window(browse, folder, size):
    watched = browse(size)
    page = watched.page
    enter(page)
    page.goto("/collections/new/")
    page.get_by_label("Name").fill(f"{size}-{LONG}"[:120])  # as long as a name can be
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile(r"/collections/\d+/"))
    collection = re.findall(r"/collections/\d+/", page.url)[0]
    add(page, collection, "topics:beir", folder / "topics.jsonl")
    add(page, collection, "documents:beir", folder / "documents.jsonl")
    add(page, collection, "run:auto", folder / f"{LONG}.run")
    watched.check("long-upload")

    page.goto(f"/studies/new/?collection={collection.split('/')[2]}")
    page.get_by_label("Name").fill(f"{size}-{LONG}"[:120])  # as long as a name can be
    page.locator("input[name=runs]").check()
    watched.check("long-study-form")
    page.get_by_role("button", name="Save and see the plan").click()
    page.wait_for_selector("text=Launch the study")
    watched.check("long-draft")
    page.get_by_role("link", name="Launch the study").click()
    page.wait_for_selector("text=order 1 judgement")
    watched.check("long-launch")

    page.goto(collection)
    watched.check("long-collection")
    run = first_link(page, "/collections/runs/")
    for name, address in {
        "dashboard": "/",
        "collections": "/collections/",
        "studies": "/studies/",
        "topics": f"{collection}topics/",
        "documents": f"{collection}documents/",
        "run": run,
    }.items():
        page.goto(address)
        watched.check(f"long-{name}")
    watched.follow(page.get_by_role("link", name="See its rankings"))
    watched.check("long-ranking")


@pytest.mark.parametrize("height", [844, 640])
def test_a_topic_leaves_room_for_the_document_and_scrolls_away_but_for_its_title(judging, height):
    page = judging(390, height)
    header = page.locator(".site-header").bounding_box()["height"]
    title, need, document = (page.locator(f".judge {part}") for part in ("h1", ".need", ".document"))
    assert document.bounding_box()["y"] - header <= 0.36 * height
    page.locator(".document .text").first.evaluate("text => text.append(' More of it.'.repeat(300))")
    page.mouse.wheel(0, 2000)
    page.wait_for_function("() => scrollY > 100")
    assert title.bounding_box()["y"] == 0 and title.bounding_box()["height"] <= 0.18 * height
    assert need.bounding_box()["y"] < 0


def test_a_phone_held_sideways_has_one_row_of_buttons(judging):
    page = judging(667, 375)
    assert page.locator(".grade-bar").bounding_box()["height"] < 70
    page.locator(".document .text").first.evaluate("text => text.append(' More of it.'.repeat(300))")
    page.mouse.wheel(0, 400)
    page.wait_for_function("() => scrollY > 0")
    assert page.locator(".topic h1").evaluate("title => getComputedStyle(title).position") == "static"


def test_keys_fit_beside_their_buttons_in_a_narrow_window(judging):
    page = judging(390, 844, "desktop")
    assert page.locator(".back .key-hint").is_visible()
    tops = page.locator(".grade-bar > .row > *").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1


def test_columns_of_answers_stand_below_each_other(judging):
    page = judging(1280, 800)
    for _ in range(3):
        before = page.locator("form.item").get_attribute("data-item")
        page.locator("button.grade").first.click()
        page.wait_for_function("before => document.querySelector('form.item')?.dataset.item !== before", arg=before)
        page.wait_for_timeout(400)
    page.goto(re.sub(r"(/judge/\d+/).*", r"\1answers/", page.url))
    lefts = page.locator(".answers > li > :last-child").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert len(lefts) == 3
    assert len(set(lefts)) == 1


def test_numbers_of_an_interval_stand_above_its_figure_on_a_phone(browse):
    watched = browse("phone")
    page = watched.page
    enter(page)
    for list_of_pages, name in (("/verdicts/", "verdict"), ("/reports/", "report")):
        page.goto(list_of_pages)
        page.goto(first_link(page, list_of_pages + "1"))
        page.wait_for_selector(".forests .forest", timeout=60_000)
        for cell in page.locator(".forests td").all():
            box = cell.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        for row in page.locator(".forests tbody tr:has(.forest)").all():
            figure = row.locator("td.figure").bounding_box()
            assert all(cell.bounding_box()["y"] < figure["y"] for cell in row.locator("td.num").all())
        watched.check(f"{name}-forests")


def test_the_typeface_is_shipped(browse):
    page = browse().page
    fetched = []
    page.on("request", lambda request: fetched.append(request))  # noqa: PLW0108  it wants a function to mark
    page.goto("/")
    loaded = page.evaluate(
        "() => document.fonts.ready.then(fonts => [...fonts].filter(font => font.status == 'loaded').map(font => font.family))"
    )
    assert {family.strip('"') for family in loaded} == {"Atkinson Next"}
    fonts = [request.url for request in fetched if request.resource_type == "font"]
    assert fonts and {urlsplit(url).netloc for url in fonts} == {urlsplit(page.url).netloc}


def test_what_moves_rests_for_those_who_want_no_motion(browse):
    page = browse().page
    page.goto("/")
    reach = page.locator(".intervals .reach").first
    moving = "mark => [getComputedStyle(mark).animationName, parseFloat(getComputedStyle(mark).animationDuration)]"
    name, seconds = reach.evaluate(moving)
    assert name == "reach" and seconds > 0.2
    page.emulate_media(reduced_motion="reduce")
    assert reach.evaluate(moving)[1] < 0.001
