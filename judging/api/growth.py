"""Growth: documents that a launched study gets besides its pool."""

from rest_framework import serializers

from judging.forms.growth import MOST


class NewItemSerializer(serializers.Serializer):
    topic = serializers.CharField(max_length=200, help_text="The collection's own id of the topic.")
    docno = serializers.CharField(max_length=200, help_text="The collection's own id of the document.")


class NewItemsSerializer(serializers.Serializer):
    items = serializers.ListField(child=NewItemSerializer(), min_length=1, max_length=MOST)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(item["topic"], item["docno"]) for item in self.validated_data["items"]]


class GrowthSerializer(serializers.Serializer):
    added = serializers.IntegerField(help_text="Documents that are judged now, too.")
    already = serializers.IntegerField(help_text="Documents that the study had before, as work or as checks.")
