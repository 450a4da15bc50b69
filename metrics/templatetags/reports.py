from collections.abc import Iterable
from typing import Any, NamedTuple

from django import template
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval import ENGINE_VERSION
from judging.background.status import is_stopped
from judging.labels.study_progress import StudyOverview
from judging.models import Collection, Experiment, Qrels, User
from metrics.access import reports_for, run_reports_for
from metrics.kinds.dashboard import lines
from metrics.kinds.glances import at_a_glance
from metrics.kinds.overview import newest_of_each, sentence, with_sentences
from metrics.kinds.runs.rules import unusual
from metrics.kinds.runs.versions import newer_qrels, report_on_newer
from metrics.models import Report, ReportQuerySet
from metrics.pipeline import is_quiet, number_ahead
from metrics.sentences import listed

register = template.Library()
# What a reader chooses on one of a report's pages and finds chosen on the others.
CARRIED = ("qrels", "measure", "run", "runs", "first", "second")


@register.inclusion_tag("metrics/_outcomes.html")
def outcomes(user: User, studies: Iterable[StudyOverview]) -> dict:
    """A line for each thing that the user may see: first those that ask for attention."""
    every = lines(user, studies)
    return {"parts": [
        (_("Needs attention"), [line for line in every if line.concerns]),
        (_("What is known"), [line for line in every if not line.concerns]),
    ]}  # fmt: skip


class Result(NamedTuple):
    """What the newest report on an experiment says, and its figure; empty where there is none that is done."""

    experiment: Experiment
    sentence: str
    figure: str


class Answer(NamedTuple):
    """A finished report on runs, with its sentence and figure."""

    report: Report
    sentence: str
    figure: str


@register.simple_tag(takes_context=True)
def newest_answer(context: dict[str, Any], collection: Collection, qrels: Iterable[Qrels]) -> Answer | None:
    """What the newest report on a collection's runs says, if it is of the newest of these qrels; None where there is none."""
    user, newest = context["request"].user, max((version.pk for version in qrels), default=0)
    report = run_reports_for(user).filter(collection=collection, state=Report.State.DONE).first()
    if report is None or newest not in {version["id"] for version in report.spec["qrels"]}:
        return None
    return Answer(report, sentence(report, user), at_a_glance(report, user))


@register.simple_tag(takes_context=True)
def with_results(context: dict[str, Any], experiments: Iterable[Experiment]) -> list[Result]:
    """Each of these experiments with what is known of it, as this reader may see it."""
    user, shown = context["request"].user, list(experiments)
    reports = newest_of_each(with_sentences(reports_for(user).filter(experiment__in=shown)))
    said = {report.experiment_id: (sentence(report, user), at_a_glance(report, user)) for report in reports if report.is_done}
    return [Result(experiment, *said.get(experiment.pk, ("", ""))) for experiment in shown]


@register.simple_tag(takes_context=True)
def carried(context: dict[str, Any]) -> str:
    """The query string that carries the reader's choices to another page of the report; empty if there are none."""
    kept = choices(context["request"].GET)
    return f"?{kept.urlencode()}" if kept else ""


@register.inclusion_tag("metrics/_carried.html", takes_context=True)
def carried_fields(context: dict[str, Any], own: str) -> dict:
    """Hidden fields that carry the reader's choices in a form, without the fields of its own that `own` names."""
    kept = choices(context["request"].GET)
    return {"fields": [(name, value) for name, values in kept.lists() if name not in own.split() for value in values]}


def choices(query: QueryDict) -> QueryDict:
    kept = QueryDict(mutable=True)
    for name in CARRIED:
        if values := [value for value in query.getlist(name) if value]:
            kept.setlist(name, values)
    return kept


class Work(NamedTuple):
    """What computing a report's steps is called: while they are computed, and once only the rest is left."""

    label: str | Promise = gettext_lazy("Computed")
    last: str | Promise = ""
    done: str | Promise = ""


WORK = {
    Report.Kind.RUNS: Work(gettext_lazy("Evaluated")),
    Report.Kind.AB: Work(gettext_lazy("Parts computed")),
    Report.Kind.INTERLEAVING: Work(gettext_lazy("Parts computed")),
    Report.Kind.CLICKS: Work(gettext_lazy("Parts read"), gettext_lazy("Fitting click models"), gettext_lazy("all parts read")),
    Report.Kind.VERDICT: Work(gettext_lazy("Kinds of evidence read")),
}


@register.filter
def work(report: Report) -> Work:
    return WORK.get(Report.Kind(report.kind), Work())


@register.inclusion_tag("metrics/_turn.html", takes_context=True)
def turn(context: dict[str, Any], report: Report) -> dict:
    """What an unfinished report is waiting for, if nobody works on it just now; who runs the installation may mend that."""
    quiet = is_quiet(report)
    stopped = quiet and is_stopped()
    return {
        "report": report,
        "stopped": stopped,
        "may_start_it": context["request"].user.is_admin,
        "before": number_ahead(report) if quiet and not stopped else 0,
    }


@register.inclusion_tag("metrics/_newer.html", takes_context=True)
def what_is_newer(context: dict[str, Any]) -> dict:
    """The qrels that came after those of a report on runs, and the report on them if there is one."""
    report, user = context["report"], context["request"].user
    newer = newer_qrels(report, user)
    return {"report": report, "newer": newer, "answer": newer and report_on_newer(report, newer, run_reports_for(user))}


@register.simple_tag
def shared_reports(user: User) -> ReportQuerySet:
    """The reports on runs that name the user as a reader."""
    return run_reports_for(user).filter(readers=user)


@register.filter
def rules_in_words(report: Report) -> str:
    return "; ".join(unusual(report.spec))


@register.filter
def qrels_in_words(report: Report) -> str:
    return listed([version["name"] for version in report.spec["qrels"]])


@register.filter
def quoted(names: Iterable[Any]) -> str:
    return ", ".join(f"“{name}”" for name in names)


@register.filter
def is_older_than_the_engine(report: Report) -> bool:
    return report.engine_version != ENGINE_VERSION
