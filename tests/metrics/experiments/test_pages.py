"""What the page of an A/B test's report says, and when it says that it must not be read."""

from datetime import timedelta

import polars as pl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ireval.experiments import arm_effects, experiment_of
from metrics.kinds.ab.words import amount, as_lift, change
from metrics.models import Report
from tests.metrics.experiments.worlds import click, query, searches, send, started
from tests.visible_words import expect_the_answer_first

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def by_hand(records):
    """The table that `python -m ireval experiment` takes: a row a user."""
    users = {}
    for record in records:
        user = users.setdefault(record["client_id"], {"ctr": set(), "ctr__per": set()})
        if "user_query" in record:
            user["arm"] = record["query_attributes"]["arm"]
            user["ctr__per"].add(record["query_id"])
        else:
            user["ctr"].add(record["query_id"])
    rows = [(name, user["arm"], len(user["ctr"]), len(user["ctr__per"])) for name, user in users.items()]
    return experiment_of(pl.DataFrame(rows, schema=["unit", "arm", "ctr", "ctr__per"], orient="row"))


def test_the_numbers_are_those_of_a_table_made_by_hand(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50, before_days=0)
    records = searches(experiment, {"control": 40, "new": 30}, each=4)
    send(site, records)
    compute(experiment)
    (effect,) = arm_effects(by_hand(records), "control", planned=50)
    page = read(experiment, researcher)
    assert "new is better than control: ctr is higher." in page
    assert f"{amount(effect.mean, 'share')} against {amount(effect.mean_control, 'share')}" in page
    ends = f"{change(effect.low, 'share').removesuffix(' points')} to {change(effect.high, 'share')}"
    assert f"a difference of {change(effect.difference, 'share')} (95 % interval {ends}, p < 0.0001)" in page
    assert f"new against control {change(effect.difference, 'share')} [{ends}]" in page  # beside its figure
    assert f"a lift of {as_lift(effect.relative)} ({as_lift(effect.relative_low)} to {as_lift(effect.relative_high)})" in page
    assert "n = 30 and 40 users" in page
    always = f"{change(effect.always_low, 'share').removesuffix(' points')} to {change(effect.always_high, 'share')}"
    assert always not in page
    assert always in read(experiment, researcher, "?looks=always_valid")


def test_less_of_what_is_bad_is_better(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["abandonment"], planned=50)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    assert "new is better than control: abandonment is lower." in read(experiment, researcher)
    assert "control is worse than new: abandonment is higher." in read(experiment, researcher, "?control=new")


def test_where_nothing_is_found_it_says_what_is_excluded(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 60, "new": 60}, chances={"control": 0.5, "new": 0.5}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "No difference between new and control was found in ctr." in page
    assert "With 95 % confidence it is at most" in page
    assert "larger differences are excluded" in page


