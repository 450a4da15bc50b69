from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import own_collections_for, uploads_for
from judging.api.errors import Conflict
from judging.api.ids import IdFilter
from judging.api.parsers import RawBytes
from judging.api.requester import Accessible, OnlyResearchersCreate, person
from judging.collections import uploads
from judging.collections.imports.topics import NUMBERINGS
from judging.collections.parsers import SCALES
from judging.models import Upload


class OptionsSerializer(serializers.Serializer):
    """What else is to be known about the file; each kind has its own."""

    only_mentioned = serializers.BooleanField(required=False, help_text="Documents: only those that runs and qrels mention.")
    number_topics = serializers.ChoiceField(list(NUMBERINGS.items()), required=False, help_text="Topics in SMART's format.")
    scale = serializers.ChoiceField(
        [(name, scale.label) for name, scale in SCALES.items()], required=False, help_text="Qrels in SMART's format."
    )
    sparse = serializers.BooleanField(required=False, help_text="Qrels: most relevant documents are not in it.")
    skip_unknown_topics = serializers.BooleanField(
        required=False, help_text="Runs, result lists and qrels: leave out topics that the collection lacks."
    )
    description = serializers.CharField(max_length=10_000, required=False, help_text="Runs, result lists and qrels.")

    def to_internal_value(self, data: Any) -> dict:
        unknown = set(data) - set(self.fields) if isinstance(data, dict) else set()
        if unknown:
            raise serializers.ValidationError({name: ["There is no such option."] for name in sorted(unknown)})
        return super().to_internal_value(data)


class ProblemSerializer(serializers.Serializer):
    file = serializers.CharField()
    line = serializers.IntegerField(help_text="Counted from 1; 0: the file as a whole.")
    message = serializers.CharField()


class RecognitionSerializer(serializers.Serializer):
    """What a file was taken for; `kind` is empty where it is nothing that is read."""

    kind = serializers.CharField(required=False)
    format = serializers.CharField(required=False)
    because = serializers.CharField(required=False)
    sample = serializers.DictField(child=serializers.CharField(), required=False)
    options = serializers.DictField(child=serializers.CharField(), required=False)
    compressed = serializers.CharField(required=False)


class SummarySerializer(serializers.Serializer):
    counts = serializers.DictField(child=serializers.IntegerField(), required=False)
    notes = serializers.ListField(child=serializers.CharField(), required=False)
    kept = serializers.IntegerField(allow_null=True, required=False, help_text="The id of the run or qrels that was made.")
    runs = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Result lists: the ids of all runs that were made."
    )


class UploadSerializer(serializers.ModelSerializer):
    collection = Accessible(own_collections_for)
    options = OptionsSerializer(required=False)
    problems = ProblemSerializer(many=True, read_only=True, help_text="What was wrong, up to 100.")
    summary = SummarySerializer(read_only=True)
    recognition = RecognitionSerializer(read_only=True, help_text="Where no kind was said: what the file was taken for.")

    class Meta:
        model = Upload
        fields = [
            "id", "collection", "kind", "format", "name", "options", "filename", "size",
            "received", "state", "recognition", "lines_read", "problems", "summary", "created", "finished",
        ]  # fmt: skip
        read_only_fields = ["received", "state", "lines_read", "created", "finished"]


class ConfirmedSerializer(serializers.Serializer):
    """What a recognised file is to be imported as; nothing is required where it was recognised rightly."""

    kind = serializers.ChoiceField(Upload.Kind.choices, required=False)
    format = serializers.CharField(max_length=20, required=False)
    name = serializers.CharField(max_length=120, required=False)
    options = OptionsSerializer(required=False)


class ChunkQuery(serializers.Serializer):
    offset = serializers.IntegerField(min_value=0, max_value=2**62)


class Received(serializers.Serializer):
    received = serializers.IntegerField(help_text="Bytes that have come; the next chunk begins here.")


class UploadFilter(filters.FilterSet):
    collection = IdFilter(field_name="collection_id", help_text="A collection's id.")

    class Meta:
        model = Upload
        fields = ["kind", "state"]


class UploadViewSet(
    mixins.CreateModelMixin,
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.DestroyModelMixin,
    viewsets.GenericViewSet,
):
    """A file on its way into a collection: announced, sent in chunks, finished, and imported whole or not at all."""

    queryset = Upload.objects.none()
    serializer_class = UploadSerializer
    filterset_class = UploadFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = "[0-9a-f-]{36}"

    def get_queryset(self) -> QuerySet[Upload]:
        return uploads_for(person(self.request)).order_by("-created", "-id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        serializer.instance = uploads.begin_upload(by=person(self.request), **serializer.validated_data)

    def perform_destroy(self, instance: Upload) -> None:
        if not uploads.cancel_upload(instance):
            raise Conflict("This file is imported already, so there is nothing to cancel.")

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=Received,
        parameters=[OpenApiParameter("offset", int, required=True, description="Where in the file the chunk begins.")],
        description=f"Send the next bytes, at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,}. The same again changes nothing.",
    )
    @action(detail=True, methods=["put"], parser_classes=[RawBytes])
    def chunk(self, request: Request, **kwargs) -> Response:
        upload = self.get_object()
        query = ChunkQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        received = uploads.receive_chunk(upload, offset=query.validated_data["offset"], data=sent_bytes(request))
        return Response({"received": received})

    @extend_schema(request=None, responses=UploadSerializer)
    @action(detail=True, methods=["post"])
    def finish(self, request: Request, **kwargs) -> Response:
        """Everything has been sent: have the file checked and imported. Ask for the upload to see how it went.

        Where no kind was said its state is "recognised" now, and it waits for `confirm`.
        """
        return Response(self.get_serializer(uploads.finish_upload(self.get_object())).data, status=202)

    @extend_schema(request=ConfirmedSerializer, responses={202: UploadSerializer})
    @action(detail=True, methods=["post"])
    def confirm(self, request: Request, **kwargs) -> Response:
        """Have a recognised file imported as what it was taken for, or as what is said here."""
        serializer = ConfirmedSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        upload = uploads.confirm_upload(self.get_object(), **serializer.validated_data)
        return Response(self.get_serializer(upload).data, status=202)


def sent_bytes(request: Request) -> bytes:
    return request.data if isinstance(request.data, bytes) else b""
