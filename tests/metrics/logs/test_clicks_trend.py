"""A site day by day: how many searches there were, and how they ended."""

import json
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from judging.logs.intake import receive
from judging.models import User
from metrics.kinds.clicks import evidence
from metrics.kinds.clicks.figures import ranks, trend
from metrics.kinds.clicks.impressions import DAY
from metrics.kinds.clicks.results import ClickResults
from tests.metrics.logs.clicked_log import computed, search

pytestmark = pytest.mark.django_db
A_DAY = 24 * 60
DEEP = " ".join(f"d{number}" for number in range(12))


@pytest.fixture
def world(site):
    """Twelve users on the first day, three on the second; each ends a search in another way."""
    for number in range(12):
        receive(site, search(number, clicked="b" if number % 3 else ""))
    receive(site, search(20, shown=DEEP, clicked="d11", who="c0", minute=A_DAY))
    receive(site, search(21, shown="", who="c1", minute=A_DAY))
    receive(site, search(22, clicked="a b", who="c2", minute=A_DAY))
    silent = search(23, who="c2", minute=A_DAY)
    del silent[0]["query_response_hit_ids"]
    receive(site, silent)


def days(report):
    return [(row["day"], *(row[name] for name in DAY)) for row in report.result["days"]]


def test_each_day_says_how_its_searches_ended(world, site):
    """Beyond the tenth result a click is no click on the first ten; who says nothing of results has not shown nothing."""
    assert days(computed(site)) == [("2026-11-20", 12, 12, 12, 8, 4, 0), ("2026-11-21", 4, 3, 2, 1, 0, 1)]


@pytest.mark.slow
def test_parts_make_the_same_days(world, site, monkeypatch):
    whole = days(computed(site))
    monkeypatch.setattr(evidence, "RESULTS_A_PART", 5)
    split = computed(site)
    assert split.parts.count() > 4
    assert days(split) == whole


def test_the_figure_and_its_table_have_the_same_shares(client, world, site, researcher):
    drawn = trend(ClickResults(computed(site), researcher))
    assert [trace["y"] for trace in drawn["shares"]["data"]] == [[8 / 12, 1 / 2], [4 / 12, 0], [0, 1 / 4]]
    assert [trace["y"] for trace in drawn["searches"]["data"]] == [[12, 4]]
    client.force_login(researcher)
    page = client.get(reverse("site_clicks", args=[site.pk])).content.decode()
    assert "Day by day" in page and "66.7 %" in page


def test_a_day_that_is_not_over_has_a_hollow_mark_and_says_so(client, world, site, researcher):
    report = computed(site)
    assert "open" not in json.dumps(trend(ClickResults(report, researcher)))
    report.as_of = datetime(2026, 11, 21, 12, tzinfo=UTC)
    report.save()
    drawn = trend(ClickResults(report, researcher))
    for figure in ("shares", "searches"):
        for trace in drawn[figure]["data"]:
            finished, last = trace["marker"]["symbol"]
            assert last == f"{finished}-open" and trace["text"] == ["", " so far"]
    client.force_login(researcher)
    page = client.get(reverse("site_clicks", args=[site.pk])).content.decode()
    assert page.count("so far</span>") == 1 and "the last one, with a hollow mark, was not over" in page


def test_readers_do_not_see_days_of_few_users(client, world, site):
    reader = User.objects.create_user("reed", is_researcher=True)
    site.readers.add(reader)
    report = computed(site)
    first, second = ClickResults(report, reader).days
    assert first["searches"] == 12
    assert (second["day"], second["searches"], second["clicked"]) == ("2026-11-21", None, None)
    client.force_login(reader)
    file = client.get(reverse("site_clicks_download", args=[site.pk, "days.csv"])).content.decode()
    head, *lines = file.lstrip("\ufeff").splitlines()
    assert head == "day,searches,units,shown,clicked,abandoned,empty"
    assert lines == ["2026-11-20,12,12,12,8,4,0", "2026-11-21,,,,,,"]


def test_one_day_and_reports_of_earlier_versions_have_no_trend(site, researcher):
    receive(site, search(1, clicked="a"))
    report = computed(site)
    assert trend(ClickResults(report, researcher)) == {}
    del report.result["days"]
    assert trend(ClickResults(report, researcher)) == {}


def test_a_day_leads_its_owner_to_its_searches_and_a_reader_nowhere(client, world, site, researcher):
    reader = User.objects.create_user("reed", is_researcher=True)
    site.readers.add(reader)
    report = computed(site)
    mine, theirs = (trend(ClickResults(report, user))["searches"]["data"][0]["meta"] for user in (researcher, reader))
    page = f"/sites/{site.pk}/records/?kind=queries&day="
    assert mine["addresses"] == [f"{page}2026-11-20", f"{page}2026-11-21"]
    assert not any(theirs.get("addresses", []))
    client.force_login(researcher)
    html = client.get(reverse("site_clicks", args=[site.pk])).content.decode()
    assert f'<a href="{page.replace("&", "&amp;")}2026-11-20">2026-11-20</a>' in html


def test_a_rank_leads_to_its_row_with_its_interval_as_a_band(client, world, site, researcher):
    results = ClickResults(computed(site), researcher)
    band, line = ranks(results)["data"]
    assert line["meta"]["addresses"] == [f"#rank-{row['rank']}" for row in results.ranks]
    assert band["y"] == [row["high"] for row in results.ranks] + [row["low"] for row in reversed(results.ranks)]
    client.force_login(researcher)
    assert '<tr id="rank-1">' in client.get(reverse("site_clicks", args=[site.pk])).content.decode()
