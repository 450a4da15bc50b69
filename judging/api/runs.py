from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import own_collection_for, runs_for
from judging.api.files import attachment, chosen_format, file_responses, format_parameter
from judging.api.ids import ID, IdFilter
from judging.api.negotiation import FormatIsOurs
from judging.api.parsers import BoundedMultiPart
from judging.api.request_files import PostedSerializer
from judging.api.requester import OnlyResearchersCreate, person
from judging.collections.deletion import delete_run
from judging.collections.downloads import RUN_FORMATS, filename, run_file
from judging.collections.imports import import_run
from judging.collections.storage import NameTaken
from judging.models import Run


class RunSerializer(serializers.ModelSerializer):
    shown = serializers.SerializerMethodField(help_text="Whether it came with what its site shows of each result.")

    class Meta:
        model = Run
        fields = [
            "id", "collection", "name", "description", "source_name", "sha256", "rows", "topic_count", "depth",
            "unknown_documents", "shown", "created",
        ]  # fmt: skip
        read_only_fields = fields

    def get_shown(self, run: Run) -> bool:
        return bool(run.shown)


class RunFilter(filters.FilterSet):
    collection = IdFilter(field_name="collection_id", help_text="A collection's id.")
    name = filters.CharFilter(lookup_expr="icontains", help_text="A part of the name.")

    class Meta:
        model = Run
        fields: list[str] = []


class RunViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """One system's output: an immutable file, and facts about it."""

    queryset = Run.objects.none()
    serializer_class = RunSerializer
    filterset_class = RunFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    parser_classes = [BoundedMultiPart]
    content_negotiation_class = FormatIsOurs
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Run]:
        return runs_for(person(self.request)).order_by("collection_id", "name")

    @extend_schema(request={"multipart/form-data": PostedSerializer}, responses={201: RunSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Store a run from a file of TREC's six columns or Parquet, checked against the collection, whole or not at all."""
        posted = PostedSerializer(data=request.data, context=self.get_serializer_context())
        posted.is_valid(raise_exception=True)
        name = posted.chosen_name()
        if posted.validated_data["collection"].runs.filter(name=name).exists():
            raise NameTaken(f"This collection already has a run “{name}”. A run never changes: give the new one another name.")
        imported = posted.imported(import_run, by=person(request))
        return Response(RunSerializer(imported.kept).data, status=201)

    def perform_destroy(self, instance: Run) -> None:
        own_collection_for(person(self.request), instance.collection_id)
        delete_run(instance, by=person(self.request))

    @extend_schema(responses=file_responses(RUN_FORMATS), parameters=[format_parameter(RUN_FORMATS)])
    @action(detail=True)
    def download(self, request: Request, **kwargs) -> StreamingHttpResponse:
        """The run in TREC's six columns, as the stored Parquet file, or as result lists (csv, jsonl) where it came so."""
        run = self.get_object()
        form = chosen_format(request.query_params, RUN_FORMATS)
        return attachment(run_file(run, form), filename(run, form), form)
