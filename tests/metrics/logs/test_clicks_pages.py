"""What a site's click report shows, and to whom."""

import csv
import json
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from judging.logs.intake import receive
from judging.models import AuditEntry, User
from metrics.kinds.clicks import words
from metrics.models import Report
from tests.metrics.logs.clicked_log import computed, search
from tests.visible_words import expect_the_answer_first, visible_words

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def client_of():
    def client_of(user):
        client = Client()
        client.force_login(user)
        return client

    return client_of


@pytest.fixture
def owner(client_of, researcher):
    return client_of(researcher)


@pytest.fixture
def reader(client_of, site):
    user = User.objects.create_user("reed", is_researcher=True)
    site.readers.add(user)
    return client_of(user)


@pytest.fixture
def world(site):
    """Owls of many users, swifts of twelve, and a neighbour of one."""
    for number in range(30):
        receive(site, search(number, clicked="b" if number % 3 else "c"))
    for number in range(12):
        receive(site, search(100 + number, "Swifts", "d e", "d", who=f"c{number}", minute=20))
    receive(site, search(200, "my neighbour's name", "f g", "g", who="c0", minute=30))


def page(client, site, name="site_clicks", **query):
    return client.get(reverse(name, args=[site.pk]), query)


def test_a_site_without_records_says_how_to_send(owner, site):
    shown = page(owner, site).content.decode()
    assert "Nobody has searched yet" in shown
    assert not Report.objects.exists()


def test_who_looks_first_asks(owner, world, site):
    shown = page(owner, site).content.decode()
    assert "Waiting to be computed" in shown
    assert Report.objects.get().spec["days"] == 30
    part = owner.get(reverse("site_clicks", args=[site.pk]), headers={"HX-Request": "true", "HX-Target": "report-progress"})
    assert b"<html" not in part.content


@pytest.mark.parametrize("page", ["query/?q=diet+of+owls", "grades/"])
def test_before_anything_is_computed_its_pages_lead_to_the_one_that_asks(owner, stranger, client_of, world, site, page):
    address = f"/sites/{site.pk}/clicks/"
    assert owner.get(address + page).headers["Location"] == address
    assert client_of(stranger).get(address + page).status_code == 404


def test_its_owner_sees_everything(owner, world, site):
    computed(site)
    shown = page(owner, site).content.decode()
    assert "diet of owls" in shown
    assert "my neighbour&#x27;s name" in shown
    assert "Position-based model" in shown
    assert "click &gt; skip above" in shown
    assert "nothing has come since" in shown


@pytest.mark.parametrize(("users", "warns"), [(20, True), (49, True), (50, False)])
def test_intervals_that_rest_on_few_users_say_so(owner, site, users, warns):
    for number in range(users):
        receive(site, search(number, clicked="b" if number % 3 else "c", who=f"u{number}"))
    computed(site)
    assert (f"{users} users: these intervals may be too narrow, 50 are needed." in page(owner, site).content.decode()) == warns


def test_readers_see_what_ten_users_did(reader, world, site):
    computed(site)
    shown = page(reader, site).content.decode()
    assert "diet of owls" in shown
    assert "neighbour" not in shown
    assert "swifts" not in shown  # else the neighbour could be taken from the total
    assert "2 other queries, together" in shown
    assert "What was counted" not in shown


def test_readers_of_few_users_see_nothing(reader, owner, site):
    for number in range(9):
        receive(site, search(number, clicked="b"))
    computed(site)
    assert "Too few users to show" in page(reader, site).content.decode()
    assert "diet of owls" in page(owner, site).content.decode()
    assert ["glance" in who.get("/").content.decode() for who in (owner, reader)] == [True, False]
    assert reader.get(reverse("site_clicks_download", args=[site.pk, "clicks.json"])).status_code == 404


