from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import own_collection_for, qrels_for
from judging.api.files import attachment, chosen_format, file_responses, format_parameter
from judging.api.ids import ID, IdFilter
from judging.api.negotiation import FormatIsOurs
from judging.api.parsers import BoundedMultiPart
from judging.api.request_files import PostedSerializer
from judging.api.requester import OnlyResearchersCreate, person
from judging.audit import Deed, note, quoted
from judging.collections.deletion import delete_qrels
from judging.collections.downloads import QRELS_FORMATS, filename, qrels_file
from judging.collections.imports import import_qrels
from judging.collections.imports.qrels_files import FORMATS
from judging.collections.parsers import SCALES
from judging.models import Qrels


class QrelsSerializer(serializers.ModelSerializer):
    grade_counts = serializers.DictField(child=serializers.IntegerField(), help_text="How many rows have each grade.")
    recipe = serializers.DictField(help_text="How it came to be: method, number of judgements, ties, until when.")

    class Meta:
        model = Qrels
        fields = [
            "id", "collection", "name", "version", "description", "source_name", "sha256", "study", "recipe", "rows",
            "topic_count", "grade_counts", "sparse", "simulated_judgements", "created",
        ]  # fmt: skip
        read_only_fields = fields


class PostedQrelsSerializer(PostedSerializer):
    format = serializers.ChoiceField(list(FORMATS.items()), default="auto")
    scale = serializers.ChoiceField([(name, scale.label) for name, scale in SCALES.items()], default="cranfield")
    sparse = serializers.BooleanField(default=False, help_text="Most relevant documents are not in it.")


class QrelsFilter(filters.FilterSet):
    collection = IdFilter(field_name="collection_id", help_text="A collection's id.")
    study = IdFilter(field_name="study_id", help_text="The id of the study that it was settled from.")
    name = filters.CharFilter(help_text="The name, exactly.")

    class Meta:
        model = Qrels
        fields = ["version"]


class QrelsViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """Settled grades: an immutable version, with who made it, how, and from what."""

    queryset = Qrels.objects.none()
    serializer_class = QrelsSerializer
    filterset_class = QrelsFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    parser_classes = [BoundedMultiPart]
    content_negotiation_class = FormatIsOurs
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Qrels]:
        return qrels_for(person(self.request)).order_by("collection_id", "name", "-version")

    @extend_schema(request={"multipart/form-data": PostedQrelsSerializer}, responses={201: QrelsSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Store qrels from a file in any usual format. Under a name that exists they become its next version."""
        posted = PostedQrelsSerializer(data=request.data, context=self.get_serializer_context())
        posted.is_valid(raise_exception=True)
        imported = posted.imported(import_qrels, by=person(request))
        return Response(QrelsSerializer(imported.kept).data, status=201)

    def perform_destroy(self, instance: Qrels) -> None:
        own_collection_for(person(self.request), instance.collection_id)
        delete_qrels(instance, by=person(self.request))

    @extend_schema(responses=file_responses(QRELS_FORMATS), parameters=[format_parameter(QRELS_FORMATS)])
    @action(detail=True)
    def download(self, request: Request, **kwargs) -> StreamingHttpResponse:
        """The grades as TREC, CSV, JSON Lines or Parquet, under the collection's own ids."""
        qrels = self.get_object()
        form = chosen_format(request.query_params, QRELS_FORMATS)
        note(Deed.EXPORTED, f"qrels {quoted(qrels)} as {form}", person(request), qrels.study, qrels.collection)
        # A generator, so that an id which TREC's columns cannot carry is found where it is answered.
        return attachment((qrels_file(qrels, form) for _ in range(1)), filename(qrels, form), form)
