"""The list of sites, a site at a glance, how to send to it."""

import json
import re
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.logs import keys, volume
from judging.logs.intake import receive
from judging.models import Event, Experiment, Site, WriteKey
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


def page(client, name, *args, **fields):
    return client.get(reverse(name, args=args), fields).content.decode()


def new(client, **fields):
    return client.post(reverse("site_new"), fields, follow=True)


def test_an_empty_list_says_what_a_site_is_and_what_to_do(rita):
    shown = page(rita, "sites")
    assert "what people searched for" in shown
    assert reverse("site_new") in shown


def test_the_list_has_mine_and_those_i_may_read_but_no_others(site, stranger, admin, reader, browser_of):
    Site.objects.create(name="Ada’s", slug="adas", owner=admin)
    shown = page(reader, "sites")
    assert "Bird shop" in shown
    assert "Ada’s" not in shown
    assert "Ada’s" in page(browser_of(admin), "sites")


def test_only_researchers_see_the_link(rita, browser_of):
    from judging.models import User

    assert f'href="{reverse("sites")}"' in page(rita, "sites")
    assert f'href="{reverse("sites")}"' not in page(browser_of(User.objects.create_user("wim")), "home")


def test_a_new_site_gets_a_short_name_from_its_name_and_a_key(rita, researcher):
    shown = new(rita, name="Bücher & Vögel").content.decode()
    site = Site.objects.get()
    assert (site.slug, site.owner) == ("bucher-vogel", researcher)
    assert keys.key_text(WriteKey.objects.get(site=site)) in shown


def test_a_second_site_whose_name_gives_the_same_short_name(rita):
    for name in ("Bird shop", "Bird-shop", "鳥"):
        new(rita, name=name)
    assert sorted(Site.objects.values_list("slug", flat=True)) == ["bird-shop", "bird-shop-2", "site"]


@pytest.mark.parametrize("fields", [{"name": "BIRD shop"}, {"name": "Other", "slug": "bird-shop"}])
def test_what_is_taken_is_said_at_its_field(rita, site, fields):
    refused = new(rita, **fields)
    assert refused.status_code == 422
    assert "Choose another one." in refused.content.decode()
    assert Site.objects.count() == 1


def test_collections_that_are_not_mine_cannot_be_chosen(browser_of, stranger, collection):
    assert new(browser_of(stranger), name="Mine", collection=collection.pk).status_code == 422


def test_a_fresh_site_shows_how_to_send_first(rita, site):
    shown = page(rita, "site", site.pk)
    key = keys.key_text(site.keys.get())
    assert "Send the first record" in shown
    for part in ("curl -X POST http://testserver/api/v1/log/", "urllib.request", f'data-key="{key}"', f"Bearer {key}"):
        assert part in unescape(shown)


def test_what_the_shell_is_shown_is_a_search_and_a_click_on_it(rita, site):
    shown = unescape(page(rita, "site", site.pk))
    search, clicked = sent = json.loads(re.search(r"-d '(\[.*\])'", shown)[1])
    assert receive(site, [clicked]).counts["accepted"] == 1
    opened = '<details class="section" open>'
    assert opened in page(rita, "site", site.pk), "a click alone says nothing"
    assert receive(site, [search]).counts["accepted"] == 1
    assert opened not in page(rita, "site", site.pk)
    place = clicked["event_attributes"]["position"]["ordinal"] - site.first_ordinal
    assert search["query_response_hit_ids"][place] == clicked["event_attributes"]["object"]["object_id"]
    assert len({record["query_id"] for record in sent}) == 1


def test_once_something_came_it_shows_how_much(rita, site):
    receive(site, [query(), click("d1"), click("d2"), {"nothing": 1}])
    shown = page(rita, "site", site.pk)
    assert "Send the first record" not in shown
    rows = re.findall(r'<th scope="row"><a [^>]*>(Queries|Events)</a></th>(.*?)</tr>', shown, re.DOTALL)
    assert {name: re.findall(r">([\d,]+)<", cells) for name, cells in rows} == {"Queries": ["1"] * 4, "Events": ["2"] * 4}
    assert re.search(r'In quarantine</dt><dd class="value">1<', shown)


