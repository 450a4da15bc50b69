from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import collection_for, own_collection_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.collections.duplicate_search import groups_of, search_near_duplicates
from judging.models import NearDuplicates


class NearDuplicatesSerializer(serializers.ModelSerializer):
    class Meta:
        model = NearDuplicates
        fields = [
            "id", "state", "threshold", "words", "documents", "members", "groups", "sha256", "error", "created", "finished",
        ]  # fmt: skip
        read_only_fields = fields


class NearDuplicatesWithGroupsSerializer(NearDuplicatesSerializer):
    docnos = serializers.SerializerMethodField(help_text="Those of each group; null until the search is done.")

    class Meta(NearDuplicatesSerializer.Meta):
        fields = [*NearDuplicatesSerializer.Meta.fields, "docnos"]
        read_only_fields = fields

    @extend_schema_field(serializers.ListField(child=serializers.ListField(child=serializers.CharField()), allow_null=True))
    def get_docnos(self, search: NearDuplicates) -> list[list[str]] | None:
        return groups_of(search) if search.state == NearDuplicates.State.DONE else None


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class NearDuplicatesViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Searches of a collection for documents of nearly the same words, the newest first; made in the background."""

    queryset = NearDuplicates.objects.none()
    serializer_class = NearDuplicatesSerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[NearDuplicates]:
        searches = collection_for(person(self.request), self.kwargs["collection"]).near_duplicates.all()
        return searches if self.action == "retrieve" else searches.defer("content")

    @extend_schema(responses=NearDuplicatesWithGroupsSerializer)
    def retrieve(self, request: Request, *args, **kwargs) -> Response:
        """A search with its groups, once it is done. Ask until `state` is "done"."""
        return Response(NearDuplicatesWithGroupsSerializer(self.get_object()).data)

    @extend_schema(request=None, responses={201: NearDuplicatesSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Look for near-duplicates. While a search of the collection is under way, that is the answer."""
        user = person(request)
        search = search_near_duplicates(collection=own_collection_for(user, kwargs["collection"]), by=user)
        return Response(NearDuplicatesSerializer(search).data, status=201)
