"""Versions of a report on runs: the same question under other versions of the same qrels, or computed by another engine."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from judging.access import qrels_for
from judging.models import Qrels, User
from judging.text.counts import count
from metrics.kinds.runs.question import ask_again
from metrics.kinds.runs.results import Outcome, best_first, graded_by, outcomes
from metrics.kinds.runs.tables import number
from metrics.kinds.runs.values import main_measure
from metrics.kinds.runs.words import sentence
from metrics.models import Part, Report, ReportQuerySet
from metrics.sentences import as_sentence, engine_change

MOST_SHOWN = 50


class Edition(NamedTuple):
    """A report, and its qrels in the order of their names."""

    report: Report
    qrels: list[Qrels]


class Version(NamedTuple):
    """Another report of the same question; what changed on the way from it to the shown one, or from that one to it if newer."""

    report: Report
    sentence: str
    change: str
    is_newer: bool


def same_question(report: Report, reports: ReportQuerySet) -> list[Edition]:
    """Those of the reports that ask the question under any version of the same qrels, itself included, the newest first."""
    qrels = Qrels.objects.filter(pk=report.spec["qrels"][0]["id"])
    parts = Part.objects.filter(run=report.spec["runs"][0]["id"], qrels__name__in=qrels.values("name"))
    asked = list(reports.filter(pk__in=parts.values("report")).defer("result"))
    known = Qrels.objects.in_bulk({version["id"] for other in asked for version in other.spec["qrels"]})
    editions = [Edition(other, in_order([known[version["id"]] for version in other.spec["qrels"]])) for other in asked]
    question = next((question_of(edition) for edition in editions if edition.report == report), None)
    same = [edition for edition in editions if question_of(edition) == question]
    return sorted(same, key=lambda edition: ([version.version for version in edition.qrels], edition.report.pk), reverse=True)


def in_order(qrels: Sequence[Qrels]) -> list[Qrels]:
    return sorted(qrels, key=lambda version: (version.name, version.version))


def question_of(edition: Edition) -> dict[str, Any]:
    """Whatever the numbers depend on but the versions of qrels and of the engine."""
    spec = edition.report.spec
    return {
        **spec,
        "runs": {run["id"] for run in spec["runs"]},
        "qrels": [version.name for version in edition.qrels],
        "measures": set(spec["measures"]),
        "duplicates": spec.get("duplicates", {}).get("sha256"),
    }


def other_versions(report: Report, reports: ReportQuerySet, user: User) -> list[Version]:
    """The other finished reports of the same question, the newest first; of many those that are closest to this one."""
    every = same_question(report, reports.filter(state=Report.State.DONE))
    place = [edition.report.pk for edition in every].index(report.pk)
    left_out = max(0, min(place - MOST_SHOWN // 2, len(every) - MOST_SHOWN))
    same, place = with_results(every[left_out : left_out + MOST_SHOWN]), place - left_out
    changes = [change(before, after) for after, before in pairwise(same)]
    told = [(edition.report, sentence(edition.report, user)) for edition in same]
    newer = [Version(*other, text, True) for other, text in zip(told[:place], changes[:place], strict=True)]
    older = [Version(*other, text, False) for other, text in zip(told[place + 1 :], changes[place:], strict=True)]
    return [*newer, *older]


def with_results(editions: Sequence[Edition]) -> list[Edition]:
    whole = Report.objects.in_bulk([edition.report.pk for edition in editions]) if len(editions) > 1 else {}
    return [Edition(whole.get(report.pk, report), qrels) for report, qrels in editions]


def newer_qrels(report: Report, user: User) -> list[Qrels]:
    """The newest versions of the report's qrels that the user may read, where they are newer than its own.

    A report on two versions of the same qrels compares them: no newer one takes the place of either.
    """
    ids = [version["id"] for version in report.spec["qrels"]]
    names = Qrels.objects.filter(pk__in=ids).values("name")
    versions = list(qrels_for(user).filter(collection=report.collection_id, name__in=names).order_by("version"))
    own = {version.name: version for version in versions if version.pk in ids}
    newest = {version.name: version for version in versions}
    return [newest[name] for name in own if newest[name] != own[name]] if len(own) == len(ids) else []


def with_newer(report: Report, newer: Sequence[Qrels]) -> list[Qrels]:
    """The report's qrels, the newer ones in the place of theirs."""
    by_name = {version.name: version for version in newer}
    return [by_name.get(version.name, version) for version in graded_by(report)]


def report_on_newer(report: Report, newer: Sequence[Qrels], reports: ReportQuerySet) -> Report | None:
    """The report, finished or not, that asks the same question of the newer qrels; None if nobody has asked."""
    wanted = in_order(with_newer(report, newer))
    return next((other for other, qrels in same_question(report, reports) if qrels == wanted), None)


def ask_newest(report: Report, by: User) -> Report:
    """Ask the report's question of the newest versions of its qrels, and of today's engine."""
    return ask_again(report, by, with_newer(report, newer_qrels(report, by)))


def is_newest(report: Report, user: User) -> bool:
    """Whether the question was asked of the newest qrels that the user may read."""
    newer = newer_qrels(report, user)
    return not newer or report_on_newer(report, newer, Report.objects.all()) is not None


def change(before: Edition, after: Edition) -> str:
    """Say in a sentence what changed between two reports of the same question."""
    grades = [grades_change(*versions) for versions in zip(before.qrels, after.qrels, strict=True)]
    engine = engine_change(before.report.engine_version, after.report.engine_version)
    return as_sentence("; ".join(filter(None, [*grades, engine, best_change(before, after)])))


def grades_change(before: Qrels, after: Qrels) -> str:
    more = after.rows - before.rows
    if before == after:
        return ""
    if not more:
        return _("“%(qrels)s” has as many grades as v%(version)s") % {"qrels": after, "version": before.version}
    text = _("“%(qrels)s” has %(grades)s more than v%(version)s")
    if more < 0:
        text = _("“%(qrels)s” has %(grades)s fewer than v%(version)s")
    return text % {"qrels": after, "grades": count(abs(more), "grade"), "version": before.version}


def best_change(before: Edition, after: Edition) -> str:
    """Say which run is best under the first of the qrels, and its mean; and which was, and what that reached."""
    measure = main_measure(after.report)
    was, now = (best_of(edition, measure) for edition in (before, after))
    words = {
        "run": now.name,
        "before": was.name,
        "measure": measure,
        "value": number(now.means[measure].mean),
        "was": number(was.means[measure].mean),
    }
    if was.run == now.run:
        return _("the best run is still %(run)s, %(measure)s %(value)s, was %(was)s") % words
    return _("the best run is %(run)s (was %(before)s), %(measure)s %(value)s, was %(was)s") % words


def best_of(edition: Edition, measure: str) -> Outcome:
    return best_first(outcomes(edition.report, edition.qrels[0].pk), measure)[0]
