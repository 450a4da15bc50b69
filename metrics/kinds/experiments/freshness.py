"""Asking for the report on an experiment, how far it is, and what has changed since the newest one."""

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
    """An experiment that has not begun."""


def kind_of(experiment: Experiment) -> Report.Kind:
    return Report.Kind.INTERLEAVING if experiment.interleaves else Report.Kind.AB


def request_experiment_report(experiment: Experiment) -> Report:
    """The report that is being computed, or a new one of what stands now."""
    if not experiment.started:
        raise NothingYet("The experiment has not started.")
    spec = (interleaving if experiment.interleaves else ab).spec_of(experiment)
    return pipeline.ask(kind_of(experiment), experiment, spec)


def what_stands(experiment: Experiment) -> Standing:
    return pipeline.standing(kind_of(experiment), experiment)


def how_it_stands(experiment: Experiment, user: User) -> dict[str, Any]:
    """For a page. The first report is asked for by whoever looks."""
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
    """Of the experiment's time, in which records may arrive late."""
    assert report.experiment
    when = Q(time__gte=report.experiment.started)
    if report.experiment.stopped:
        when &= Q(time__lt=report.experiment.stopped)
    return Since(records_since(report, when), tuple(reasons(report)))
