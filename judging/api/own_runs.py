from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import collection_for, own_collection_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import OwnRun
from judging.search.own_runs import request_own_runs


class OwnRunSerializer(serializers.ModelSerializer):
    class Meta:
        model = OwnRun
        fields = ["id", "ranker", "state", "documents", "topics", "run", "error", "created", "finished"]
        read_only_fields = fields


class AskedSerializer(serializers.Serializer):
    """Those that are under way, one a ranker."""

    results = OwnRunSerializer(many=True)


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class OwnRunViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Runs made here of a collection's documents and topics, by BM25, TF-IDF and BM25 over titles alone."""

    queryset = OwnRun.objects.none()
    serializer_class = OwnRunSerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[OwnRun]:
        return collection_for(person(self.request), self.kwargs["collection"]).own_runs.order_by("-id")

    @extend_schema(request=None, responses={201: AskedSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Have them made, one a ranker. Those under way are not begun again. Ask until `state` is "done"."""
        user = person(request)
        asked = request_own_runs(collection=own_collection_for(user, kwargs["collection"]), by=user)
        return Response(AskedSerializer({"results": asked}).data, status=201)
