"""Documents by name: those that a study judges instead of a pool, and those that it gets once it is launched."""

from typing import Any

from rest_framework import serializers

from judging.forms.growth import MOST


class NewItemSerializer(serializers.Serializer):
    topic = serializers.CharField(max_length=200, help_text="The collection's own id of the topic.")
    docno = serializers.CharField(max_length=200, help_text="The collection's own id of the document.")


class ChosenField(serializers.ListField):
    """The documents that a study judges instead of a pool, in the model as pairs of topic and docno."""

    child = NewItemSerializer()

    def to_internal_value(self, data: Any) -> list[list[str]]:
        pairs = dict.fromkeys((item["topic"], item["docno"]) for item in super().to_internal_value(data))
        return list(map(list, pairs))

    def to_representation(self, pairs: list[list[str]]) -> list[dict[str, str]]:
        return [{"topic": topic, "docno": docno} for topic, docno in pairs]


class NewItemsSerializer(serializers.Serializer):
    items = serializers.ListField(child=NewItemSerializer(), min_length=1, max_length=MOST)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(item["topic"], item["docno"]) for item in self.validated_data["items"]]


class GrowthSerializer(serializers.Serializer):
    added = serializers.IntegerField(help_text="Documents that are judged now, too.")
    already = serializers.IntegerField(help_text="Documents that the study had before, as work or as checks.")
    addition = serializers.IntegerField(
        source="addition.pk", allow_null=True, help_text="By which they can be taken back; null if none were added."
    )