def test_a_query_shows_its_documents(owner, world, site):
    computed(site)
    shown = page(owner, site, "site_clicks_query", q=" Diet of  OWLS").content.decode()
    assert ">20<" in shown.replace("\n", "")  # clicks on b
    assert "COEC" in shown


def test_readers_find_no_rare_query_by_its_text(reader, owner, world, site):
    computed(site)
    for text in ("my neighbour's name", "swifts", "nobody asked this"):
        answer = page(reader, site, "site_clicks_query", q=text)
        assert answer.status_code == 404
        assert "Fewer than ten users asked this, or nobody" in answer.content.decode()
    assert page(owner, site, "site_clicks_query", q="my neighbour's name").status_code == 200
    assert page(reader, site, "site_clicks_query", q="diet of owls").status_code == 200


def test_readers_see_no_document_of_few_users(reader, owner, site):
    for number in range(20):
        receive(site, search(number, shown="a b rare" if number < 3 else "a b c", clicked="a"))
    computed(site)
    shown = {name: page(who, site, "site_clicks_query", q="diet of owls").content.decode() for name, who in
             (("owner", owner), ("reader", reader))}  # fmt: skip
    assert "rare" in shown["owner"]
    assert '<th scope="row">rare' not in shown["reader"]


def test_strangers_find_nothing(client_of, stranger, world, site):
    computed(site)
    sid = client_of(stranger)
    for name in ("site_clicks", "site_clicks_query", "site_clicks_grades"):
        assert page(sid, site, name).status_code == 404
    assert sid.get(reverse("site_clicks_download", args=[site.pk, "ranks.csv"])).status_code == 404
    assert sid.post(reverse("site_clicks_again", args=[site.pk])).status_code == 404


def test_queries_are_searched_sorted_and_paged(owner, world, site):
    computed(site)
    assert [row["query"] for row in page(owner, site, sort="impressions").context["page"]] == [
        "my neighbour's name", "swifts", "diet of owls",
    ]  # fmt: skip
    assert [row["query"] for row in page(owner, site, q="SWI").context["page"]] == ["swifts"]
    assert "None of the queries" in page(owner, site, q="%s'--").content.decode()
    assert page(owner, site, page="99999999999999999999", sort="-__class__").status_code == 200


def test_asking_again_takes_another_time(owner, world, site):
    computed(site)
    receive(site, search(300))
    assert "1 record came since" in page(owner, site).content.decode()
    owner.post(reverse("site_clicks_again", args=[site.pk]), {"days": "7"})
    assert Report.objects.first().spec["days"] == 7
    assert "Waiting to be computed" in page(owner, site).content.decode()


def test_readers_choose_neither_the_time_nor_when(reader, world, site):
    """What two reports differ by could be what a single user did. The first one they may ask for, of the usual time."""
    address = f"/api/v1/sites/{site.pk}/clicks/"
    assert reader.post(address, {"days": 7}, content_type="application/json").status_code == 202
    assert Report.objects.get().spec["days"] == 30
    Report.objects.all().delete()
    computed(site, days=90)
    shown = page(reader, site).content.decode()
    assert 'name="since"' not in shown
    assert reverse("site_clicks_again", args=[site.pk]) not in shown
    assert reader.post(reverse("site_clicks_again", args=[site.pk]), {"days": "7"}).status_code == 404
    assert reader.post(address, {}, content_type="application/json").status_code == 403
    assert Report.objects.count() == 1


def test_days_may_be_named_whole(owner, world, site):
    answer = owner.post(reverse("site_clicks_again", args=[site.pk]), {"since": "2026-11-02", "until": "2026-11-01"})
    assert answer.status_code == 422
    assert "The first day is after the last one" in answer.content.decode()
    owner.post(reverse("site_clicks_again", args=[site.pk]), {"days": "7", "since": "2026-11-01", "until": "2026-11-20"})
    spec = Report.objects.first().spec
    assert (spec["days"], spec["since"], spec["until"]) == (None, "2026-11-01T00:00:00+00:00", "2026-11-21T00:00:00+00:00")


