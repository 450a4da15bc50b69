"""Renewal of reports at night: those whose evidence has changed, as long as somebody looks at them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from judging.errors import Refusal
from judging.models import User
from metrics.kinds import experiment_reports as experiments
from metrics.kinds import studies
from metrics.kinds.clicks import freshness as clicks
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs import versions
from metrics.kinds.studies import StudyKind
from metrics.kinds.verdict import parts as verdict
from metrics.models import SUPERSEDING_SUBJECTS, Report, ReportQuerySet

LOOKED_AT = timedelta(days=30)
BEGINS = timedelta(hours=3)  # the hour of the night: backups begin at two
MOST_A_NIGHT = 50


class Renewal(NamedTuple):
    """How a kind tells whether asking again would give the same, and how it asks again."""

    is_current: Callable[[Report], bool]
    ask: Callable[[Report], Report]


def asker(report: Report) -> User:
    """Who asked for a report on runs; a newer one is theirs, too."""
    assert report.created_by
    return report.created_by


def of_a_study(kind: StudyKind) -> Renewal:
    return Renewal(partial(studies.is_current, kind), lambda report: studies.request_study_report(kind, report.subject))


OF_AN_EXPERIMENT = Renewal(
    lambda report: not experiments.staleness(report), lambda report: experiments.request_experiment_report(report.subject)
)
RENEWALS: dict[str, Renewal] = {
    Report.Kind.RUNS: Renewal(
        lambda report: versions.is_newest(report, asker(report)), lambda report: versions.ask_newest(report, asker(report))
    ),
    Report.Kind.QUALITY: of_a_study(QUALITY),
    Report.Kind.PREFERENCES: of_a_study(PREFERENCES),
    Report.Kind.AB: OF_AN_EXPERIMENT,
    Report.Kind.INTERLEAVING: OF_AN_EXPERIMENT,
    Report.Kind.CLICKS: Renewal(lambda report: not clicks.staleness(report), lambda report: clicks.request_again(report.subject)),
    Report.Kind.VERDICT: Renewal(verdict.is_current, lambda report: verdict.request_verdict(report.subject)),
}


def renew_reports(now: datetime) -> int:
    """Ask again for reports whose evidence has changed, those computed longest ago first; returns how many."""
    renewed = 0
    for report in looked_at(now):
        if renewed == MOST_A_NIGHT:
            break
        renewed += not RENEWALS[report.kind].is_current(report) and renew(report)
    return renewed


def looked_at(now: datetime) -> ReportQuerySet:
    """Finished reports that somebody looks at, unless a newer one is on its way or has failed: that waits for a person.

    Where a site has readers, only its owner asks again: the difference of two reports could be what one user did.
    """
    same = Q(*(Q(**{subject: OuterRef(subject)}) for subject in SUPERSEDING_SUBJECTS), _connector=Q.OR)
    newer = Report.objects.filter(same, kind=OuterRef("kind"), pk__gt=OuterRef("pk"))
    finished = Report.objects.filter(state=Report.State.DONE, looked__gte=now - LOOKED_AT)
    unread = finished.filter(site__readers=None, experiment__site__readers=None)
    return unread.exclude(Exists(newer)).with_subject().defer("result").order_by("finished")


@transaction.atomic
def renew(report: Report) -> bool:
    """Ask again, if that can be asked. Nobody looked: the new report is renewed no longer than this one would be."""
    try:
        newer = RENEWALS[report.kind].ask(report)
    except Refusal:
        return False
    Report.objects.filter(pk=newer.pk).update(looked=report.looked)
    return True
