"""What the product knows of each kind of reports, once: what is new to it begins here and in `metrics.models`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from judging.models import User
from metrics.kinds import experiment_reports, studies
from metrics.kinds.ab import words as ab_words
from metrics.kinds.ab.parts import AB
from metrics.kinds.clicks import changes as click_changes
from metrics.kinds.clicks import freshness as click_freshness
from metrics.kinds.clicks import words as click_words
from metrics.kinds.clicks.parts import CLICKS
from metrics.kinds.interleaving import words as interleaving_words
from metrics.kinds.interleaving.parts import INTERLEAVING
from metrics.kinds.preferences import changes as preference_changes
from metrics.kinds.preferences import words as preference_words
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality import changes as quality_changes
from metrics.kinds.quality import words as quality_words
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs import versions
from metrics.kinds.runs import words as run_words
from metrics.kinds.runs.parts import RUNS
from metrics.kinds.studies import StudyKind
from metrics.kinds.verdict import changes as verdict_changes
from metrics.kinds.verdict import parts as verdict
from metrics.kinds.verdict import words as verdict_words
from metrics.models import Report
from metrics.pipeline import Kind

Facts = dict[str, Any]


@dataclass(frozen=True)
class Comparison:
    """What of a report is compared with a later one's, and what changed between the two, in phrases."""

    facts: Callable[[Report, User], Facts]
    changes: Callable[[Facts, Facts], list[str]]


@dataclass(frozen=True)
class ReportKind:
    """How reports of a kind are computed, what they say in one sentence, and how they are renewed.

    `is_current` tells whether asking again would give the same. There is a `comparison` where a newer report takes an older
    one's place.
    """

    kind: Kind
    sentence: Callable[[Report, User], str]
    is_current: Callable[[Report], bool]
    ask_again: Callable[[Report], Report]
    comparison: Comparison | None = None


def asker(report: Report) -> User:
    """Who asked for a report on runs; a newer one is theirs, too."""
    assert report.created_by
    return report.created_by


def of_a_study(kind: StudyKind, sentence: Callable[[Report, User], str], comparison: Comparison) -> ReportKind:
    return ReportKind(
        kind.kind,
        sentence,
        is_current=partial(studies.is_current, kind),
        ask_again=lambda report: studies.request_study_report(kind, report.subject),
        comparison=comparison,
    )


def of_an_experiment(kind: Kind, sentence: Callable[[Report, User], str]) -> ReportKind:
    return ReportKind(
        kind,
        sentence,
        is_current=lambda report: not experiment_reports.staleness(report),
        ask_again=lambda report: experiment_reports.request_experiment_report(report.subject),
        comparison=Comparison(experiment_reports.facts, experiment_reports.changes),
    )


REPORT_KINDS: Mapping[str, ReportKind] = {
    Report.Kind.RUNS: ReportKind(
        RUNS,
        run_words.sentence,
        is_current=lambda report: versions.is_newest(report, asker(report)),
        ask_again=lambda report: versions.ask_newest(report, asker(report)),
    ),
    Report.Kind.QUALITY: of_a_study(QUALITY, quality_words.sentence, Comparison(quality_changes.facts, quality_changes.changes)),
    Report.Kind.PREFERENCES: of_a_study(
        PREFERENCES, preference_words.sentence, Comparison(preference_changes.facts, preference_changes.changes)
    ),
    Report.Kind.AB: of_an_experiment(AB, ab_words.sentence),
    Report.Kind.INTERLEAVING: of_an_experiment(INTERLEAVING, interleaving_words.sentence),
    Report.Kind.CLICKS: ReportKind(
        CLICKS,
        click_words.sentence,
        is_current=lambda report: not click_freshness.staleness(report),
        ask_again=lambda report: click_freshness.request_again(report.subject),
        comparison=Comparison(click_changes.facts, click_changes.changes),
    ),
    Report.Kind.VERDICT: ReportKind(
        verdict.VERDICT,
        verdict_words.sentence,
        is_current=verdict.is_current,
        ask_again=lambda report: verdict.request_verdict(report.subject),
        comparison=Comparison(verdict_changes.facts, verdict_changes.changes),
    ),
}
