"""Results of an experiment as its reader may see them."""

from abc import ABC, abstractmethod
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from judging.access import sees_records
from judging.logs import privacy
from judging.models import User
from metrics.kinds.experiments.method_choice import Choice
from metrics.kinds.margins import Matters, Versions, way_to_verdict, what_matters
from metrics.logs.frames import window_of
from metrics.models import Report

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ExperimentResults(ABC):
    """A finished report as one reader may see it.

    Whoever may not see records is shown nothing that fewer than K users did.
    """

    arms: list[str]
    choice: Choice

    def __init__(self, report: Report, user: User):
        assert report.experiment
        assert report.experiment.started
        assert report.as_of
        self.report, self.experiment, self.started, self.user = report, report.experiment, report.experiment.started, user
        self.until = window_of(report.experiment, report.as_of).until
        self.sees_records = sees_records(user, report.experiment.site)

    @property
    @abstractmethod
    def reached(self) -> int:
        """The number of users so far, to compare with the number planned."""

    def may_be_shown(self, users: int) -> bool:
        return privacy.may_be_shown(users, sees_records=self.sees_records)

    @cached_property
    def version_of_arm(self) -> dict[str, int | None]:
        return {arm.name: arm.version_id for arm in self.experiment.arms.all()}

    def versions(self, first: str, second: str) -> Versions:
        return self.version_of_arm.get(first), self.version_of_arm.get(second)

    def matters(self, first: str, second: str) -> Matters:
        """The difference between two arms that matters to this reader."""
        return what_matters(self.report.kind, self.versions(first, second), user=self.user)

    def way_to_verdict(self, first: str, second: str) -> tuple[str, str] | None:
        return way_to_verdict(self.versions(first, second), self.user)

    @property
    def has_ended(self) -> bool:
        return self.experiment.stopped is not None and self.experiment.stopped <= self.until

    @property
    def may_be_read(self) -> bool:
        complete = self.has_ended or self.reached >= self.experiment.planned
        return complete or (self.choice.always and not self.is_hasty)

    @property
    def is_hasty(self) -> bool:
        """Whether it has run for less than a day: the users of some hours are not those of a week."""
        return self.days_run < 1

    @property
    def days_run(self) -> float:
        return max((self.until - self.started) / DAY, 1e-9)


def about(results: ExperimentResults) -> dict[str, Any]:
    """Which experiment the results are of, and how they came about."""
    experiment, report = results.experiment, results.report
    return {
        "experiment": experiment.pk,
        "name": experiment.name,
        "site": experiment.site_id,
        "kind": report.kind,
        "as_of": report.as_of,
        "started": experiment.started,
        "stopped": experiment.stopped,
        "engine": report.engine_version,
        "bot_filter": report.spec["bots"]["version"],
    }
