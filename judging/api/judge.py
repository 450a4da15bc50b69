"""Judging: what a worker is shown and answers. No runs, no ranks, nobody else's answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.api.topics import SubtopicSerializer
from judging.models import Document, Judgement, Slot, Topic, Worker
from judging.models.study import HIGHEST_GRADE
from judging.recruiting import identity
from judging.text.passages import MOST, NotPassages, Passages, merged_passages
from judging.work.answers import Answer


class TopicForWorkersSerializer(serializers.ModelSerializer):
    class Meta:
        model = Topic
        fields = ["number", "title", "description", "narrative"]


class DocumentForWorkersSerializer(serializers.ModelSerializer):
    url = serializers.CharField(help_text="Empty if it has none.")

    class Meta:
        model = Document
        fields = ["docno", "title", "text", "url"]


class ItemSerializer(serializers.Serializer):
    """A document to judge for a topic."""

    offer = serializers.SerializerMethodField(help_text="Send it back with the answer: it says what was shown to whom, and when.")
    topic = TopicForWorkersSerializer(source="item.topic")
    document = DocumentForWorkersSerializer(source="item.document")
    subtopics = serializers.SerializerMethodField(help_text="The topic's, where a question is asked of each.")
    held_until = serializers.DateTimeField(source="leased_until", help_text="Until then nobody else is given your place.")

    def get_offer(self, slot: Slot) -> str:
        return identity.offer(self.context["worker"], slot.item_id)

    @extend_schema_field(SubtopicSerializer(many=True))
    def get_subtopics(self, slot: Slot) -> list[dict]:
        study = self.context["worker"].study
        return slot.item.topic.subtopics if study.asks_by_subtopic else []


class AnswerSerializer(serializers.Serializer):
    """A grade, or a reason why there is none."""

    offer = serializers.CharField(max_length=200, help_text="The item's, as it was given.")
    key = serializers.UUIDField(help_text="Made by you, one an answer: sent again, it is stored once.")
    grade = serializers.IntegerField(min_value=0, max_value=HIGHEST_GRADE, allow_null=True, default=None)
    cannot_judge = serializers.ChoiceField(Judgement.CannotJudge.choices, allow_blank=True, default="")
    comment = serializers.CharField(max_length=2000, allow_blank=True, default="")
    milliseconds = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=None, allow_null=True)
    passages = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(min_value=0), min_length=2, max_length=2),
        max_length=MOST,
        default=list,
        help_text="What in the document speaks for the grade: [[start, end], …], characters of its text.",
    )

    replies = serializers.DictField(
        default=dict,
        help_text="To the study's further questions, by name: a number or a text, by subtopic an object with one for each.",
    )

    def validate_passages(self, passages: list) -> Passages:
        try:
            return merged_passages(passages)
        except NotPassages:
            raise serializers.ValidationError("Each passage ends behind its start.") from None

    def validate_offer(self, text: str) -> identity.Offer:
        offer = identity.read_offer(text, self.context["worker"])
        if offer is None:
            raise serializers.ValidationError("This is not an offer that was made to you.")
        if offer.expired:
            raise serializers.ValidationError("This offer is more than 30 days old. Ask for your items again.")
        return offer

    def answer(self) -> Answer:
        data = self.validated_data
        age = data["offer"].age_ms
        took = age if data["milliseconds"] is None else min(data["milliseconds"], age)
        return Answer(data["key"], data["grade"], data["cannot_judge"], data["comment"], took, data["passages"], data["replies"])


class OwnJudgementSerializer(serializers.ModelSerializer):
    topic = serializers.CharField(source="item.topic.number")
    docno = serializers.CharField(source="item.document.docno")
    surplus = serializers.SerializerMethodField(help_text="Came when all places were taken: kept, but has no vote.")

    class Meta:
        model = Judgement
        fields = [
            "key", "topic", "docno", "grade", "cannot_judge", "comment", "passages", "replies",
            "milliseconds", "surplus", "created",
        ]  # fmt: skip
        read_only_fields = fields

    def get_surplus(self, judgement: Judgement) -> bool:
        return judgement.slot_id is None


class AnsweredSerializer(serializers.Serializer):
    judgement = OwnJudgementSerializer()
    next = ItemSerializer(many=True)


def items(worker: Worker, slots: list[Slot]) -> Any:
    return ItemSerializer(slots, many=True, context={"worker": worker}).data
