"""Readers of a site see no arm, segment, day, look or query of fewer than ten users; its owner sees all."""

import json
from itertools import pairwise

import pytest

from metrics.kinds.ab.results import ABResults
from metrics.kinds.interleaving.results import InterleavingResults
from tests.metrics.experiments.worlds import impressions, searches, send, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished(site, researcher, compute):
    def finished(users, arms=("control", "new"), **settings):
        experiment = started(
            site, researcher, arms=arms, stopped=True, metrics=["ctr"], segments=["device"], planned=10, **settings
        )
        send(site, searches(experiment, users, chances=dict.fromkeys(arms, 0.5)))
        return compute(experiment)

    return finished


def test_an_arm_of_few_is_left_out(finished, researcher, reader, read):
    report = finished({"control": 40, "new": 40, "rare": 5}, arms=("control", "new", "rare"))
    assert "rare" in read(report.experiment, researcher)
    assert "rare" not in read(report.experiment, reader)
    results = ABResults(report, reader, {})
    assert results.n == 80
    assert [line.effect.arm for line in results.deciding] == ["new"]


def test_without_two_arms_there_is_nothing_to_see(finished, researcher, reader, read, client):
    report = finished({"control": 40, "new": 9})
    assert "Too few users to show" in read(report.experiment, reader)
    assert "Too few users to show" not in read(report.experiment, researcher)
    client.force_login(reader)
    content = json.loads(client.get(f"/experiments/{report.experiment_id}/report/report.json").content)
    assert content["too_few_users"]
    assert set(content) & {"n", "metrics", "deciding", "days"} == set()
    for kind in ("effects.csv", "segments.csv", "looks.csv", "days.csv"):
        assert client.get(f"/experiments/{report.experiment_id}/report/{kind}").content == b"\n"


def test_a_segment_of_few_is_hidden_with_what_would_tell_it(finished, researcher, reader):
    report = finished({"control": 30, "new": 14})  # seven of the new arm have a phone
    mine, theirs = (ABResults(report, user, {}).segments["device"] for user in (researcher, reader))
    assert [list(segment.users.values()) for segment in mine] == [[15, 7], [15, 7]]
    assert [list(segment.users.values()) for segment in theirs] == [[None, None], [None, None]]
    assert all(segment.lines["new"] is None for segment in theirs)
    assert all(segment.lines["new"] is not None for segment in mine)


def test_who_has_no_segment_is_not_told_by_what_is_left(site, researcher, reader, compute):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], segments=["device"], planned=10)
    nameless = searches(experiment, {"control": 3, "new": 3}, first=500)
    for record in nameless:
        record.get("query_attributes", {}).pop("device", None)
    send(site, searches(experiment, {"control": 60, "new": 60}) + nameless)
    report = compute(experiment)
    assert any(None in segment.users.values() for segment in ABResults(report, reader, {}).segments["device"])
    assert not any(None in segment.users.values() for segment in ABResults(report, researcher, {}).segments["device"])


def test_days_and_looks_of_few_are_hidden(finished, researcher, reader):
    report = finished({"control": 40, "new": 40}, days=8.0)
    mine, theirs = ABResults(report, researcher, {}), ABResults(report, reader, {})
    few = {(day.day, place) for day in mine.days for place, new in enumerate(day.new) if 0 < new < 10}
    shown = {(day.day, place) for day in theirs.days for place, new in enumerate(day.new) if new is not None}
    assert few
    assert not few & shown
    assert 0 < len(theirs.looks) < len(mine.looks)
    users = [0, *(look.n for look in theirs.looks)]
    assert all(later - earlier >= 20 for earlier, later in pairwise(users))


def test_queries_of_few_stand_together(site, researcher, reader, compute, read):
    experiment = started(site, researcher, stopped=True, kind="interleaving", planned=10)
    send(site, impressions(experiment, 40, texts=("owls", "ducks")))
    moment = impressions(experiment, 3, texts=("my name",), seed=9)
    send(site, [{**record, "query_id": f"x{record['query_id']}"} for record in moment])
    report = compute(experiment)
    assert "my name" in read(experiment, researcher)
    page = read(experiment, reader)
    assert "my name" not in page
    assert "others, of few users each" in page
    mine, theirs = InterleavingResults(report, researcher, {}).queries, InterleavingResults(report, reader, {}).queries
    assert sum(query.impressions for query in mine) == sum(query.impressions for query in theirs)
    assert theirs[-1].users is None
    assert theirs[-1].impressions > 9  # with another query, or the rest would be what three users did


def test_interleaving_of_few_users_is_not_shown(site, researcher, reader, compute, read):
    experiment = started(site, researcher, stopped=True, kind="interleaving", planned=10)
    send(site, impressions(experiment, 9, texts=("owls", "ducks")))
    compute(experiment)
    assert "Too few users to show" in read(experiment, reader)
    assert "Too few users to show" not in read(experiment, researcher)
