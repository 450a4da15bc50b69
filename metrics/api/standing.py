"""How far reports are, and what they said before their evidence changed, as the API gives it beside what they say now."""

from typing import Any

from rest_framework import serializers

from judging.models import User
from metrics.kinds.answers import Past, earlier_answers
from metrics.models import Report
from metrics.pipeline import LatestReports


class EarlierAnswerSerializer(serializers.Serializer):
    """What a report said before its evidence changed."""

    computed = serializers.DateTimeField(source="answer.computed")
    sentence = serializers.CharField(source="answer.sentence")
    change = serializers.CharField(help_text="What changed before the next answer, in a sentence.")
    engine_version = serializers.CharField(source="answer.engine_version")


class VersionSerializer(serializers.Serializer):
    """Another report on runs of the same question: under other versions of the same qrels, or of another engine."""

    id = serializers.IntegerField(source="report.pk")
    title = serializers.CharField(source="report.title")
    finished = serializers.DateTimeField(source="report.finished")
    sentence = serializers.CharField()
    change = serializers.CharField(help_text="What changed from it to the next; of a newer one, from the one before to it.")
    is_newer = serializers.BooleanField(help_text="Whether it is newer than this report.")
    engine_version = serializers.CharField(source="report.engine_version")


def earlier(report: Report | None, user: User) -> list[Past]:
    return earlier_answers(report, user) if report else []


def earlier_field() -> EarlierAnswerSerializer:
    return EarlierAnswerSerializer(many=True, help_text="What it said before, the newest first, as far as you may see it.")


def standing_of(latest: LatestReports, user: User) -> dict[str, Any]:
    """How far the report is that was asked for last, and of what and when the newest finished one is."""
    report, last = latest.report, latest.last
    return {
        "state": last.state if last else "none",
        "done_steps": last.done_steps if last else 0,
        "steps": last.steps if last else 0,
        "error": last.error if last else "",
        "as_of": report and report.as_of,
        "engine_version": report and report.engine_version,
        "earlier": earlier(report, user),
    }
