"""The report of an A/B test: from records as a site sends them to sums that the engine tells the truth of."""

import math
from datetime import timedelta

import pytest

from ireval.experiments import arm_means
from judging.logs.intake import receive
from metrics.kinds.ab import evidence
from metrics.kinds.ab import parts as ab
from metrics.kinds.ab.parts import result_of
from metrics.models import Report
from metrics.pipeline import open_parts
from tests.metrics.logs.conftest import START

pytestmark = pytest.mark.django_db


def means(report) -> dict[tuple[str, str], tuple[int, float]]:
    experiment = result_of(report).experiment
    return {(mean.metric, mean.arm): (mean.n, round(mean.mean, 6)) for mean in arm_means(experiment)}


@pytest.fixture
def world(site, visit):
    """Three clients in each arm; `a`s click on the first result, `b`s on the second of every other search."""
    for number in range(3):
        receive(site, visit(f"a{number}", ["d1"], ["d1"], arm="control", bought=10.0 if number == 0 else None))
        receive(site, visit(f"b{number}", ["d2"], [], arm="new", device="desk", hour=number))


def test_the_sums_are_those_of_what_was_done(world, experiment, compute):
    values = means(compute(experiment))
    assert values["ctr", "control"] == (3, 1.0)
    assert values["ctr", "new"] == (3, 0.5)
    assert values["first-click-rr", "control"] == (3, 1.0)
    assert values["first-click-rr", "new"] == (3, 0.5)
    assert values["conversion:purchase", "control"] == (3, round(1 / 3, 6))
    assert values["value:purchase", "control"] == (3, round(10 / 3, 6))


def test_parts_of_units_make_the_same_whole(world, experiment, compute, monkeypatch):
    whole = means(compute(experiment))
    monkeypatch.setattr(evidence, "ROWS_A_PART", 4)
    report = compute(experiment)
    assert report.parts.count() > 4
    assert means(report) == whole


def test_events_that_name_no_client_are_those_of_their_search(world, site, experiment, visit, compute, monkeypatch):
    """Whichever part that is in; and those whose search nobody knows are counted once."""
    search, click = visit("quiet", ["d2"], arm="new", hour=9)
    receive(site, [search, {name: value for name, value in click.items() if name != "client_id"}])
    lost = {name: value for name, value in visit("lost", ["d1"])[1].items() if name != "client_id"}
    receive(site, [lost])
    whole = result_of(compute(experiment))
    monkeypatch.setattr(evidence, "ROWS_A_PART", 3)
    parts = result_of(compute(experiment))
    for result in (whole, parts):
        assert result.experiment.n.tolist() == [3, 4]
        assert result.behaviour.counts.ownerless == 1
        assert result.behaviour.counts.clicks == 10


def test_positions_come_from_what_was_shown_where_events_do_not_say(site, experiment, visit, compute):
    records = visit("a", ["d3"], arm="control") + visit("b", ["d2"], arm="new")
    for record in records:
        record.get("event_attributes", {}).pop("position", None)
    receive(site, records)
    values = means(compute(experiment))
    assert values["first-click-rr", "control"][1] == round(1 / 3, 6)
    assert values["first-click-rr", "new"][1] == 0.5


def test_a_click_on_nothing_named_has_no_position(site, experiment, visit, compute):
    """Although a result without a name was shown."""
    records = visit("a", ["d3"], arm="control") + visit("b", ["d2"], arm="new")
    records[0]["query_response_hit_ids"] = ["d1", "", "d3"]
    del records[1]["event_attributes"]
    receive(site, records)
    values = means(compute(experiment))
    assert math.isnan(values["first-click-rr", "control"][1]) and values["first-click-rr", "new"][1] == 0.5


def test_a_click_without_a_rank_keeps_what_it_was_worth(site, experiment, visit, compute):
    experiment.metrics = ["ctr", "value:click"]
    experiment.save()
    records = visit("a", ["d3"], arm="control") + visit("b", ["d2"], arm="new")
    for worth, (_, click) in zip((4.5, 3.0), (records[:2], records[2:]), strict=True):
        click["event_attributes"] |= {"value": worth}
    del records[1]["event_attributes"]["position"]
    receive(site, records)
    values = means(compute(experiment))
    assert (values["value:click", "control"], values["value:click", "new"]) == ((1, 4.5), (1, 3.0))


def test_positions_may_begin_at_zero(site, experiment, visit, compute):
    site.first_ordinal = 0
    site.save()
    receive(site, visit("a", ["d1"], arm="control") + visit("b", ["d1"], arm="new"))
    assert means(compute(experiment))["first-click-rr", "new"][1] == 0.5


