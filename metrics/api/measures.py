from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from ireval.measures import catalogue

SEARCH = OpenApiParameter("search", str, description="Words that occur in a name, the title, the source or a property.")


class MeasureSerializer(serializers.Serializer):
    """What a measure is called, computes, takes and cites."""

    name = serializers.CharField()
    title = serializers.CharField()
    example = serializers.CharField(help_text="As it can be asked for in a report.")
    trec_eval = serializers.ListField(child=serializers.CharField(), help_text="Its names there; none: it is not offered there.")
    also = serializers.ListField(child=serializers.CharField(), help_text="Other names that are understood.")
    parameters = serializers.DictField(child=serializers.CharField(), help_text="What each parameter means.")
    formula = serializers.CharField()
    looks_at = serializers.ChoiceField(["set", "rank"])
    gains = serializers.ChoiceField(["binary", "graded"])
    by_subtopic = serializers.BooleanField(
        help_text="Whether it looks at each subtopic by itself; of use with qrels that name some."
    )
    degenerate = serializers.CharField(help_text="What it says where there is nothing to measure.")
    citation = serializers.CharField()


class MeasureViewSet(viewsets.ViewSet):
    """The catalogue: every measure that a report can be asked for."""

    permission_classes = [IsAuthenticated]
    serializer_class = MeasureSerializer

    @extend_schema(parameters=[SEARCH], responses=MeasureSerializer(many=True))
    def list(self, request: Request, **kwargs) -> Response:
        kinds = catalogue.search(request.query_params.get("search", ""))
        return Response(MeasureSerializer(catalogue.entries(kinds), many=True).data)
