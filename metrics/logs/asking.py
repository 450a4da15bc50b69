"""Asking for a report of a site's log: one at a time is computed for each experiment, and the newest is kept."""

from typing import Any

from django.db import IntegrityError, transaction

from ireval import ENGINE_VERSION
from judging.access import sees_records
from judging.models import Experiment, Outbox, Site, User
from metrics.logs.kinds import spec_of
from metrics.models import LogReport, LogReportQuerySet


class NothingYet(ValueError):
    """An experiment that has not begun."""


def request_experiment_report(experiment: Experiment) -> LogReport:
    """The report that is being computed, or a new one of what stands now."""
    if not experiment.started:
        raise NothingYet("The experiment has not started.")
    kind = LogReport.Kind.INTERLEAVING if experiment.interleaves else LogReport.Kind.AB
    return requested(experiment.site, kind, spec_of(experiment), experiment)


def requested(site: Site, kind: LogReport.Kind, spec: dict[str, Any], experiment: Experiment | None = None) -> LogReport:
    asked = reports(site, kind, experiment)
    if standing := unfinished(asked):
        return standing
    try:
        return begin(site, kind, spec, experiment)
    except IntegrityError:  # somebody else asked at the same moment
        return unfinished(asked) or begin(site, kind, spec, experiment)


def may_ask(user: User, site: Site, asked: LogReportQuerySet) -> bool:
    """Readers ask for the first report only: by what differs between two that they can time, few users could be told."""
    return sees_records(user, site) or newest(asked) is None


@transaction.atomic
def begin(site: Site, kind: LogReport.Kind, spec: dict[str, Any], experiment: Experiment | None) -> LogReport:
    report = LogReport.objects.create(site=site, kind=kind, spec=spec, experiment=experiment, engine_version=ENGINE_VERSION)
    reports(site, kind, experiment).filter(state=LogReport.State.FAILED).delete()
    Outbox.objects.post("metrics.tasks.compute_log_report", report=report.pk)
    return report


def reports(site: Site, kind: LogReport.Kind, experiment: Experiment | None = None) -> LogReportQuerySet:
    return LogReport.objects.filter(site=site, kind=kind, experiment=experiment)


def unfinished(asked: LogReportQuerySet) -> LogReport | None:
    return asked.with_progress().filter(state__in=LogReport.UNFINISHED).first()


def failed(asked: LogReportQuerySet) -> LogReport | None:
    """The one that failed, until somebody asks again."""
    return asked.filter(state=LogReport.State.FAILED).first()


def newest(asked: LogReportQuerySet) -> LogReport | None:
    """The newest finished one."""
    return asked.filter(state=LogReport.State.DONE).first()


def of_experiment(experiment: Experiment) -> LogReportQuerySet:
    kind = LogReport.Kind.INTERLEAVING if experiment.interleaves else LogReport.Kind.AB
    return reports(experiment.site, kind, experiment)
