"""An overview of reports: each in one sentence, as its reader may see it."""

from collections.abc import Callable, Iterable

from django.db.models import Prefetch

from judging.models import User
from judging.text.library_words import in_reader_language
from metrics.kinds.ab import words as ab
from metrics.kinds.clicks import words as clicks
from metrics.kinds.interleaving import words as interleaving
from metrics.kinds.preferences import words as preferences
from metrics.kinds.quality import words as quality
from metrics.kinds.runs import words as runs
from metrics.kinds.verdict import words as verdict
from metrics.models import Part, Report, ReportQuerySet

SENTENCES: dict[str, Callable[[Report, User], str]] = {
    Report.Kind.RUNS: runs.sentence,
    Report.Kind.QUALITY: quality.sentence,
    Report.Kind.PREFERENCES: preferences.sentence,
    Report.Kind.AB: ab.sentence,
    Report.Kind.INTERLEAVING: interleaving.sentence,
    Report.Kind.CLICKS: clicks.sentence,
    Report.Kind.VERDICT: verdict.sentence,
}


def with_sentences(reports: ReportQuerySet) -> ReportQuerySet:
    """Fetch all that sentences are made of, in the same number of queries however many reports there are."""
    parts = Part.objects.filter(name__in=["agreement", "workers", "pairs", "systems"])
    return reports.with_progress().with_subject().prefetch_related(Prefetch("parts", parts), "experiment__arms")


def newest_of_each(reports: Iterable[Report]) -> list[Report]:
    """Of reports with the newest first, one on each subject by each kind: the newest finished one, else the newest.

    Verdicts come first, since they put the others together. Each report on runs asks a question of its own.
    """
    newest: dict[tuple[str, int], Report] = {}
    for report in reports:
        key = report.kind, report.pk if report.kind == Report.Kind.RUNS else report.subject.pk
        if key not in newest or (report.is_done and not newest[key].is_done):
            newest[key] = report
    return sorted(newest.values(), key=lambda report: report.kind != Report.Kind.VERDICT)


def sentence(report: Report, user: User) -> str:
    """The report's result in one sentence, or why it failed; empty while it is computed."""
    if report.is_failed:
        return in_reader_language(report.error)
    return SENTENCES[report.kind](report, user) if report.is_done else ""
