"""Freshness of an experiment's report: asking for one, how far it is, and what has come since the newest."""

from typing import Any

from django.db.models import Q

from judging.access import sees_records
from judging.models import Experiment, User
from metrics import pipeline
from metrics.kinds.ab import evidence as ab
from metrics.kinds.interleaving import evidence as interleaving
from metrics.logs.since import Since, reasons, records_since
from metrics.models import Report
from metrics.pipeline import Standing


class NothingYet(ValueError):
    """The experiment has not begun."""


def kind_of(experiment: Experiment) -> Report.Kind:
    return Report.Kind.INTERLEAVING if experiment.interleaves else Report.Kind.AB


def request_experiment_report(experiment: Experiment) -> Report:
    """Return the report that is being computed, or ask for a new one; NothingYet before the experiment began."""
    if not experiment.started:
        raise NothingYet("The experiment has not started.")
    spec = (interleaving if experiment.interleaves else ab).spec_of(experiment)
    return pipeline.ask(kind_of(experiment), experiment, spec)


def what_stands(experiment: Experiment) -> Standing:
    return pipeline.standing(kind_of(experiment), experiment)


def how_it_stands(experiment: Experiment, user: User) -> dict[str, Any]:
    """The context of the report's page. Whoever looks first asks for the first report."""
    stands = what_stands(experiment)
    if experiment.started and not stands.last:
        request_experiment_report(experiment)
        stands = what_stands(experiment)
    return {
        "experiment": experiment,
        "site": experiment.site,
        "owns": sees_records(user, experiment.site),
        **stands._asdict(),
        "since": since(stands.report) if stands.report else None,
    }


def since(report: Report) -> Since:
    """What the report does not know: records of the experiment's time that came after it, and other changes."""
    assert report.experiment
    when = Q(time__gte=report.experiment.started)
    if report.experiment.stopped:
        when &= Q(time__lt=report.experiment.stopped)
    return Since(records_since(report, when), tuple(reasons(report)))