def test_a_metric_in_which_nobody_differs_tells_nothing(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["conversion:purchase"], planned=50)
    send(site, searches(experiment, {"control": 20, "new": 20}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "Nothing can be told of new and control by conversion:purchase: units of an arm do not differ." in page


def test_the_list_of_experiments_says_what_each_has_found(client, site, researcher, reader, compute):
    found, early, none = (
        started(site, researcher, name=name, metrics=["ctr"], planned=planned, stopped=stopped)
        for name, planned, stopped in (("found", 50, True), ("early", 500, False), ("none", 500, False))
    )
    for experiment, users in ((found, 60), (early, 60), (none, 0)):
        send(site, searches(experiment, {"control": users, "new": users}))
    compute(found)
    of_one = [queries_of_list(client, user) for user in (researcher, reader)]
    compute(early)
    assert [queries_of_list(client, user) for user in (researcher, reader)] == of_one
    client.force_login(researcher)
    rows = {name: row for row in rows_of(client) for name in ("found", "early", "none") if f">{name}<" in row}
    assert "new is better than control: ctr is higher." in rows["found"]
    assert "Not yet: 120 of 500 users have come." in rows["early"]
    assert [name for name, row in rows.items() if "glance" in row] == ["found"]


def queries_of_list(client, user) -> int:
    client.force_login(user)
    with CaptureQueriesContext(connection) as captured:
        client.get("/experiments/")
    return len(captured)


def rows_of(client) -> list[str]:
    return client.get("/experiments/").content.decode().partition("<tbody>")[2].split("</tr>")[:-1]


@pytest.fixture
def running(site, researcher, compute):
    experiment = started(site, researcher, metrics=["ctr"], planned=500)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    return experiment


def test_before_its_end_it_is_not_read(running, researcher, read):
    page = read(running, researcher)
    assert "Not yet: 120 of 500 users have come." in page
    assert "is not honest" in page
    assert page.index("too early to be read") < page.index("The metric that decides")
    assert "new is better" not in page
    assert "At this pace the planned 500 will have come in 13 more days." in page


def test_always_valid_intervals_may_be_read_at_any_time(running, researcher, read):
    page = read(running, researcher, "?looks=always_valid")
    assert "Not yet" not in page
    assert "new is better than control" in page


def test_early_in_a_test_of_millions_there_is_no_interval_yet(site, researcher, compute, read):
    settings = {"metrics": ["clicks", "ctr"], "segments": ["device"], "planned": 20_000_000, "looks": "always_valid"}
    experiment = started(site, researcher, **settings)
    send(site, searches(experiment, {"control": 10, "new": 10}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "No difference between new and control was found in clicks. Difference +" in page
    assert "(too few users for an interval), n = 10 and 10 users." in page
    assert "[−∞, +∞]" in page


def test_once_the_planned_users_have_come_it_is_read(site, researcher, compute, read):
    experiment = started(site, researcher, metrics=["ctr"], planned=120)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "new is better than control" in page
    assert "stop it and read it once" in page


def test_stopped_early_it_says_so(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=500)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    assert "It was stopped at 120 of 500 users" in read(experiment, researcher)


def test_arms_that_are_not_of_the_size_they_should_be_come_before_everything(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 90, "new": 40}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "new is better" not in page
    parts = ["Do not read on", "control has 90 and should have 65", "Show what it found all the same", "The metric that decides"]
    assert sorted(parts, key=page.index) == parts


def test_weights_say_how_large_arms_should_be(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    experiment.arms.filter(name="control").update(weight=9)
    send(site, searches(experiment, {"control": 90, "new": 10}))
    compute(experiment)
    assert "Do not read on" not in read(experiment, researcher)


def test_users_in_two_arms_come_before_everything(site, researcher, reader, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 60, "new": 60}, first=100))
    send(site, renamed(searches(experiment, {"control": 3}) + searches(experiment, {"new": 3})))
    compute(experiment)
    page = read(experiment, researcher)
    assert "Do not read on" in page
    assert "3 users were in two arms, 2.4 % of all" in page
    text = read(experiment, reader)
    assert "More than 1 % of all users were in two arms" in text
    assert "3 users" not in text  # nor 123 before they were left out


def renamed(records):
    """With ids of their own."""
    return [{**record, "query_id": f"x{place}"} for place, record in enumerate(records) if "user_query" in record]


def test_of_several_arms_each_is_compared_with_the_one_that_is_chosen(site, researcher, compute, read):
    arms = ("old", "new", "newer")
    experiment = started(site, researcher, stopped=True, metrics=["ctr", "searches"], planned=90, arms=arms)
    chances = {"old": 0.3, "new": 0.5, "newer": 0.8}
    send(site, searches(experiment, dict.fromkeys(arms, 50), chances=chances))
    compute(experiment)
    page = read(experiment, researcher)
    assert "new is better than old" in page
    assert "newer is better than old" in page
    assert "97.5 % interval" in page
    assert "corrected for 2 arms" in page
    assert "newer is better than new" in read(experiment, researcher, "?control=new")
    assert "Compared with old new newer" in page


def test_what_users_did_before_adjusts_unless_nobody_wants_that(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=120)
    send(site, searches(experiment, {"control": 60, "new": 60}, before=True, chances={"control": 0.5, "new": 0.5}))
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    assert "(CUPED): its column" in read(experiment, researcher)
    assert "(CUPED): its column" not in read(experiment, researcher, "?adjust=0")
    assert all("Adjusted (CUPED)" in read(experiment, researcher, query) for query in ("", "?adjust=0"))


def test_no_adjustment_is_offered_that_would_change_nothing(experiment, researcher, compute, read):
    assert experiment.before_days
    compute(experiment)
    assert all("Adjusted (CUPED)" not in read(experiment, researcher, query) for query in ("", "?adjust=0"))


def test_new_pseudonyms_on_the_way_count_users_twice(site, researcher, compute, read):
    site.rotate_days = 7
    site.save()
    experiment = started(site, researcher, days=9, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    compute(experiment)
    page = read(experiment, researcher)
    assert "Users got new pseudonyms on" in page
    assert "counts twice" in page


def test_programs_are_left_out_and_both_counts_are_shown(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 30, "new": 30}, each=2))
    send(site, searches(experiment, {"new": 1}, each=130, first=900), agent="Googlebot/2.1")
    compute(experiment)
    page = read(experiment, researcher)
    assert "Bots 1 left out by version 1 of the site’s filter" in page
    assert "Before they were left out 250 searches" in page
    assert "After 120 searches" in page


def test_clicks_and_searches_that_count_for_nothing_are_told(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"control": 30, "new": 30}, each=2))
    moment = experiment.started + timedelta(hours=1)
    send(site, [query(f"n{n}", f"u{n}", moment, {}) for n in range(40)])
    send(site, [click(f"gone{n}", f"u{n}", moment, "d1") for n in range(40)])
    compute(experiment)
    page = read(experiment, researcher)
    assert "25 % of searches in its time name no arm of it, and none should" in page
    assert "of clicks belong to no search that was sent" in page