def test_a_report_that_failed_says_so(owner, world, site):
    report = computed(site)
    Report.objects.filter(pk=report.pk).update(state="failed", error="The disk is full.")
    shown = page(owner, site).content.decode()
    assert "The disk is full." in shown
    assert "Try again" in shown


def test_a_time_in_which_nobody_searched_is_no_error(owner, world, site):
    computed(site, until=datetime(2020, 1, 1, tzinfo=UTC))
    assert "No impression in this time" in page(owner, site).content.decode()
    assert page(owner, site, "site_clicks_query", q="diet of owls").status_code == 404


def test_markup_in_queries_and_ids_is_text(owner, site):
    bad = "<script>alert(1)</script>"
    for number in range(12):
        receive(site, search(number, bad, shown="<b>x</b> y", clicked="y"))
    computed(site)
    for answer in (page(owner, site), page(owner, site, "site_clicks_query", q=bad)):
        assert answer.status_code == 200
        assert "<script>alert" not in answer.content.decode()
        assert "<b>x</b>" not in answer.content.decode()


def test_files_have_what_the_page_has_and_are_noted(owner, reader, world, site):
    computed(site)

    def rows(client, kind):
        content = client.get(reverse("site_clicks_download", args=[site.pk, kind])).content.decode()
        return list(csv.DictReader(content.splitlines()))

    assert [row["ctr"] for row in rows(owner, "ranks.csv")][:2] == [str(12 / 43), str(21 / 43)]
    assert {row["query"] for row in rows(owner, "documents.csv")} == {"diet of owls", "swifts", "my neighbour's name"}
    assert {row["query"] for row in rows(reader, "documents.csv")} == {"diet of owls"}
    assert [row["query"] for row in rows(reader, "queries.csv")] == ["diet of owls", "(others)"]
    assert len(rows(owner, "rules.csv")) == 5
    whole = json.loads(reader.get(reverse("site_clicks_download", args=[site.pk, "clicks.json"])).content)
    assert "neighbour" not in json.dumps(whole)
    assert whole["counts"] is None
    assert AuditEntry.objects.filter(deed="exported", site=site).count() == 6


def test_the_api_says_the_same(owner, reader, world, site):
    address = f"/api/v1/sites/{site.pk}/clicks/"
    assert owner.get(address).json()["state"] == "none"
    assert owner.post(address, {"days": None}, content_type="application/json").status_code == 202
    computed(site)
    mine, theirs = owner.get(address).json(), reader.get(address).json()
    assert mine["state"] == "done"
    assert mine["is_current"]
    assert len(mine["result"]["queries"]) == 3
    assert [row["query"] for row in theirs["result"]["queries"]] == ["diet of owls"]
    assert theirs["result"]["other_queries"]["queries"] == 2
    late = {"since": "2026-11-02T00:00:00Z", "until": "2026-11-01T00:00:00Z"}
    assert owner.post(address, late, content_type="application/json").status_code == 400


def test_the_api_has_nothing_to_ask_of_an_empty_log(owner, site):
    assert owner.post(f"/api/v1/sites/{site.pk}/clicks/", {}, content_type="application/json").status_code == 409


def test_the_page_opens_with_the_answer(owner, world, site):
    report = computed(site)
    shown = page(owner, site).content.decode()
    expect_the_answer_first(shown)
    assert escape(words.sentence(report, site.owner)) in shown


def test_a_page_of_no_query_has_a_heading_all_the_same(owner, world, site):
    computed(site)
    answer = page(owner, site, "site_clicks_query", q=" ")
    assert answer.status_code == 404
    assert "<h1>No query</h1>" in answer.content.decode()


def test_grades_say_little_before_they_show_something(owner, world, site):
    computed(site)
    seen = visible_words(page(owner, site, "site_clicks_grades").content.decode()).words
    assert len(seen) <= 650
