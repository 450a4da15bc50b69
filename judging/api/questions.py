"""The further questions of a graded study, as the API takes and gives them, and what was replied."""

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.labels.reply_labels import QuestionResult
from judging.models import Question
from judging.models.question import LONGEST_NAME, LONGEST_OPTION, LONGEST_TEXT, MOST_OPTIONS, MOST_QUESTIONS


class FurtherQuestionSerializer(serializers.Serializer):
    """What is asked of each document besides its grade. Replies are numbers from 0, in the order of the answers, or a text."""

    name = serializers.CharField(max_length=LONGEST_NAME, help_text="In files and qrels: small letters, digits and hyphens.")
    text = serializers.CharField(max_length=LONGEST_TEXT)
    kind = serializers.ChoiceField(Question.Kind.choices, default=Question.Kind.YES_NO)
    options = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_OPTION),
        max_length=MOST_OPTIONS,
        default=list,
        help_text="The answers to choose from, grades the lowest first. Yes or no: 1 is yes.",
    )
    by_subtopic = serializers.BooleanField(default=False, help_text="Asked of each of the topic's subtopics.")
    required = serializers.BooleanField(default=True)  # type: ignore[assignment]
    pay = serializers.DecimalField(
        max_digits=7,
        decimal_places=4,
        min_value=Decimal(0),
        default=Decimal(0),
        help_text="On top, where workers are paid by the judgement.",
    )

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        question = Question(**data | {"pay": str(data["pay"])})
        question.check()
        return asdict(question)


class QuestionsField(serializers.ListField):
    child = FurtherQuestionSerializer()

    def __init__(self, **options: Any):
        super().__init__(max_length=MOST_QUESTIONS, **options)

    def run_child_validation(self, data: list) -> list:
        """Each by itself, once they are counted: as a part of a PATCH one would be accepted with fields missing."""
        if len(data) > MOST_QUESTIONS:
            self.fail("max_length", max_length=MOST_QUESTIONS)
        questions = FurtherQuestionSerializer(data=data, many=True)
        questions.is_valid(raise_exception=True)
        return questions.validated_data


class ReplyCountSerializer(serializers.Serializer):
    label = serializers.CharField()  # type: ignore[assignment]
    replies = serializers.IntegerField()


class ReplyAgreementSerializer(serializers.Serializer):
    """Krippendorff's α: ordinal of grades, else nominal. Null where it is not defined."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    items = serializers.IntegerField()
    caution = serializers.CharField()


class QuestionResultSerializer(serializers.Serializer):
    """What was replied to one question, by judgements that have a vote."""

    question = FurtherQuestionSerializer()
    replies = serializers.IntegerField()
    counts = serializers.SerializerMethodField()
    agreement = serializers.SerializerMethodField()

    @extend_schema_field(ReplyCountSerializer(many=True))
    def get_counts(self, result: QuestionResult) -> list[dict]:
        return [{"label": label, "replies": count} for label, count in result.counts]

    @extend_schema_field(ReplyAgreementSerializer(allow_null=True))
    def get_agreement(self, result: QuestionResult) -> dict | None:
        agreement = result.agreement
        if agreement is None:
            return None
        numbers = {name: None if agreement.undefined else getattr(agreement, name) for name in ("value", "low", "high")}
        return ReplyAgreementSerializer(
            {**numbers, "items": agreement.items, "caution": agreement.undefined or agreement.caution}
        ).data
