from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets

from judging.access import collection_for
from judging.api.ids import ID
from judging.api.who import person
from judging.models import Topic


class SubtopicSerializer(serializers.Serializer):
    number = serializers.CharField()
    text = serializers.CharField()
    type = serializers.CharField(allow_blank=True)


class TopicSerializer(serializers.ModelSerializer):
    subtopics = SubtopicSerializer(many=True, read_only=True)

    class Meta:
        model = Topic
        fields = ["id", "number", "title", "description", "narrative", "subtopics"]


class TopicFilter(filters.FilterSet):
    number = filters.CharFilter(help_text="The collection's own id of the topic, exactly.")
    title = filters.CharFilter(lookup_expr="icontains", help_text="A part of the query.")

    class Meta:
        model = Topic
        fields: list[str] = []


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class TopicViewSet(viewsets.ReadOnlyModelViewSet):
    """What somebody needs to know; the title is the query. Topics come into a collection by an upload."""

    queryset = Topic.objects.none()
    serializer_class = TopicSerializer
    filterset_class = TopicFilter
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Topic]:
        return collection_for(person(self.request), self.kwargs["collection"]).topics.order_by("id")
