"""The demo's search page: from the first page to a click in the log, by mouse, by keys and without a script."""

import pytest

from tests.browser.conftest import PHONE_IN_SOAK

pytestmark = pytest.mark.browser


@pytest.fixture
def logged(site, shell):
    """What the log says of a search: how many, and the actions after it in their order."""

    def ask(text):
        code = (
            "from judging.models import Event, Query\n"
            f"asked = Query.objects.filter(text={text!r})\n"
            "done = Event.objects.filter(query__in=asked.values('query')).order_by('time').values_list('action', flat=True)\n"
            "print(asked.count(), *done)"
        )
        return shell(code).split()

    return ask


def open_first(page):
    page.locator(".results a").first.click()
    page.locator("article.document").wait_for()


def test_from_the_first_page_to_a_click_in_the_log(browse, logged, size):
    watched = browse(size)
    page, words = watched.page, f"drain with water {size}"
    page.goto("/")
    page.get_by_role("link", name="Search household tips").click()
    watched.check("search-start")
    page.get_by_label("Search Demo search").fill(words)
    page.keyboard.press("Enter")
    page.locator(".results").wait_for()
    watched.check("search-results")
    open_first(page)
    watched.check("search-document")
    page.get_by_role("link", name="Back to the results").click()
    open_first(page)
    page.go_back()
    page.reload()
    assert page.get_by_label("Search Demo search").input_value() == words
    page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="Previous").wait_for()
    watched.check("search-second-page")
    assert logged(words) == ["1", "click", "leave", "page"]


ODD = ["../../x", "..", "%2e%2e", "//evil.example/x", "a/b?c#d"]


@pytest.fixture
def odd_ids(site, shell):
    """A site over documents with ids that a browser would follow elsewhere, for the length of a test."""

    shell(
        "from judging.models import Collection, Document, Site, User\n"
        "demo = User.objects.get(username='demo')\n"
        "odd = Collection.objects.create(name='Odd', owner=demo)\n"
        f"for docno in {ODD}: Document.objects.create(collection=odd, docno=docno, title='Heron')\n"
        "Site.objects.create(name='Odd', slug='odd', owner=demo, collection=odd, has_page=True)"
    )
    yield
    shell(
        "from judging.models import Collection, Site, User\n"
        "Site.objects.get(slug='odd').delete(); Collection.objects.get(name='Odd').delete()"
    )


def test_documents_of_any_id_open_by_a_click(browse, odd_ids):
    page, opened = browse().page, set()
    for place in range(len(ODD)):
        page.goto("/search/odd/?q=heron")
        page.locator(".results a").nth(place).click()
        opened.add(page.locator("article.document .eyebrow").inner_text())
    assert opened == set(ODD)


def test_slash_goes_to_the_field_and_can_be_typed_there(browse):
    page = browse().page
    page.goto("/search/demo/?q=water")
    page.keyboard.press("/")
    page.keyboard.type("a/b")
    assert page.get_by_label("Search Demo search").input_value() == "a/b"


def test_it_logs_without_a_script(browse, logged):
    page = browse(javascript=False).page
    page.goto("/search/demo/?q=drain+without+script")
    open_first(page)
    assert logged("drain without script") == ["1", "click"]


@PHONE_IN_SOAK
def test_who_declines_leaves_nothing(browse, logged, size):
    watched = browse(size)
    page = watched.page
    page.goto("/search/demo/privacy/")
    watched.check("search-privacy")
    page.get_by_role("button", name="Do not record").click()
    page.goto("/search/demo/?q=water+not+recorded")
    open_first(page)
    watched.check("search-not-recorded")
    assert logged("water not recorded") == ["0"]


@PHONE_IN_SOAK
def test_nothing_found_and_too_long(browse, size):
    watched = browse(size)
    watched.page.goto("/search/demo/?q=zzzqqq")
    watched.check("search-nothing")