def test_searches_of_who_is_not_in_it_are_no_reason_to_worry(site, researcher, compute, read):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50, traffic=50)
    send(site, searches(experiment, {"control": 30, "new": 30}, each=1))
    moment = experiment.started + timedelta(hours=1)
    send(site, [query(f"n{n}", f"o{n}", moment, {}) for n in range(60)])
    compute(experiment)
    assert "name no arm" not in read(experiment, researcher)


def test_the_lift_that_matters_may_be_asked_for(running, researcher, read):
    page = read(running, researcher, "?lift=30&looks=always_valid")
    assert "+30 % as you ask" in page


def test_nonsense_in_the_address_is_as_if_it_were_not_there(report, experiment, researcher, read):
    assert read(experiment, researcher) == read(experiment, researcher, "?looks=never&control=nobody&lift=-3&adjust=x")


def test_nobody_was_in_one_arm_alone(site, researcher, compute, read):
    experiment = started(site, researcher, metrics=["ctr"], planned=50)
    send(site, renamed(searches(experiment, {"control": 12}) + searches(experiment, {"new": 12})))
    compute(experiment)
    page = read(experiment, researcher)
    assert "12 users were in two arms, 100 % of all" in page
    assert "shared out among" not in page


def test_wrong_clocks_are_told_while_it_runs(running, researcher, read):
    sentence = "of the last day’s records say a time more than a day from that of their receipt"
    assert sentence in read(running, researcher)


def test_a_draft_has_no_report(site, researcher, read):
    from judging.experiments import drafts

    assert "It has not started" in read(drafts.create(site, by=researcher, name="later", arms=[]), researcher)
    assert not Report.objects.exists()


def test_nobody_came(site, researcher, compute, read):
    experiment = started(site, researcher)
    compute(experiment)
    assert "No search was sent that was made since it began." in read(experiment, researcher)
    send(site, [query("q", "u", experiment.started, {})])
    compute(experiment)
    assert "None of 1 searches since it began names an arm" in read(experiment, researcher)


def test_hostile_names_stay_text(site, researcher, client, compute):
    site.name = "<script>alert(1)</script>"
    site.save()
    experiment = started(site, researcher, stopped=True, metrics=["ctr", "conversion:<img src=x>"], segments=["<b>"], planned=50)
    experiment.hypothesis = "<script>alert(2)</script>"
    experiment.save()
    records = searches(experiment, {"control": 20, "new": 20})
    for record in records:
        record.get("query_attributes", {})["<b>"] = "</script><i>"
    send(site, records)
    compute(experiment)
    client.force_login(researcher)
    page = client.get(f"/experiments/{experiment.pk}/report/").content.decode()
    assert "&lt;/script&gt;&lt;i&gt;" in page
    for bad in ("<script>alert", "<img src=x>", "</script><i>"):
        assert bad not in page


def test_the_page_opens_with_the_answer(client, site, researcher, compute):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=50, before_days=0)
    send(site, searches(experiment, {"control": 40, "new": 30}, each=4))
    compute(experiment)
    client.force_login(researcher)
    expect_the_answer_first(client.get(f"/experiments/{experiment.pk}/report/").content.decode())
