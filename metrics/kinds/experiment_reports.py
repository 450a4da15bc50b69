"""Reports on experiments, A/B and interleaving alike: asking for one, how fresh it is, its results, files and changes."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _

from judging.access import sees_records
from judging.errors import Impossible
from judging.logs.archive.selections import EVER
from judging.models import Experiment, User
from judging.text.counts import count
from metrics import pipeline
from metrics.downloads import File
from metrics.kinds.ab import evidence as ab
from metrics.kinds.ab import files as ab_files
from metrics.kinds.ab.results import ABResults
from metrics.kinds.interleaving import evidence as interleaving
from metrics.kinds.interleaving import files as interleaving_files
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.logs.staleness import Staleness, reasons, records_since
from metrics.models import Report
from metrics.pipeline import LatestReports
from metrics.sentences import differ, difference


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
    ask = partial(request_experiment_report, experiment) if experiment.started else None
    latest = pipeline.looked_at(kind_of(experiment), experiment, ask)
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


def results_for(report: Report, user: User, query: Mapping[str, Any]) -> ABResults | InterleavingResults:
    """The results of a finished report, as far as this reader may see them and as they chose to look at them."""
    return (InterleavingResults if report.kind == Report.Kind.INTERLEAVING else ABResults)(report, user, query)


def files_of(report: Report) -> dict[str, File]:
    return interleaving_files.FILES if report.kind == Report.Kind.INTERLEAVING else ab_files.FILES


def content_of(results: ABResults | InterleavingResults) -> dict[str, Any]:
    """All that the report says to its reader, ready for JSON; null is what is unknown."""
    return interleaving_files.content(results) if isinstance(results, InterleavingResults) else ab_files.content(results)


def filename(report: Report, kind: str) -> str:
    return f"{slugify(str(report.experiment)) or report.experiment_id}-{kind}"


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with, as far as this reader may see it: `users` is 0 where nothing is shown."""
    results, users = results_for(report, user, {}), 0
    if not results.nothing and not results.too_few:
        users = results.n if isinstance(results, ABResults) else results.users
    return {"users": users, "bots": report.spec["bots"]["version"]}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        difference(before["users"], after["users"], "user") or _("still %(users)s") % {"users": count(after["users"], "user")},
        _("another bot filter") if differ(before, after, "bots") else "",
    ]
