"""From files that somebody has to a report on them: what a newcomer clicks, counted, at most ten times."""

import re
import shutil
import uuid

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.database]

MOST_CLICKS = 10
# Of Glasgow's distribution, in an order that would not do if each was imported as it comes.
FILES = ("cranqrel", "cran.all.1400", "cran.qry")


@pytest.fixture
def cranfield(shared_data, tmp_path):
    return [str(shutil.copy(shared_data / "cranfield" / name, tmp_path)) for name in FILES]


class Counted:
    """A page on which clicks are counted."""

    def __init__(self, page):
        self.page, self.clicks = page, 0

    def click(self, name, role="button"):
        self.clicks += 1
        self.page.get_by_role(role, name=name).first.click()

    def choose(self, files):
        self.clicks += 1  # the button that opens the system's own window
        self.page.locator("input[type=file]").set_input_files(files)


@pytest.mark.slow
@pytest.mark.one_database
def test_from_own_files_to_a_report_in_ten_clicks(browse, cranfield, size):
    watched = browse(size)
    page, counted = watched.page, Counted(watched.page)
    page.goto("/")
    counted.click(re.compile("researcher", re.IGNORECASE))
    page.wait_for_selector("text=Dashboard")

    counted.click("New collection", role="link")
    page.get_by_label("Name").fill(f"Cranfield {uuid.uuid4().hex[:8]}")
    counted.click("Create")
    counted.choose(cranfield)
    page.get_by_role("button", name="Import these 3 files").wait_for()
    taken = [choice.input_value() for choice in page.locator("select[name$=-taken]").all()]
    assert sorted(taken) == ["documents:smart", "qrels:smart:cranfield", "topics:smart"]
    watched.check("own-files-recognised")

    counted.click("Import these 3 files")
    page.get_by_text("Next: runs to compare").wait_for(timeout=60_000)
    shown = page.locator("main").inner_text()
    assert "1,400 documents imported" in shown
    assert "225 topics imported" in shown
    assert "225 of grade -1, 1,097 of grade 1, 387 of grade 2, 128 of grade 3" in shown
    watched.check("own-files-imported")

    counted.click("Make runs here")
    page.get_by_text("Next: a report").wait_for(timeout=90_000)
    assert page.locator("#runs tbody th").all_inner_texts() == ["bm25-title", "bm25-words", "tfidf-words"]
    watched.check("own-files-ranked")

    counted.click("Make the report")
    page.get_by_text("has the highest nDCG@10").wait_for(timeout=60_000)
    assert "bm25-words has the highest nDCG@10: 0.348" in page.locator("main").inner_text()
    assert counted.clicks <= MOST_CLICKS
    assert not watched.complaints


def test_files_are_dropped_anywhere_on_the_page(browse):
    page = browse().page
    page.goto("/")
    page.get_by_role("button", name=re.compile("researcher", re.IGNORECASE)).click()
    page.goto("/collections/new/")
    page.get_by_label("Name").fill(f"Dropped {uuid.uuid4().hex[:8]}")
    page.get_by_role("button", name="Create").click()
    page.get_by_text("Drop your files here").wait_for()
    page.wait_for_load_state()
    page.evaluate("""() => {
        const files = new DataTransfer();
        files.items.add(new File(["1 0 d1 1\\n"], "gold.txt"));
        files.items.add(new File(["1 Q0 d1 1 2.5 bm25\\n"], "bm25.txt"));
        const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
        document.querySelector("h1").dispatchEvent(drop);
    }""")
    page.get_by_role("button", name="Import these 2 files").wait_for()
    assert page.get_by_label("What gold.txt is").input_value() == "qrels:auto"
    assert page.get_by_label("What bm25.txt is").input_value() == "run:auto"
