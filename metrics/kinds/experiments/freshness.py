"""Freshness of an experiment's report: asking for one, how far it is, and what has come since the newest."""

from typing import Any

from django.utils.translation import gettext as _

from judging.access import sees_records
from judging.errors import Impossible
from judging.logs.archive.selections import EVER
from judging.models import Experiment, User
from metrics import pipeline
from metrics.kinds.ab import evidence as ab
from metrics.kinds.interleaving import evidence as interleaving
from metrics.logs.since import Staleness, reasons, records_since
from metrics.models import Report
from metrics.pipeline import LatestReports


class NotStarted(Impossible):
    """The experiment has not begun."""


def kind_of(experiment: Experiment) -> Report.Kind:
    return Report.Kind.INTERLEAVING if experiment.interleaves else Report.Kind.AB


def request_experiment_report(experiment: Experiment) -> Report:
    """Return the report that is being computed, or ask for a new one; NotStarted before the experiment began."""
    if not experiment.started:
        raise NotStarted(_("This experiment has not started."))
    spec = (interleaving if experiment.interleaves else ab).spec_of(experiment)
    return pipeline.ask(kind_of(experiment), experiment, spec)


def latest_reports(experiment: Experiment) -> LatestReports:
    return pipeline.latest_reports(kind_of(experiment), experiment)


def page_context(experiment: Experiment, user: User) -> dict[str, Any]:
    """The context of the report's page. Whoever looks first asks for the first report."""
    latest = latest_reports(experiment)
    if experiment.started and not latest.last:
        request_experiment_report(experiment)
        latest = latest_reports(experiment)
    if latest.report:
        pipeline.note_look(latest.report)
    return {
        "experiment": experiment,
        "site": experiment.site,
        "sees_records": sees_records(user, experiment.site),
        **latest._asdict(),
        "since": staleness(latest.report) if latest.report else None,
    }


def staleness(report: Report) -> Staleness:
    """What the report does not know: records of the experiment's time that came after it, and other changes."""
    assert report.experiment
    times = report.experiment.started or EVER[0], report.experiment.stopped or EVER[1]
    return Staleness(records_since(report, *times), tuple(reasons(report)))
