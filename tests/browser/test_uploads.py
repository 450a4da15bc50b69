"""Adding files in a browser: with progress, over a connection that drops, taken up again, cancelled, and without a script."""

import re
import uuid

import pytest

from judging.faults import AWAY
from tests.browser.conftest import PHONE_IN_SOAK

pytestmark = [pytest.mark.browser, pytest.mark.database]

TOPICS = "".join(f'{{"_id": "{n}", "text": "birds number {n}"}}\n' for n in range(1, 4))
LINES = 80_000  # a topic: with three topics more than two chunks of 4 MiB


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uploads")
    (folder / "topics.jsonl").write_text(TOPICS)
    (folder / "large.run").write_text(
        "".join(f"{topic} Q0 document-{n:09d} {n + 1} {LINES - n}.25 large\n" for topic in range(1, 4) for n in range(LINES))
    )
    (folder / "bad.run").write_text("1 Q0 d1 1 2 bad\n1 Q0 d2 2 high bad\n1 Q0 d3\n")
    (folder / "readme.txt").write_text("Read me first.\n")
    for n in range(8):
        (folder / f"small{n}.run").write_text(f"1 Q0 d{n} 1 2 small\n")
    return folder


@pytest.fixture
def researcher(browse):
    """Opens a browser in which the demo's researcher has made an empty collection."""

    def open_one(size="desktop", **more):
        watched = browse(size=size, **more)
        page = watched.page
        page.goto("/")
        page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
        page.goto("/collections/new/")
        page.get_by_label("Name").fill(f"Uploads {uuid.uuid4().hex[:8]}")
        page.get_by_role("button", name="Create").click()
        page.get_by_text("Drop your files here").wait_for()
        return watched, re.search(r"/collections/\d+/", page.url)[0]

    return open_one


def choose(page, collection, *paths):
    """Choose files, which the page sends at once."""
    page.goto(f"{collection}add/")
    page.locator("input[type=file]").set_input_files([str(path) for path in paths])


def confirm(page):
    page.get_by_role("button", name="Import").click()


@pytest.mark.slow
@pytest.mark.one_database
def test_from_nothing_to_runs_with_every_page_looked_at(researcher, files, size):
    watched, collection = researcher(size)
    page = watched.page
    watched.check("upload-new")
    page.goto(collection)
    watched.check("collection-empty")
    choose(page, collection, files / "topics.jsonl")
    page.get_by_role("button", name="Import").wait_for()
    watched.check("upload-topics")
    confirm(page)
    page.wait_for_selector(".alert.success")
    watched.check("upload-done")

    choose(page, collection, *sorted(files.glob("small*.run")), files / "readme.txt")
    page.get_by_text("none of the formats").wait_for()
    watched.check("upload-several")
    confirm(page)
    page.get_by_text("Next: grades").wait_for()

    choose(page, collection, files / "bad.run")
    page.get_by_label("What bad.run is").select_option("run:auto")
    confirm(page)
    page.wait_for_selector(".alert.error")
    assert page.locator("tbody tr").all_inner_texts() == [
        'bad.run\t2\tcolumn 5 (score) is "high"; expected a number',
        "bad.run\t3\texpected 6 columns (topic Q0 docno rank score tag), found 3",
    ]
    watched.check("upload-failed")
    page.goto(collection)
    assert page.locator("#runs tbody tr").count() == 8
    watched.check("collection")


@pytest.mark.slow
def test_a_connection_that_drops(researcher, files):
    watched, collection = researcher()
    page = watched.page
    requests = []

    def drop(route):
        requests.append(route.request.url)
        if len(requests) == 2:
            return route.abort("connectionreset")  # lost on the way there
        if len(requests) == 4:
            route.fetch()
            return route.abort("connectionreset")  # the server has it, only the answer is lost
        return route.continue_()

    page.route("**/chunk/**", drop)
    choose(page, collection, files / "large.run")
    confirm(page)
    page.wait_for_selector(".alert.success")
    assert f"{3 * LINES:,} results for 3 topics" in page.locator("main").inner_text()
    assert len(requests) >= 4
    assert len(watched.complaints) == 2  # the browser's own words on the two connections


@pytest.mark.slow
def test_a_database_that_is_away_for_a_while_is_said_and_waited_for(researcher, files):
    watched, collection = researcher()
    page = watched.page
    away = ["yes"]

    def answer(route):
        if away:
            return route.fulfill(status=503, json={"error": str(AWAY)})
        return route.continue_()

    page.route(re.compile("/(chunk|state)/"), answer)
    choose(page, collection, files / "large.run")
    page.get_by_text(f"{AWAY} Trying again…").wait_for()
    away.clear()
    confirm(page)
    page.wait_for_selector(".alert.success")
    assert f"{3 * LINES:,} results for 3 topics" in page.locator("main").inner_text()
    assert watched.complaints  # the browser's own words on answers of 503


def test_a_closed_window_goes_on_where_it_stopped(researcher, files):
    watched, collection = researcher()
    page = watched.page
    held = []

    def hold_second(route):
        held.append(route)
        if len(held) == 1:
            route.continue_()

    page.route("**/chunk/**", hold_second)
    choose(page, collection, files / "large.run")
    page.wait_for_function("() => document.querySelector('[data-bar]')?.value > 0")
    second = page.context.new_page()
    page.close(run_before_unload=False)

    sent = []
    second.on("request", lambda request: sent.append(request.url) if "/chunk/" in request.url else None)
    second.goto(collection)
    second.get_by_role("link", name="large.run").click()
    second.get_by_label("The same file").set_input_files(str(files / "bad.run"))
    second.get_by_role("button", name="Go on").click()
    second.get_by_text("That is another file").wait_for()
    second.get_by_label("The same file").set_input_files(str(files / "large.run"))
    second.get_by_role("button", name="Go on").click()
    confirm(second)
    second.wait_for_selector(".alert.success")
    assert sent
    assert all("offset=0" not in url for url in sent)


@pytest.mark.one_database
def test_cancelling_keeps_nothing(researcher, files):
    watched, collection = researcher()
    page = watched.page
    page.route("**/chunk/**", lambda route: None)  # never answered
    choose(page, collection, files / "large.run")
    page.get_by_text(re.compile("0 bytes of")).wait_for()
    page.locator("[data-cancel]").click()
    page.get_by_text("Cancelled").wait_for()
    for _ in range(50):  # the page says so at once, and tells the server even if it is left
        page.goto(collection)
        if "large.run" not in page.locator("#under-way").inner_text():
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("the cancelled upload is still there")


@pytest.mark.slow
@pytest.mark.one_database
@PHONE_IN_SOAK
def test_without_a_script(researcher, files, size):
    watched, collection = researcher(size, javascript=False)
    page = watched.page
    choose(page, collection, files / "small0.run")
    page.get_by_role("button", name="Upload").click()
    watched.picture("upload-without-a-script")
    confirm(page)
    page.get_by_text("1 result for 1 topic").wait_for()  # the page reloads itself
    page.goto(collection)
    assert page.locator("#runs tbody tr").count() == 1
