"""Simulated experiments with skewed users: 95 % intervals hold the true effects as often as they say.

`python -m benchmarks.coverage users` has more sizes and 2,000 repetitions; docs/explanation/statistics.md its table.
"""

from dataclasses import replace

from benchmarks.coverage import users

REPETITIONS = 500
# 3.3 standard deviations of a binomial, which chance leaves once in a thousand.
SLACK = 3.3 * (0.95 * 0.05 / REPETITIONS) ** 0.5


def test_intervals_of_effects_hold_them():
    for row in users.of_effects(200, REPETITIONS):
        assert abs(row.held - 0.95) < SLACK, row


def test_intervals_of_shares_hold_their_difference():
    assert abs(users.of_shares(200, 0.3, 0.35, REPETITIONS).held - 0.95) < SLACK


def test_intervals_of_interleaving_hold_its_delta_where_users_and_queries_differ():
    assert abs(users.of_interleaving(50, 50, tastes=1.0, repetitions=REPETITIONS).held - 0.95) < SLACK


def test_clicks_of_a_user_are_alike_so_that_plain_shares_would_be_too_sure(monkeypatch):
    """Impressions as if each were by a user of its own."""
    compare, every = users.compare_interleaved, lambda credits: range(len(credits.user))
    monkeypatch.setattr(
        users, "compare_interleaved", lambda credits: compare(replace(credits, user=every(credits), query=every(credits)))
    )
    assert users.of_interleaving(50, 50, tastes=2.0, repetitions=REPETITIONS).held < 0.95 - SLACK


def test_always_valid_intervals_hold_at_all_looks():
    assert users.of_looks(100).held > 0.95 - 3.3 * (0.95 * 0.05 / 100) ** 0.5
