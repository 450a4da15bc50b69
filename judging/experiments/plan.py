"""The plan of an experiment: how many users and days it needs, by what the site's own log says of its users."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from ireval.planning import days_needed, impressions_needed, ratio_deviation, users_needed
from judging.logs.archive.selections import CLICKED, EVER, Rows, Selection, ask
from judging.logs.moments import moment_of
from judging.models import Arm, Site

DAYS = 14
# So many searches are looked through, and what was clicked in their time.
MOST = 50_000
FEWEST = 100  # searches that say something


class Baseline(NamedTuple):
    """What a site's users did of late, in so many `searches` and `days`. `ctr` is the share of searches with a click,
    `deviation` its standard deviation between users. `users_a_day` is None where the searches came in less than a day."""

    ctr: float
    deviation: float
    users: int
    users_a_day: float | None
    searches: int
    days: float

    @property
    def searches_a_user(self) -> float:
        return self.searches / self.users


LATEST = "FROM (SELECT * FROM queries ORDER BY received DESC LIMIT $1)"
STATEMENT = f"""
WITH latest AS (SELECT query, client, received {LATEST}),
clicked AS (SELECT DISTINCT query FROM events),
users AS (
    SELECT client, CAST(count(*) AS DOUBLE) AS n, CAST(count(clicked.query) AS DOUBLE) AS c, min(received) AS first
    FROM latest LEFT JOIN clicked ON clicked.query = latest.query GROUP BY client
)
SELECT count(*), sum(n), sum(c), sum(n * n), sum(c * c), sum(n * c), min(first) FROM users"""  # noqa: S608  texts of ours


def baseline(site: Site, *, now: datetime | None = None) -> Baseline | None:
    """The baseline from the newest searches of the last days; None where there are too few to say anything."""
    now = now or timezone.now()
    queries = Rows("client IS NOT NULL AND query IS NOT NULL", newest=MOST)
    lately = Selection(site.pk, now - timedelta(days=DAYS), EVER[1], *EVER)
    begun = ask(lately, f"SELECT min(received) {LATEST}", [MOST], queries=queries).item()
    if begun is None:
        return None
    since = lately._replace(first=moment_of(begun))
    users, n, c, nn, cc, nc, first = ask(since, STATEMENT, [MOST], queries=queries, events=Rows(CLICKED)).row(0)
    if n < FEWEST:
        return None
    days = (now - moment_of(first)).total_seconds() / 86_400
    whole = n < MOST
    return Baseline(
        ctr=c / n,
        deviation=ratio_deviation(
            c / users, n / users, cc / users - (c / users) ** 2, nn / users - (n / users) ** 2, nc / users - c * n / users**2
        ),
        users=users,
        users_a_day=users / max(days, 1.0) if whole or days >= 1 else None,
        searches=int(n),
        days=days,
    )


class ExperimentPlan(NamedTuple):
    """What it takes to find it: `users` in all arms, `searches` of theirs where it is those that are counted, `days` if known."""

    users: int
    days: int | None
    searches: int | None = None


def plan(
    *,
    lift: float,
    ctr: float,
    arms: Sequence[Arm],
    log: Baseline | None = None,
    users_a_day: float | None = None,
    traffic: int = 100,
    alpha: float = 0.05,
) -> ExperimentPlan:
    """Plan for a relative lift of the control's click-through rate. The log's deviation between users counts where its rate is
    meant, else each user searches once. Raises ValueError for impossible numbers."""
    from_log = log is not None and math.isclose(ctr, log.ctr, abs_tol=0.0005) and log.deviation > 0
    users = users_needed(
        ctr * lift,
        deviation=log.deviation if log is not None and from_log else None,
        baseline=None if from_log else ctr,
        shares=shares(arms),
        alpha=alpha,
        comparisons=max(1, len(arms) - 1),
    )
    return ExperimentPlan(users, days_of(users, users_a_day, traffic))


def plan_interleaving(
    *,
    delta: float,
    ctr: float,
    arms: Sequence[Arm],
    log: Baseline | None = None,
    users_a_day: float | None = None,
    traffic: int = 100,
    alpha: float = 0.05,
) -> ExperimentPlan:
    """Plan for a Δ, half the difference between the shares of wins and of losses. Searches without a click say nothing; each
    of the others counts."""
    pairs = max(1, len(arms) * (len(arms) - 1) // 2)
    searches = impressions_needed(delta, without_credit=1 - ctr, alpha=alpha, comparisons=pairs)
    users = math.ceil(searches / (log.searches_a_user if log else 1))
    return ExperimentPlan(users, days_of(users, users_a_day, traffic), searches)


def shares(arms: Sequence[Arm]) -> tuple[float, float]:
    """The shares of the control and of the smallest other arm; halves while there are not two arms."""
    if len(arms) < 2:
        return 0.5, 0.5
    control = next((arm for arm in arms if arm.is_control), arms[0])
    total = sum(arm.weight for arm in arms)
    return control.weight / total, min(arm.weight for arm in arms if arm is not control) / total


def days_of(users: int, users_a_day: float | None, traffic: int) -> int | None:
    return days_needed(users, users_a_day * traffic / 100) if users_a_day else None
