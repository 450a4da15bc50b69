"""The search page, and the log that it writes: each search and click once, and nothing of who does not want it."""

from urllib.parse import urljoin

import pytest

from judging.experiments import drafts, lifecycle
from judging.models import Arm, Document, Event, Quarantined, Query, Site
from judging.search import indexes
from judging.search.rankers import USUAL
from judging.search.visits import CLIENT, NO_LOG, SESSION
from judging.views import search

pytestmark = pytest.mark.django_db(transaction=True)  # what is logged is committed at once

ADDRESS = "/search/birds/"


def docnos_of(response):
    return [result["docno"] for result in response.context["results"]]


def open_result(client, response, rank):
    return client.get(response.context["results"][rank - 1]["address"])


def test_it_finds_marks_and_links(client, site):
    response = client.get(ADDRESS, {"q": "diet of owls"})
    page = response.content.decode()
    assert docnos_of(response) == ["d1", "d2"]
    assert "<mark>Owls</mark> eat voles" in page
    assert "2 documents" in page
    document = open_result(client, response, 2).content.decode()
    assert "The <mark>diet</mark> of the barn <mark>owl</mark>" in document
    assert 'href="/search/birds/?q=diet+of+owls"' in document
    assert 'lang="en"' not in page + document
    response = client.get(ADDRESS, {"q": "diet of owls"}, headers={"Accept-Language": "it"})
    assert '<li lang="en">' in response.content.decode()
    address = response.context["results"][1]["address"]
    assert '<div class="text" lang="en">' in client.get(address, headers={"Accept-Language": "it"}).content.decode()


def test_a_search_is_logged_with_what_was_shown(client, site):
    response = client.get(ADDRESS, {"q": "  diet  of owls "}, headers={"user-agent": "Firefox"})
    (query,) = Query.objects.all()
    assert query.text == "diet of owls"
    assert query.hits == docnos_of(response)
    assert query.site == site
    assert None not in (query.client, query.session, query.query, query.agent)
    assert query.arms == {}
    assert query.raw["object_id_field"] == "docno"


def test_a_click_is_logged_where_it_was(client, site):
    response = client.get(ADDRESS, {"q": "diet of owls"})
    open_result(client, response, 2)
    query, event = Query.objects.get(), Event.objects.get()
    assert (event.action, event.object, event.ordinal) == ("click", "d2", 2)
    assert (event.query, event.client, event.session) == (query.query, query.client, query.session)
    assert event.time >= query.time


def test_positions_count_from_where_the_site_says(client, site):
    Site.objects.update(first_ordinal=0)
    open_result(client, client.get(ADDRESS, {"q": "owls"}), 1)
    assert Event.objects.get().ordinal == 0


def test_loading_again_going_back_and_clicking_twice_count_once(client, site):
    for _ in range(2):
        response = client.get(ADDRESS, {"q": "diet of owls"})
        open_result(client, response, 1)
        open_result(client, response, 1)
    assert (Query.objects.count(), Event.objects.count()) == (1, 1)
    assert not Quarantined.objects.exists()


def test_another_search_and_another_visit_are_new(client, site):
    client.get(ADDRESS, {"q": "owls"})
    client.get(ADDRESS, {"q": "swallows"})
    client.cookies.pop(SESSION)  # half an hour passes
    client.get(ADDRESS, {"q": "owls"})
    queries = Query.objects.all()
    assert len(queries) == len({query.query for query in queries}) == 3
    assert len({query.session for query in queries}) == 2
    assert len({query.client for query in queries}) == 1


def test_leaving_a_document_is_logged_once(client, site):
    response = client.get(ADDRESS, {"q": "owls"})
    document = open_result(client, response, 1)
    assert "data-leave" in document.content.decode()
    address = response.context["results"][0]["address"]
    assert [client.post(address).status_code for _ in range(2)] == [204, 204]
    assert list(Event.objects.order_by("time").values_list("action", "object")) == [("click", "d1"), ("leave", "d1")]


def test_a_link_that_was_passed_on_shows_the_document_and_logs_nothing(client, site, admin_client):
    address = client.get(ADDRESS, {"q": "owls"}).context["results"][0]["address"]
    admin_client.get(ADDRESS, {"q": "swallows"})
    passed_on = admin_client.get(address)
    assert passed_on.status_code == 200
    assert "data-leave" not in passed_on.content.decode()
    assert not Event.objects.exists()


@pytest.mark.parametrize("changed", ["from=x", "at=0", "at=101", "at=²", "at=", "at=1&from=é"])
def test_addresses_made_up_log_nothing(client, site, changed):
    address = client.get(ADDRESS, {"q": "owls"}).context["results"][0]["address"]
    assert client.get(f"{address}&{changed}").status_code == 200
    assert not Event.objects.exists()


