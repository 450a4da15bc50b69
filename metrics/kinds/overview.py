"""An overview of reports: each in one sentence, as its reader may see it."""

from collections.abc import Iterable

from django.db.models import Prefetch

from judging.models import User
from judging.text.library_words import in_reader_language
from metrics.kinds.report_kinds import REPORT_KINDS
from metrics.models import Part, Report, ReportQuerySet


def with_sentences(reports: ReportQuerySet) -> ReportQuerySet:
    """Fetch all that sentences are made of, in the same number of queries however many reports there are."""
    parts = Part.objects.filter(name__in=["agreement", "workers", "pairs", "systems"])
    of_sites = ("site__members", "experiment__site__members")  # who sees more than readers do
    return reports.with_progress().with_subject().prefetch_related(Prefetch("parts", parts), "experiment__arms", *of_sites)


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
    return REPORT_KINDS[report.kind].sentence(report, user) if report.is_done else ""
