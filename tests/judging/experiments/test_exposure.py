"""Counts of an experiment's arms: its own time, its own units, no more than is bounded."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.experiments import exposure, lifecycle
from judging.experiments.exposure import ArmCount, counts
from judging.experiments.interleaving import merge
from judging.logs.archive import moves
from judging.logs.intake import receive
from tests.judging.logs.sent import query

pytestmark = pytest.mark.django_db


@pytest.fixture
def search(site):
    def search(number, arm, *, now=None, **other):
        attributes = {"experiments": {"new-ranking": arm}} if arm else {}
        receive(site, [query(number, query_attributes=attributes, **other)], now=now)

    return search


def test_units_and_searches_of_each_arm(site, draft, search, researcher):
    made = draft(arms=("control", "new", "newer"))
    search(0, "new", now=timezone.now() - timedelta(days=1))
    lifecycle.start(made, by=researcher)
    for number, (arm, client) in enumerate(
        [("new", "a"), ("new", "a"), ("new", "b"), ("control", "c"), ("odd", "d"), (None, "e")], 1
    ):
        search(number, arm, client_id=client)
    tally = counts(made, user=researcher)
    assert tally.arms == [ArmCount("control", 1, 1), ArmCount("new", 2, 3), ArmCount("newer", 0, 0), ArmCount("odd", 1, 1)]
    assert (tally.looked_through, tally.every) == (6, True)
    lifecycle.stop(made, by=researcher)
    search(99, "new", now=timezone.now() + timedelta(seconds=1))
    made.refresh_from_db()
    assert counts(made, user=researcher).arms == tally.arms
    assert moves.archive(site, before=timezone.now() + timedelta(days=1)) == 8
    assert counts(made, user=researcher).arms == tally.arms


@pytest.mark.parametrize(
    ("users", "arms", "looked_through"),
    [
        ({"control": 11, "new": 10}, [("control", 11), ("new", 10)], 21),
        ({"control": 11, "new": 10, None: 10}, [("control", 11), ("new", 10)], 31),
        ({"control": 11, "new": 10, "odd": 10}, [("control", 11), ("new", 10), ("odd", 10)], 31),
        ({"control": 11, "new": 2}, [("control", 11), ("new", None)], None),
        ({"control": 11}, [("control", 11), ("new", None)], None),
        ({"control": 11, "new": 10, None: 1}, [("control", 11), ("new", 10)], None),
        ({"control": 11, "new": 10, "odd": 1}, [("control", 11), ("new", 10)], None),
    ],
)
def test_readers_learn_of_no_few_users_by_the_total_or_by_an_arm_s_name(
    site, draft, researcher, stranger, users, arms, looked_through
):
    made = draft()
    lifecycle.start(made, by=researcher)
    site.readers.add(stranger)
    searchers = [(arm, f"{arm} {number}") for arm, many in users.items() for number in range(many)]
    named = [{"experiments": {made.name: arm}} if arm else {} for arm, _ in searchers]
    receive(site, [query(n, client_id=searchers[n][1], query_attributes=attributes) for n, attributes in enumerate(named)])
    tally = counts(made, user=stranger)
    assert [(count.arm, count.units) for count in tally.arms] == arms
    assert tally.looked_through == looked_through
    assert counts(made, user=researcher).looked_through == len(searchers)


def test_users_where_users_are_assigned(draft, search, researcher):
    made = draft(unit="user")
    lifecycle.start(made, by=researcher)
    search(1, "new", client_id="a", user_id="u1")
    search(2, "new", client_id="b", user_id="u1")
    assert counts(made, user=researcher).arms[1] == ArmCount("new", 1, 2)


def test_of_interleaving_what_was_merged(draft, site, researcher):
    made = draft(kind="interleaving")
    lifecycle.start(made, by=researcher)
    for client in "aab":
        merge(site, made.name, {"control": ["x"], "new": ["y"]}, user_query="q", client_id=client)
    assert counts(made, user=researcher).arms == [ArmCount("interleaved", 2, 3)]


def test_no_more_than_the_newest_are_looked_through(draft, search, researcher, monkeypatch):
    monkeypatch.setattr(exposure, "MOST", 2)
    made = draft()
    lifecycle.start(made, by=researcher)
    for number in range(3):
        search(number, "new")
    tally = counts(made, user=researcher)
    assert (tally.looked_through, tally.every) == (2, False)


def test_a_draft_has_none(draft, researcher):
    assert counts(draft(), user=researcher).looked_through == 0
