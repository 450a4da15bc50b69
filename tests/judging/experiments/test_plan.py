"""What a site's log says of its users, and how many an experiment needs by it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from ireval.planning import ratio_deviation, users_needed
from judging.experiments import plan
from judging.logs.archive import moves
from judging.logs.intake import receive
from judging.models import Arm, Site

ARMS = [Arm(name="control", is_control=True), Arm(name="new")]


def records(client: str, searches: int, clicked: int, *, day: str = "1"):
    made = []
    for number in range(searches):
        same = {"query_id": f"{client}-{number}-{day}", "client_id": client, "timestamp": "2026-11-20T10:00:00Z"}
        made.append({"user_query": f"owls {number}", **same})
        if number < clicked:
            made += [{"action_name": action, **same} for action in ("click", "impression")] + [
                {"action_name": "click", "message": "again", **same}
            ]
    return made


@pytest.mark.django_db
def test_the_baseline_is_of_searches_and_its_deviation_of_users(site, researcher):
    now = timezone.now()
    other = Site.objects.create(name="Fish shop", slug="fish-shop", owner=researcher)
    assert plan.baseline(site) is None
    for user in range(40):
        receive(site, records(f"c{user}", 1 + user % 4, user % 2), now=now - timedelta(days=user % 5))
    receive(other, records("c1", 300, 300), now=now)
    receive(site, records("old", 300, 300), now=now - timedelta(days=15))
    baseline = plan.baseline(site, now=now)
    n, c = [1 + user % 4 for user in range(40)], [user % 2 for user in range(40)]
    mean_n, mean_c = sum(n) / 40, sum(c) / 40

    def covariance(xs, ys):
        return sum(x * y for x, y in zip(xs, ys, strict=True)) / 40 - sum(xs) * sum(ys) / 1600

    assert (baseline.users, baseline.searches) == (40, sum(n))
    assert baseline.ctr == pytest.approx(20 / sum(n))
    deviation = ratio_deviation(mean_c, mean_n, covariance(c, c), covariance(n, n), covariance(c, n))
    assert baseline.deviation == pytest.approx(deviation)
    assert (baseline.days, baseline.users_a_day) == (pytest.approx(4, abs=0.01), pytest.approx(10, abs=0.1))
    for days in (3, -1):
        assert moves.archive(site, before=now - timedelta(days=days))
        assert plan.baseline(site, now=now) == baseline


@pytest.mark.django_db
def test_the_baseline_counts_what_reports_take_for_a_click(site):
    same = {"client_id": "c1", "timestamp": "2026-11-20T10:00:00Z"}
    receive(site, [{**same, "query_id": f"q{number}", "user_query": "owls"} for number in range(100)])
    actions = enumerate(["click", "click_through", "view"])
    receive(site, [{**same, "query_id": f"q{number}", "action_name": action} for number, action in actions])
    assert plan.baseline(site).ctr == 0.02


@pytest.mark.django_db
def test_of_less_than_a_day_users_a_day_are_known_only_if_that_is_all(site, monkeypatch):
    now = timezone.now()
    receive(site, [record for user in range(60) for record in records(f"c{user}", 2, 1)], now=now - timedelta(hours=2))
    assert plan.baseline(site, now=now).users_a_day == 60
    monkeypatch.setattr(plan, "MOST", 120)
    assert plan.baseline(site, now=now).users_a_day is None


def test_without_a_log_each_user_searches_once():
    estimate = plan.plan(lift=0.1, ctr=0.3, arms=ARMS, users_a_day=1000, traffic=50)
    assert (estimate.users, estimate.days) == (users_needed(0.03, baseline=0.3), 16)
    assert plan.plan(lift=0.1, ctr=0.3, arms=ARMS).days is None


def test_by_the_log_s_own_rate_its_deviation_counts():
    log = plan.Baseline(ctr=0.3, deviation=0.2, users=10, users_a_day=5, searches=20, days=3)
    assert plan.plan(lift=0.1, ctr=0.3, arms=ARMS, log=log).users == users_needed(0.03, deviation=0.2)
    assert plan.plan(lift=0.1, ctr=0.4, arms=ARMS, log=log).users == users_needed(0.04, baseline=0.4)
    lists = plan.plan_interleaving(delta=0.05, ctr=1, arms=ARMS, log=log)
    assert (lists.searches, lists.users) == (783, 392)


def test_small_arms_and_many_arms_need_more():
    arms = [Arm(name="control", is_control=True, weight=8), Arm(name="a", weight=1), Arm(name="b", weight=1)]
    assert plan.shares(arms) == (0.8, 0.1)
    design = {"baseline": 0.3, "shares": (0.8, 0.1), "comparisons": 2}
    assert plan.plan(lift=0.1, ctr=0.3, arms=arms).users == users_needed(0.03, **design)
    assert plan.shares(arms[:1]) == (0.5, 0.5)