def test_cookies_are_for_this_page_alone(client, site):
    response = client.get(ADDRESS, {"q": "owls"})
    assert set(response.cookies) == {CLIENT, SESSION}
    for cookie, seconds in ((CLIENT, 31_536_000), (SESSION, 1800)):
        morsel = response.cookies[cookie]
        assert (morsel["path"], morsel["samesite"], morsel["httponly"]) == (ADDRESS, "Lax", True)
        assert morsel["max-age"] == seconds
    assert not client.get(ADDRESS).cookies
    assert open_result(client, response, 1).cookies[SESSION]["max-age"] == 1800


@pytest.mark.parametrize("headers", [{"sec-gpc": "1"}, {"dnt": "1"}])
def test_browsers_that_ask_for_privacy_get_it(client, site, headers):
    response = client.get(ADDRESS, {"q": "owls"}, headers=headers)
    open_result(client, response, 1)
    assert docnos_of(response) == ["d1"]
    assert not response.cookies
    assert "from=" not in response.context["results"][0]["address"]
    assert "Nothing that you do on this page is recorded" in response.content.decode()
    assert not Query.objects.exists()
    assert not Event.objects.exists()


def test_whoever_declines_is_not_logged_until_they_agree_again(client, site):
    client.get(ADDRESS, {"q": "owls"})
    stopped = client.post(f"{ADDRESS}privacy/", {"log": "no"}, follow=True)
    assert "This browser remembers that you chose so" in stopped.content.decode()
    assert client.cookies[CLIENT].value == client.cookies[SESSION].value == ""
    client.get(ADDRESS, {"q": "swallows"})
    assert Query.objects.count() == 1
    client.post(f"{ADDRESS}privacy/", {"log": "yes"})
    assert client.cookies[NO_LOG].value == ""
    client.get(ADDRESS, {"q": "ducks"})
    assert Query.objects.count() == 2


def test_what_browsers_load_ahead_and_heads_are_no_searches(client, site):
    client.get(ADDRESS, {"q": "owls"}, headers={"sec-purpose": "prefetch;prerender"})
    client.head(ADDRESS, {"q": "owls"})
    assert not Query.objects.exists()


def test_the_second_page_goes_on_where_the_first_ended(client, site, collection):
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"owl{number:02}", title="Owl", text="An owl.") for number in range(14)
    )
    first = client.get(ADDRESS, {"q": "owl"})
    second = client.get(ADDRESS, {"q": "owl", "page": 2})
    assert len(docnos_of(first)) == 10
    assert len(docnos_of(first) + docnos_of(second)) == len(set(docnos_of(first) + docnos_of(second))) == 15
    assert '<ol class="results" start="11">' in second.content.decode()
    assert docnos_of(client.get(ADDRESS, {"q": "owl", "page": 99})) == docnos_of(second)
    open_result(client, second, 1)
    assert Query.objects.get().hits == docnos_of(first)
    page, click = Event.objects.order_by("time")
    assert (page.action, page.raw["event_attributes"]["object_ids"]) == ("page", docnos_of(second))
    assert (click.object, click.ordinal) == (docnos_of(second)[0], 11)
    assert "page=2" in open_result(client, second, 1).context["back"]


def test_no_hits_is_an_answer_and_is_logged(client, site):
    response = client.get(ADDRESS, {"q": "penguins"})
    assert "Nothing found" in response.content.decode()
    assert Query.objects.get().hits == []


def test_no_hits_of_merged_lists_neither(client, site, researcher):
    arms = [Arm(name="now", ranker="bm25-words", is_control=True), Arm(name="new", ranker="bm25-title")]
    lifecycle.start(drafts.create(site, by=researcher, name="merged", kind="interleaving", arms=arms), by=researcher)
    assert docnos_of(client.get(ADDRESS, {"q": "penguins"})) == []
    assert Query.objects.get().arms == {"merged": "interleaved"}


def test_the_start_suggests_topics_and_logs_nothing(client, site):
    page = client.get(ADDRESS, {"q": "  "}).content.decode()
    assert '<option value="diet of owls">' in page
    assert 'href="?q=swallow+migration"' in page
    assert not Query.objects.exists()


def test_a_very_long_search_is_refused_in_words(client, site):
    response = client.get(ADDRESS, {"q": "owl " * 200})
    assert response.status_code == 400
    assert "That is too long" in response.content.decode()
    assert not Query.objects.exists()