def test_without_a_key_it_says_so(rita, site, researcher):
    keys.revoke(site.keys.get(), by=researcher)
    assert "nothing can be sent" in page(rita, "site", site.pk)


def test_a_test_record_arrives(rita, site):
    shown = rita.post(reverse("site_test", args=[site.pk]), follow=True).content.decode()
    assert "The test record was accepted" in shown
    assert Event.objects.get().action == "test"
    assert "rita" not in str(Event.objects.get().raw)


def test_readers_see_no_keys_no_records_and_no_small_numbers(site, reader):
    receive(
        site, [query(n, client_id=f"c{n}") for n in range(9)] + [click(event_id=f"e{n}", client_id=f"c{n}") for n in range(10)]
    )
    shown = page(reader, "site", site.pk)
    assert keys.key_text(site.keys.get()) not in shown
    assert re.findall(r'<dd class="value">(.*?)</dd>', shown) == ["–", "10"]
    for hidden in (
        "Send a test record",
        "Records a day",
        reverse("site_records", args=[site.pk]),
        reverse("site_settings", args=[site.pk]),
    ):
        assert hidden not in shown


def test_experiments_are_listed_with_their_state(rita, site, researcher):
    Experiment.objects.create(site=site, name="new-ranker", created_by=researcher)
    shown = page(rita, "site", site.pk)
    assert "new-ranker" in shown
    assert "Draft" in shown


@pytest.mark.parametrize("name", ["sites", "site"])
def test_more_records_cost_no_more_queries(rita, site, django_assert_num_queries, name):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    args = [site.pk] if name == "site" else []
    receive(site, [query(), click()])
    with CaptureQueriesContext(
        connection,
    ) as few:
        page(rita, name, *args)
    receive(site, [click(event_id=f"e{n}", client_id=f"c{n}") for n in range(500)])
    with django_assert_num_queries(len(few)):
        page(rita, name, *args)


def test_a_strangers_site_is_not_there(site, stranger, browser_of):
    client = browser_of(stranger)
    for name in ("site", "site_records", "site_quarantine", "site_settings", "site_delete"):
        assert client.get(reverse(name, args=[site.pk])).status_code == 404


@pytest.fixture
def spread(site):
    """Records of some moments: now and then, by these many days."""
    now = timezone.now().replace(hour=12)
    for back, number in ((0, 3), (1, 2), (20, 4), (40, 5)):
        came = now - timedelta(days=back)
        receive(site, [click(event_id=f"{back}-{n}", timestamp=came.isoformat()) for n in range(number)], now=came)
    return now


def test_counts_are_of_the_spans(site, spread):
    counts = volume.counts(site, Event, spread)
    assert list(map(str, counts[:4])) == ["3", "3", "9", "14"]
    assert list(counts.days.values())[-2:] == [2, 3]
    assert sum(counts.days.values()) == 5


def test_more_than_is_counted_is_said_and_not_counted(site, spread, monkeypatch):
    monkeypatch.setattr(volume, "MOST", 4)
    counts = volume.counts(site, Event, spread)
    assert list(map(str, counts[:4])) == ["3", "3", "more than 4", "more than 4"]
    assert list(counts.days.values())[-3:] == [None, None, 3]  # yesterday may have had more


def test_counts_are_of_one_site(site, researcher, spread):
    other = Site.objects.create(name="Other", slug="other", owner=researcher)
    assert not volume.counts(other, Event, spread).all


def test_clocks_that_are_a_day_off_are_counted(site):
    now = timezone.now()
    times = [now, now - timedelta(hours=23), now - timedelta(hours=25), now + timedelta(days=3)]
    receive(site, [click(event_id=f"e{n}", timestamp=time.isoformat()) for n, time in enumerate(times)], now=now)
    assert volume.skew(site, now) == volume.Skew(skewed=2, of=4)
    assert volume.skew(site, now + timedelta(days=2)).share == 0
