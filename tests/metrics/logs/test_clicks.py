"""The report of a site's clicks: from records as a site sends them to rates, models and documents query by query."""

from datetime import timedelta

import polars as pl
import pytest

from judging.logs.intake import receive
from metrics import pipeline, tasks
from metrics.kinds.clicks import evidence
from metrics.kinds.clicks.freshness import request_again, request_click_report, staleness
from metrics.kinds.clicks.results import ClickResults, rows_of
from metrics.models import Report
from tests.metrics.logs.clicked_log import NOON, computed, search

pytestmark = pytest.mark.django_db


def documents(report) -> pl.DataFrame:
    return rows_of(report.tables.all()).sort("query", "document")


@pytest.fixture
def world(site):
    """Twelve users: all find owls, and click on b; one in three also looks for swifts, and clicks on nothing."""
    for number in range(12):
        receive(site, search(number, clicked="b" if number % 2 else "b c"))
    for number in range(4):
        receive(site, search(100 + number, "Swifts", "d a", who=f"c{number}", minute=20))


def test_what_was_shown_and_clicked_is_counted(world, site):
    report = computed(site)
    result = report.result
    assert (result["impressions"], result["users"], result["clicks"], result["queries"]) == (16, 12, 18, 2)
    assert ctr_of(result) == [(16, 0), (16, 12), (12, 6)]
    rates = {rate["name"]: rate["value"] for rate in result["rates"]}
    assert rates["abandonment"] == 4 / 16
    assert rates["first-click-rr"] == 0.5
    assert result["median_seconds"] == 1.0
    shown = ClickResults(report, site.owner).rates
    assert [name for name, rate in shown.items() if rate["is_share"]] == ["ctr@10", "abandonment"]


def ctr_of(result) -> list[tuple[int, int]]:
    return [(rank["shown"], rank["clicked"]) for rank in result["ranks"]]


def test_queries_are_the_same_however_they_are_typed(site):
    for number, text in enumerate(["Diet of OWLS", " diet  of owls ", "diet of\towls"]):
        receive(site, search(number, text, clicked="a"))
    (query,) = computed(site).result["by_query"]
    assert (query["query"], query["impressions"], query["clicked"]) == ("diet of owls", 3, 3)


def test_documents_are_kept_query_by_query(world, site):
    frame = documents(computed(site)).filter(pl.col("query") == "diet of owls")
    assert frame.select("document", "shown", "users", "clicked", "rank").rows() == [
        ("a", 12, 12, 0, 1.0), ("b", 12, 12, 12, 2.0), ("c", 12, 12, 6, 3.0),
    ]  # fmt: skip
    assert frame["position-based"].arg_max() == 1
    assert (frame["shrunk"] > frame["shrunk low"]).all()


def test_parts_make_the_same_whole(world, site, monkeypatch):
    whole = computed(site)
    alone = documents(whole)
    monkeypatch.setattr(evidence, "RESULTS_A_PART", 5)
    split = computed(site)
    assert split.parts.count() > 4
    assert without_lots(split.result) == without_lots(whole.result)
    assert documents(split).equals(alone)


def without_lots(result):
    """Without what depends on which sessions were drawn to be held out: these are drawn by their order."""
    return {name: value for name, value in result.items() if name not in {"held_out", "held_out_impressions"}}


def test_computed_anew_it_says_the_same(world, site):
    report = computed(site)
    before = report.result
    pipeline.compute_anew(report)
    tasks.begin_report(report.pk)
    for part in report.parts.values_list("name", flat=True):
        tasks.compute_part(report.pk, part)
    assert without_lots(Report.objects.get(pk=report.pk).result) == without_lots(before)


def test_clicks_count_for_the_search_whoever_they_name(site, monkeypatch):
    monkeypatch.setattr(evidence, "RESULTS_A_PART", 5)
    for number in range(20):
        (query, click) = search(number, clicked="c")
        receive(site, [query | {"user_id": f"u{number}"}, click | {"client_id": f"browser-{number}"}])
    report = computed(site)
    assert report.parts.count() > 4
    assert ctr_of(report.result) == [(20, 0), (20, 0), (20, 20)]


def test_searches_of_nobody_count_and_are_one_user(site):
    for number in range(15):
        records = search(number, clicked="a")
        for record in records:
            del record["client_id"]
        receive(site, records)
    result = computed(site).result
    assert (result["impressions"], result["users"]) == (15, 1)


