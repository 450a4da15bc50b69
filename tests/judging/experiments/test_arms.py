"""Who is in which arm: the same answer each time, by weight, by share of the traffic, and in one of a group at most."""

from collections import Counter

import pytest

from ireval.experiments import assign, sample_ratio
from judging.experiments import arms, lifecycle
from judging.experiments.arms import arms_of

pytestmark = pytest.mark.django_db
CLIENTS = [f"c{number}" for number in range(4000)]


@pytest.fixture
def begin(draft, researcher):
    def begin(**settings):
        made = draft(**settings)
        made.salt = f"of {made.name}"  # the lots of a test are always the same
        made.save()
        if made.group:
            made.group.salt = "of a group"
            made.group.save()
        lifecycle.start(made, by=researcher)
        return made

    return begin


def arms_at(site, name="new-ranking"):
    return [arms_of(site, {"client": client}).get(name) for client in CLIENTS]


def test_the_same_client_is_always_in_the_same_arm_and_arms_get_their_weights(begin, site):
    begin(arms=("control", "new", "newer"), weights=[2, 1, 1])
    draws = arms_at(site)
    assert draws == arms_at(site)
    counts = Counter(draws)
    assert not sample_ratio([counts[arm] for arm in ("control", "new", "newer")], [2, 1, 1]).mismatch
    assert set(counts) == {"control", "new", "newer"}


def test_the_engine_alone_says_the_same(begin, site):
    made = begin(weights=[1, 3])
    names, weights = zip(*made.arms.values_list("name", "weight"), strict=True)
    assert arms_at(site) == [names[assign(client, made.salt, weights)] for client in CLIENTS]


def test_two_experiments_are_independent(begin, site):
    begin()
    begin(name="colours")
    both = Counter(zip(arms_at(site), arms_at(site, "colours"), strict=True))
    assert not sample_ratio(list(both.values())).mismatch
    assert len(both) == 4


def test_the_share_of_the_traffic_says_nothing_of_arms(begin, site):
    begin(traffic=20, weights=[1, 1])
    counts = Counter(arms_at(site))
    assert not sample_ratio([counts[None], len(CLIENTS) - counts[None]], [80, 20]).mismatch
    assert not sample_ratio([counts["control"], counts["new"]]).mismatch


def test_nobody_is_in_two_of_a_group(begin, site):
    begin(name="a", group="rankings", traffic=30)
    begin(name="b", group="rankings", traffic=50)
    begin(name="c")
    memberships = [frozenset(arms_of(site, {"client": client})) - {"c"} for client in CLIENTS]
    assert max(map(len, memberships)) == 1
    counts = Counter(memberships)
    shares = [counts[frozenset(names)] for names in ("a", "b", "")]
    assert not sample_ratio(shares, [30, 50, 20]).mismatch
    assert all("c" in arms_of(site, {"client": client}) for client in CLIENTS)


def test_users_and_clients_are_told_apart(begin, site):
    begin(name="signed-in", unit="user")
    begin(name="browsers")
    assert set(arms_of(site, {"client": "c1"})) == {"browsers"}
    assert set(arms_of(site, {"client": "c1", "user": "u1"})) == {"browsers", "signed-in"}
    assert set(arms_of(site, {"user": "u1", "client": None})) == {"signed-in"}


def test_only_what_runs_is_assigned_and_interleaving_is_not(begin, draft, site, researcher):
    draft(name="draft")
    begin(name="lists", kind="interleaving")
    made = begin()
    assert set(arms_of(site, {"client": "c1"})) == {"new-ranking"}
    lifecycle.stop(made, by=researcher)
    assert arms_of(site, {"client": "c1"}) == {}


def test_what_runs_is_remembered_for_some_seconds(begin, site, django_assert_num_queries, monkeypatch):
    begin()
    arms_of(site, {"client": "c1"})
    with django_assert_num_queries(0):
        assert arms_of(site, {"client": "c2"})
    later = arms.time.monotonic() + arms.SECONDS + 1
    monkeypatch.setattr(arms.time, "monotonic", lambda: later)
    with django_assert_num_queries(3):
        assert arms_of(site, {"client": "c2"})
