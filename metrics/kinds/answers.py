"""Answers that reports gave before, kept when a newer report supersedes them.

A report on a site says less to the site's readers than to its owner. So both answers are kept, worded as the report itself is.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import NamedTuple

from django.utils import translation
from django.utils.translation import gettext as _

from judging.logs.privacy import K
from judging.models import User
from metrics.access import only_reads
from metrics.kinds.overview import sentence
from metrics.kinds.report_kinds import REPORT_KINDS, Comparison, Facts
from metrics.models import SUBJECTS, EarlierAnswer, Report, ReportQuerySet
from metrics.sentences import as_sentence, engine_change

MOST_SHOWN = 50
# Two who have no account: one sees all records, the other is a reader of every site and sees what many users did.
OWNER, READER = User(is_superuser=True), User()


class Answer(NamedTuple):
    """What a report says, or said, to one reader."""

    computed: datetime
    engine_version: str
    sentence: str
    evidence: Facts


class Past(NamedTuple):
    """An earlier answer, and what changed in the evidence before the next."""

    answer: Answer
    change: str


def comparison_of(kind: str) -> Comparison:
    comparison = REPORT_KINDS[kind].comparison
    assert comparison
    return comparison


def keep_answers(earlier: ReportQuerySet) -> None:
    """Keep what finished reports answered; they are about to be deleted."""
    EarlierAnswer.objects.bulk_create(earlier_answer(report) for report in earlier)


def earlier_answer(report: Report) -> EarlierAnswer:
    """The answer of a finished report to be kept, not stored."""
    answer, for_readers = (answer_of(report, user) for user in (OWNER, READER))
    shown = {"sentence": for_readers.sentence, "evidence": for_readers.evidence}
    return EarlierAnswer(
        kind=report.kind,
        **{SUBJECTS[report.kind]: report.subject},
        **answer._asdict(),
        for_readers=None if answer == for_readers else shown,
    )


@translation.override("en")
def answer_of(report: Report, user: User) -> Answer:
    """The answer to be kept, or compared with kept ones: in English, whatever its reader's language."""
    assert report.finished
    facts = comparison_of(report.kind).facts(report, user)
    return Answer(report.finished, report.engine_version, sentence(report, user), facts)


def earlier_answers(report: Report, user: User) -> list[Past]:
    """The answers before a finished report's that the user may see, the newest first."""
    kept = EarlierAnswer.objects.filter(kind=report.kind, **{SUBJECTS[report.kind]: report.subject})[:MOST_SHOWN]
    if not kept:
        return []
    reads = only_reads(user, report)
    answers = [answer_of(report, user), *(as_told(answer, to_readers=reads) for answer in kept)]
    shown = far_apart(distinct(answers)) if reads else distinct(answers)
    return [Past(before, change(report.kind, before, after)) for after, before in pairwise(shown)]


def as_told(answer: EarlierAnswer, *, to_readers: bool) -> Answer:
    shown = {"sentence": answer.sentence, "evidence": answer.evidence}
    return Answer(answer.computed, answer.engine_version, **((to_readers and answer.for_readers) or shown))


def distinct(answers: Iterable[Answer]) -> list[Answer]:
    """The answers without those that the next one only repeats: it was computed again, and nothing had changed."""
    return [next(same) for _, same in groupby(answers, key=lambda answer: answer[1:])]


def far_apart(answers: Iterable[Answer]) -> Sequence[Answer]:
    """The first answer, and of the others those that K users lie between: the difference of two would tell of a few."""
    first, *others = answers
    shown = [first]
    for answer in others:
        if abs(answer.evidence["users"] - shown[-1].evidence["users"]) >= K:
            shown.append(answer)
    return shown


def change(kind: str, before: Answer, after: Answer) -> str:
    """Say in a sentence what changed between two answers."""
    engine = engine_change(before.engine_version, after.engine_version)
    phrases = [engine, *comparison_of(kind).changes(before.evidence, after.evidence)]
    return as_sentence("; ".join(filter(None, phrases))) or _("The same evidence.")