def test_slices_of_a_part_make_the_same_whole(world, experiment, compute, monkeypatch):
    whole = compute(experiment)
    monkeypatch.setattr(ab, "ROWS_A_SLICE", 4)
    sliced = compute(experiment)
    assert sliced.parts.get().result["slices"] > 4
    assert means(sliced) == means(whole)
    assert sliced.result["everybody"] == whole.result["everybody"]
    segments, other = (result_of(report).segments["device"] for report in (sliced, whole))
    assert {value: sums.n.tolist() for value, sums in segments.items()} == {
        value: sums.n.tolist() for value, sums in other.items()
    }


def test_segments_have_experiments_of_their_own(world, site, experiment, visit, compute):
    receive(site, visit("c", ["d1"], arm="new", device="phone"))
    segments = result_of(compute(experiment)).segments["device"]
    assert {value: sums.n.tolist() for value, sums in segments.items()} == {"desk": [0, 3], "phone": [3, 1]}


def test_programs_are_left_out_and_counted(world, site, experiment, visit, compute):
    receive(site, visit("robot", *[["d1"]] * 40, arm="new"), agent="Googlebot/2.1")
    result = result_of(compute(experiment))
    assert (result.bots, result.everybody["units"], result.everybody["searches"]) == (1, 7, 52)
    assert result.experiment.n.tolist() == [3, 3]


def test_who_was_in_both_arms_counts_in_neither(world, site, experiment, visit, compute):
    receive(site, visit("both", ["d1"], arm="new") + visit("both", ["d1"], arm="control", hour=5))
    result = result_of(compute(experiment))
    assert result.behaviour.counts.crossed == 1
    assert result.experiment.n.tolist() == [3, 3]


def test_what_was_done_before_adjusts(site, experiment, visit, compute):
    for number in range(20):
        arm = "new" if number % 2 else "control"
        habit = ["d1"] if number % 5 else []
        receive(site, visit(f"u{number}", habit, habit, arm=None, day=-3) + visit(f"u{number}", habit, arm=arm))
    sums = result_of(compute(experiment)).experiment
    assert {metric.before for metric in sums.metrics} == {"ratio", "mean"}


def test_looks_grow_to_the_whole(world, site, experiment, visit, compute):
    for day in range(1, 9):
        receive(site, visit(f"late{day}", ["d1"], day=day, arm="new"))
    experiment.state, experiment.stopped = "stopped", START + timedelta(days=10)
    experiment.save()
    result = result_of(compute(experiment))
    counts = [look.n.sum() for look in result.looks.values()]
    assert counts == sorted(counts)
    assert counts[0] == 6
    assert counts[-1] == 14 == result.experiment.n.sum()


def test_what_happens_after_the_end_does_not_count(world, site, experiment, visit, compute):
    experiment.state, experiment.stopped = "stopped", START + timedelta(days=1)
    experiment.save()
    receive(site, visit("later", ["d1"], day=2))
    assert result_of(compute(experiment)).experiment.n.sum() == 6


def test_a_part_that_runs_twice_counts_once(world, experiment, compute, monkeypatch):
    from metrics import tasks

    report = compute(experiment)
    before = report.result
    tasks.compute_part(report.pk, "0")
    tasks.begin_report(report.pk)
    report.refresh_from_db()
    assert report.result == before
    assert not open_parts(report.pk).exists()


def test_a_later_report_takes_the_place_of_the_earlier_one(world, site, experiment, visit, compute):
    first = compute(experiment)
    receive(site, visit("c", ["d1"]))
    second = compute(experiment)
    assert [report.pk for report in Report.objects.all()] == [second.pk] != [first.pk]
    assert result_of(second).experiment.n.sum() == 7


def test_a_replayed_log_changes_nothing(world, site, experiment, visit, compute):
    before = means(compute(experiment))
    world_again = [visit(f"a{n}", ["d1"], ["d1"], arm="control", bought=10.0 if n == 0 else None) for n in range(3)]
    for records in world_again:
        assert set(receive(site, list(reversed(records))).statuses) == {"duplicate"}
    assert means(compute(experiment)) == before


def test_users_may_be_the_unit(site, experiment, visit, compute):
    experiment.unit = "user"
    experiment.save()
    records = [record | {"user_id": "u1"} for client in ("phone", "laptop") for record in visit(client, ["d1"])]
    receive(site, records)
    assert result_of(compute(experiment)).experiment.n.tolist() == [0, 1]
