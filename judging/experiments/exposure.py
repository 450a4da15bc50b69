"""Exposure: how many units and searches each arm of an experiment has had among the newest searches."""

from typing import Any, NamedTuple

from django.utils import timezone

from judging.experiments.drafts import INTERLEAVED
from judging.logs.archive.selections import EVER, Rows, Selection, ask
from judging.logs.privacy import shown
from judging.models import Experiment, User

# So many searches of a site are looked through: a fraction of a second.
MOST = 100_000
UNIT = {Experiment.Unit.CLIENT: "client", Experiment.Unit.USER: "person"}


class ArmCount(NamedTuple):
    """`units` and `searches` are None where they are of too few users to be shown."""

    arm: str
    units: int | None
    searches: int | None


class ExposureCounts(NamedTuple):
    """`looked_through` is None where it would tell what is not shown."""

    arms: list[ArmCount]
    looked_through: int | None
    every: bool


def counts(experiment: Experiment, *, user: User) -> ExposureCounts:
    """How many units and searches each arm had, in the arms' order, then any other arm that records name, unless too few users
    do. An interleaving counts merged lists."""
    by_arm = {arm: (units, searches) for arm, units, searches in rows(experiment)}
    looked_through = sum(searches for _, searches in by_arm.values())
    names = [INTERLEAVED] if experiment.interleaves else [arm.name for arm in experiment.arms.all()]
    own = [cell(experiment, user, name, *by_arm.pop(name, (0, 0))) for name in names]
    in_none = [cell(experiment, user, "", *by_arm.pop(None))] if None in by_arm else []
    others = [cell(experiment, user, arm, *both) for arm, both in sorted(by_arm.items())]
    is_whole = all(count.units is not None for count in [*own, *in_none, *others])
    known = [count for count in others if count.units is not None]
    return ExposureCounts([*own, *known], looked_through if is_whole else None, looked_through < MOST)


def cell(experiment: Experiment, user: User, arm: str, units: int, searches: int) -> ArmCount:
    return ArmCount(arm, units, searches) if shown(units, experiment.site, user) else ArmCount(arm, None, None)


def rows(experiment: Experiment) -> list[tuple[Any, int, int]]:
    """Arm (None: in none), units, searches of those received while it ran."""
    if experiment.started is None:
        return []
    counted = ask(
        Selection(experiment.site_id, experiment.started, experiment.stopped or timezone.now(), *EVER),
        f"SELECT arms[$1] AS arm, count(DISTINCT {UNIT[Experiment.Unit(experiment.unit)]}) AS units, count(*) AS searches"  # noqa: S608
        f" FROM (FROM queries ORDER BY received DESC LIMIT {MOST}) GROUP BY arm",
        [experiment.name],
        queries=Rows(newest=MOST),
    )
    return counted.rows()
