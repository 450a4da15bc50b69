"""What the page of an interleaving's report says."""

import json

import pytest

from ireval.interleaving import Credits, compare_interleaved
from ireval.planning import Target
from metrics.kinds.interleaving.results import InterleavingResults
from tests.metrics.experiments.worlds import impressions, send, started
from tests.visible_words import expect_the_answer_first

pytestmark = pytest.mark.django_db

TEXTS = ("owls", "swallows", "ducks", "geese", "tits", "larks")


@pytest.fixture
def finished(site, researcher, compute):
    def finished(users=60, **how):
        settings = {"stopped": True, "planned": 50} | how.pop("settings", {})
        experiment = started(site, researcher, kind="interleaving", **settings)
        records = impressions(experiment, users, texts=TEXTS, **how)
        send(site, records)
        return compute(experiment), records

    return finished


def by_hand(records):
    """User, query and what each arm is credited with, a row a list."""
    lists = {record["query_id"]: record for record in records if "user_query" in record}
    credit = {name: [0.0, 0.0] for name in lists}
    for record in records:
        if "action_name" in record:
            shown = lists[record["query_id"]]
            place = shown["query_response_hit_ids"].index(record["event_attributes"]["object"]["object_id"])
            shares = shown["query_attributes"]["interleaving"]["shares"][place]
            credit[record["query_id"]] = [old + new for old, new in zip(credit[record["query_id"]], shares, strict=True)]
    users, queries = ([record[key] for record in lists.values()] for key in ("client_id", "user_query"))
    return users, queries, *zip(*credit.values(), strict=True)


def test_the_numbers_are_those_of_a_table_made_by_hand(finished, researcher, read):
    report, records = finished()
    users, queries, control, new = by_hand(records)
    comparison = compare_interleaved(Credits(users, queries, {"new": new, "control": control}), planned=50)
    page = read(report.experiment, researcher)
    assert "Users prefer new to control." in page
    ends = f"{comparison.delta_low:+.3f} to {comparison.delta_high:+.3f}"
    assert f"Δ = {comparison.delta:+.3f} (95 % interval {ends}, p" in page
    assert f"{comparison.wins} won, {comparison.ties} tied, {comparison.losses} lost of {comparison.n} impressions" in page
    always = f"{comparison.always_low:+.3f} to {comparison.always_high:+.3f}"
    assert always in read(report.experiment, researcher, "?looks=always_valid")


def test_the_other_way_round_it_is_the_same(finished, researcher, read):
    report, _ = finished(prefers=0.2)
    assert "Users prefer control to new." in read(report.experiment, researcher)
    assert "Users prefer control to new." in read(report.experiment, researcher, "?control=new")


def test_no_preference_says_what_is_excluded(finished, researcher, read):
    report, _ = finished(prefers=0.5)
    page = read(report.experiment, researcher)
    assert "No preference between new and control was found." in page
    assert "With 95 % confidence new gets between" in page
    assert "stronger preferences are excluded" in page


def test_it_says_how_many_impressions_tell_a_preference_that_matters(finished, researcher, read):
    report, records = finished()
    users, queries, control, new = by_hand(records)
    comparison = compare_interleaved(Credits(users, queries, {"new": new, "control": control}), planned=50)
    needed = Target(0.02, "Δ of interleaving").needed(comparison.score.error, comparison.n)
    target = "to tell a difference of 0.02 in Δ of interleaving with power .8, α = .05."
    assert f"It takes about {needed:,} impressions {target}" in read(report.experiment, researcher)


def test_before_its_end_it_is_not_read(finished, researcher, read):
    report, _ = finished(settings={"stopped": False, "planned": 500})
    page = read(report.experiment, researcher)
    assert "of 500 users have come and clicked" in page
    assert "Users prefer" not in page
    assert page.index("too early to be read") < page.index("Query by query")  # who wins many is who wins
    assert "Users prefer new to control." in read(report.experiment, researcher, "?looks=always_valid")


def test_few_queries_are_a_reason_to_be_careful(finished, researcher, read):
    report, _ = finished()
    assert "after 6 different queries" in read(report.experiment, researcher)


def test_of_many_arms_one_leads_and_ranks_have_ranges(finished, researcher, read):
    arms = ("control", "new", "old")
    report, _ = finished(100, arms=arms, prefers=0.6, settings={"arms": arms})
    page = read(report.experiment, researcher)
    assert "leads the 3 arms" in page or "lead the 3 arms" in page
    assert "corrected for 3 pairs (Holm)" in page
    standings = InterleavingResults(report, researcher, {}).standings
    assert {standing.arm for standing in standings} == set(arms)
    assert all(standing.low <= standing.rank <= standing.high for standing in standings)


def test_nobody_clicked(site, researcher, compute, read):
    experiment = started(site, researcher, kind="interleaving")
    compute(experiment)
    assert "No interleaved list was shown since it began." in read(experiment, researcher)
    send(site, [record for record in impressions(experiment, 20) if "user_query" in record])
    compute(experiment)
    assert "60 interleaved lists were shown, and no click gave an arm any credit." in read(experiment, researcher)


def test_files(finished, rita, researcher):
    report, _ = finished()
    address = f"/experiments/{report.experiment_id}/report/"
    content = json.loads(rita.get(address + "report.json").content)
    assert (content["pairs"][0]["first"], content["pairs"][0]["second"]) == ("new", "control")
    assert len(content["queries"]) == len(TEXTS)
    rows = rita.get(address + "pairs.csv").content.decode().splitlines()
    assert rows[1].startswith("new,control,impression,")
    assert len(rita.get(address + "queries.csv").content.decode().splitlines()) == 1 + len(TEXTS)
    assert rita.get(address + "looks.csv").content.startswith(b"until,first,second,")
    assert rita.get(address + "effects.csv").status_code == 404


def test_the_page_opens_with_the_answer(finished, researcher, client):
    report, _ = finished()
    client.force_login(researcher)
    expect_the_answer_first(client.get(f"/experiments/{report.experiment.pk}/report/").content.decode())
