from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets

from judging.access import collection_for, own_collection_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.collections.parsers.tag_lists import LONGEST_TAG, MOST_TAGS
from judging.collections.topic_tags import set_tags, with_tag
from judging.models import Topic


class SubtopicSerializer(serializers.Serializer):
    number = serializers.CharField()
    text = serializers.CharField()
    type = serializers.CharField(allow_blank=True)


class TopicSerializer(serializers.ModelSerializer):
    subtopics = SubtopicSerializer(many=True, read_only=True)
    tags = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text=f"Short words for its kind: at most {MOST_TAGS}, of at most {LONGEST_TAG} characters. A comma separates two.",
    )

    class Meta:
        model = Topic
        fields = ["id", "number", "title", "description", "narrative", "subtopics", "tags"]
        read_only_fields = ["number", "title", "description", "narrative"]


class TopicFilter(filters.FilterSet):
    number = filters.CharFilter(help_text="The collection's own id of the topic, exactly.")
    title = filters.CharFilter(lookup_expr="icontains", help_text="A part of the query.")
    tag = filters.CharFilter(method="tagged", help_text="One of the topic's tags, exactly.")

    class Meta:
        model = Topic
        fields: list[str] = []

    def tagged(self, topics: QuerySet[Topic], name: str, value: str) -> QuerySet[Topic]:
        return with_tag(topics, value)


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class TopicViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.UpdateModelMixin, viewsets.GenericViewSet):
    """What somebody needs to know; the title is the query. Topics come into a collection by an upload; its owner tags them."""

    queryset = Topic.objects.none()
    serializer_class = TopicSerializer
    filterset_class = TopicFilter
    lookup_value_regex = ID
    http_method_names = ["get", "patch", "head", "options"]

    def get_queryset(self) -> QuerySet[Topic]:
        allowed = own_collection_for if self.request.method == "PATCH" else collection_for
        return allowed(person(self.request), self.kwargs["collection"]).topics.order_by("id")

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert isinstance(serializer.instance, Topic)
        if "tags" in serializer.validated_data:
            tags = serializer.validated_data["tags"]
            serializer.instance = set_tags(serializer.instance, tags, by=person(self.request))
