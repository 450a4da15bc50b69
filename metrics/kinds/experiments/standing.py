"""How far the report of an experiment is, and what has changed since the newest one."""

from typing import Any, NamedTuple

from django.db.models import Q

from judging.access import sees_records
from judging.models import Experiment, User
from metrics.logs import asking
from metrics.logs.since import Since, reasons, records_since
from metrics.models import LogReport


class Stands(NamedTuple):
    """The newest finished report, one that failed since, and one that is on its way."""

    report: LogReport | None
    failed: LogReport | None
    waiting: LogReport | None

    def __bool__(self) -> bool:
        return any(self)


def what_stands(experiment: Experiment) -> Stands:
    reports = asking.of_experiment(experiment).with_progress().select_related("experiment__site")
    return Stands(asking.newest(reports), asking.failed(reports), asking.unfinished(reports))


def how_it_stands(experiment: Experiment, user: User) -> dict[str, Any]:
    """For a page. The first report is asked for by whoever looks."""
    stands = what_stands(experiment)
    if experiment.started and not stands:
        asking.request_experiment_report(experiment)
        stands = what_stands(experiment)
    return {
        "experiment": experiment,
        "site": experiment.site,
        "owns": sees_records(user, experiment.site),
        **stands._asdict(),
        "since": since(stands.report) if stands.report else None,
    }


def since(report: LogReport) -> Since:
    """Of the experiment's time, in which records may arrive late."""
    assert report.experiment
    when = Q(time__gte=report.experiment.started)
    if report.experiment.stopped:
        when &= Q(time__lt=report.experiment.stopped)
    return Since(records_since(report, when), tuple(reasons(report)))