def test_impression_events_tell_what_was_shown_where_a_search_does_not(site):
    (query, click) = search(1, clicked="b")
    del query["query_response_hit_ids"]
    about = {name: query[name] for name in ("query_id", "client_id", "timestamp")}
    seen = [
        {
            **about,
            "action_name": "impression",
            "event_attributes": {"object": {"object_id": thing}, "position": {"ordinal": place}},
        }
        for thing, place in (("b", 1), ("a", 0))
    ]
    receive(site, [query, click, *seen])
    assert ctr_of(computed(site).result) == [(1, 0), (1, 1)]


def test_clicks_on_what_was_not_shown_are_elsewhere_and_no_abandonment(site):
    receive(site, search(1, clicked="z") + search(2))
    result = computed(site).result
    assert (result["elsewhere"], result["clicks"]) == (1, 1)
    assert {rate["name"]: rate["value"] for rate in result["rates"]}["abandonment"] == 0.5


def test_programs_are_left_out_and_both_counts_are_told(world, site):
    for number in range(200, 240):
        receive(site, search(number, clicked="a", who="robot"), agent="Googlebot/2.1")
    result = computed(site).result
    assert (result["counts"]["searches"], result["counts"]["kept"], result["counts"]["programs"]) == (56, 16, 1)
    assert result["impressions"] == 16


def test_a_hurried_client_is_a_program(world, site):
    for number in range(400):
        receive(site, [record | {"timestamp": NOON.isoformat()} for record in search(1000 + number, who="hurried")])
    assert computed(site).result["counts"]["programs"] == 1


def test_only_the_window_counts(world, site):
    assert computed(site, until=NOON + timedelta(minutes=19)).result["queries"] == 1
    assert computed(site, since=NOON + timedelta(minutes=19)).result["impressions"] == 4
    site.keep_days = 1
    assert request_click_report(site, days=400).spec["days"] == 1


def test_a_log_of_nothing_shown_is_no_error(site):
    query = search(1)[0]
    del query["query_response_hit_ids"]
    receive(site, [query])
    report = computed(site)
    assert report.result["impressions"] == 0
    assert report.result["counts"]["silent"] == 1


def test_a_large_log_is_drawn_from_by_whole_users(site, monkeypatch):
    for number in range(64):
        receive(site, search(number, clicked="a", who=f"u{number // 2}"))
    monkeypatch.setattr(evidence, "RESULTS_A_PART", 24)
    monkeypatch.setattr(evidence, "MOST_RESULTS", 96)
    report = computed(site)
    assert (report.spec["asked"], report.spec["of"], report.parts.count()) == (64, 8, 4)
    result = report.result
    assert 0 < result["impressions"] < 64
    assert result["impressions"] == 2 * result["users"]


def test_results_far_down_are_not_read(site):
    receive(site, search(1, shown=" ".join(f"d{n}" for n in range(80)), clicked="d2 d70"))
    result = computed(site).result
    assert (len(result["ranks"]), result["clicks"], result["elsewhere"], result["counts"]["deep"]) == (50, 2, 1, 1)


def test_rare_queries_are_hidden_from_readers_and_those_that_would_tell(site):
    """Nobody may take what is hidden from the total: at least two queries of ten users together are."""
    for number in range(30):
        receive(site, search(number, "owls"))
    for number in range(12):
        receive(site, search(100 + number, "swifts", who=f"c{number}"))
    receive(site, search(200, "my neighbour", who="c0"))
    hidden = {row["query"]: row["hidden"] for row in computed(site).result["by_query"]}
    assert hidden == {"owls": False, "swifts": True, "my neighbour": True}


def test_the_next_report_is_of_the_same_time_and_takes_the_place_of_the_last(world, site):
    first = computed(site, days=7)
    assert not staleness(first).records
    receive(site, search(300))
    assert staleness(first).records == 1
    again = request_again(site)
    assert again.spec["days"] == 7
    assert request_again(site) == again
    assert Report.objects.count() == 2


def test_hostile_texts_are_texts(site):
    texts = ["'; DROP TABLE judging_query; --", "<script>alert(1)</script>", "\u202e\ud7ff \U0001f989", "%s %(x)s {}", "\\u0041"]
    for number, text in enumerate(texts):
        receive(site, search(number, text, shown="a'b c\"d e%s", clicked="a'b"))
    report = computed(site)
    assert {row["query"] for row in report.result["by_query"]} == {" ".join(text.lower().split()) for text in texts}
    assert set(documents(report)["document"]) == {"a'b", 'c"d', "e%s"}