def test_while_the_index_is_built_the_page_says_how_far_it_is_and_logs_nothing(client, site, monkeypatch):
    monkeypatch.setattr(indexes, "AT_ONCE", 5)
    monkeypatch.setattr(indexes, "PORTION", 2)
    response = client.get(ADDRESS, {"q": "owls"})
    assert (response.status_code, response.headers["Retry-After"]) == (503, "3")
    assert "0 of 6" in response.content.decode()
    assert '<meta http-equiv="refresh" content="3">' in response.content.decode()
    (marker,) = indexes.root().rglob("*.building")
    marker.write_text("6")
    assert "now their words are weighed" in client.get(ADDRESS, {"q": "owls"}).content.decode()
    indexes.build(site.collection, USUAL)
    assert docnos_of(client.get(ADDRESS, {"q": "owls"})) == ["d1"]
    assert Query.objects.count() == 1


@pytest.mark.parametrize("query", ["\0owls", "owls\0", "“owls” & <b>", "%", "ow\ud7ff", "' OR 1=1 --", "の" * 100])
def test_odd_searches_are_searches(client, site, query):
    assert client.get(ADDRESS, {"q": query}).status_code == 200


def test_what_is_not_there_is_not_there(client, site, researcher):
    Site.objects.create(name="No page", slug="no-page", owner=researcher, collection=site.collection)
    Site.objects.create(name="Nothing to search", slug="nothing", owner=researcher, has_page=True)
    documents = ["doc/", "doc/?docno=d9", "doc/?docno=a%00b", "doc/?docno=%ff", "doc/d1"]
    pages = ["no-page/", "nothing/", "nowhere/", "no-page/doc/?docno=d1", "no-page/privacy/"]
    for address in [*pages, *(f"birds/{document}" for document in documents)]:
        assert client.get(f"/search/{address}").status_code == 404, address


ODD = ["../../x", "a/b", ".", "..", "%2e%2e", "../../../login/", "//evil.example/x", "/x", "a//b/", "\\\\x", "?", "#", "d\n1",
       "http://x/", "%", "é+&=;", "の" * 200, "x" * 200]  # fmt: skip


@pytest.mark.parametrize("docno", ODD)
def test_every_document_that_is_found_has_a_link_that_opens_it(client, site, collection, docno):
    """Browsers take `..` out of a path, however it is written there, and `//` for another host."""
    Document.objects.create(collection=collection, docno=docno, title="Heron")
    response = client.get(ADDRESS, {"q": "heron"})
    (result,) = response.context["results"]
    address = urljoin("http://testserver/search/birds/", result["address"])
    assert address.startswith("http://testserver/search/birds/doc/")
    assert client.get(address).context["document"].docno == docno
    assert client.post(address).status_code == 204
    assert set(Event.objects.values_list("action", "object")) == {("click", docno), ("leave", docno)}


def test_ids_of_documents_may_hold_anything(client, site, collection):
    Document.objects.create(collection=collection, docno="a/b?c=d#e f&amp;", title="Heron")
    response = client.get(ADDRESS, {"q": "heron"})
    assert open_result(client, response, 1).context["document"].title == "Heron"
    assert Event.objects.get().object == "a/b?c=d#e f&amp;"


def test_the_list_of_sites(client, site, researcher, collection):
    assert client.get("/search/").headers["Location"] == ADDRESS
    assert client.get("/search/?q=snowy+owls").headers["Location"] == f"{ADDRESS}?q=snowy+owls"
    Site.objects.create(name="Owl search", slug="owls", owner=researcher, collection=collection, has_page=True)
    page = client.get("/search/").content.decode()
    assert "Bird search" in page
    assert "Owl search" in page
    Site.objects.update(has_page=False)
    assert "No search page yet" in client.get("/search/").content.decode()


def test_who_searches_faster_than_people_do_has_to_wait(client, site, monkeypatch):
    monkeypatch.setattr(search, "SEARCHES", search.SEARCHES._replace(most=20, seconds=72_000))
    statuses = [client.get(ADDRESS, {"q": f"owls {number}"}).status_code for number in range(25)]
    assert statuses == [200] * 20 + [429] * 5
    assert int(client.get(ADDRESS, {"q": "owls"}).headers["Retry-After"]) == pytest.approx(3600, abs=60)
    assert client.get(ADDRESS, {"q": "owls"}, REMOTE_ADDR="192.0.2.7").status_code == 200
    assert Query.objects.count() == 21


def test_nothing_in_the_log_names_the_browser(client, site):
    client.get(ADDRESS, {"q": "owls"})
    raw = str(Query.objects.get().raw)
    assert client.cookies[CLIENT].value not in raw
    assert client.cookies[SESSION].value not in raw
    assert "127.0.0.1" not in raw
