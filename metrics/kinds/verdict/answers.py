"""Answers that a verdict gave before, kept when a newer report supersedes them."""

from itertools import pairwise
from typing import NamedTuple

from metrics.kinds.verdict.sources import LABELS
from metrics.kinds.verdict.words import change
from metrics.models import EarlierAnswer, Report, ReportQuerySet

MOST_SHOWN = 50


class Past(NamedTuple):
    """An earlier answer, and what changed in the evidence before the next."""

    answer: EarlierAnswer
    change: str


def keep_answers(earlier: ReportQuerySet) -> None:
    """Keep what finished reports answered; they are about to be deleted."""
    EarlierAnswer.objects.bulk_create(answer_of(report) for report in earlier.filter(state=Report.State.DONE))


def answer_of(report: Report) -> EarlierAnswer:
    """The answer of a finished report, not stored."""
    assert report.finished
    result = report.result or {}
    lines = {answer["line"]["kind"]: answer["line"] for answer in result["answers"]}
    return EarlierAnswer(
        hypothesis=report.subject,
        computed=report.finished,
        sentence=result["sentence"],
        outcome=result["outcome"],
        evidence={
            kind: {"n": lines[LABELS[kind]]["n"], "unit": lines[LABELS[kind]]["unit"], "facts": facts}
            for kind, facts in report.evidence.items()
        },
        engine_version=report.engine_version,
    )


def earlier_answers(report: Report) -> list[Past]:
    """The answers before a finished report's, the newest first."""
    answers = [answer_of(report), *report.subject.earlier_answers.all()[:MOST_SHOWN]]
    return [Past(before, change(before, after)) for after, before in pairwise(answers)]
