from django.db.models import QuerySet
from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import attachments_for, collection_for, own_collection_for
from judging.api.files import stored_file
from judging.api.images import KEY
from judging.api.parsers import BoundedMultiPart
from judging.api.requester import person
from judging.collections import attachments
from judging.models import Attachment, Topic

SAFE = ("GET", "HEAD", "OPTIONS")


class AttachmentSerializer(serializers.ModelSerializer):
    removed = serializers.DateTimeField(
        read_only=True, help_text="Since when nobody is shown it; it can be put back for 30 days."
    )

    class Meta:
        model = Attachment
        fields = ["id", "name", "kind", "size", "removed", "created"]
        read_only_fields = fields


class AttachedFileSerializer(serializers.Serializer):
    file = serializers.FileField(
        max_length=attachments.LONGEST_NAME, allow_empty_file=True, help_text="PDF, PNG, JPEG, WebP, GIF or plain text."
    )


@extend_schema(
    parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH), OpenApiParameter("topic", int, OpenApiParameter.PATH)]
)
class AttachmentViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """Files that explain a topic to its workers."""

    queryset = Attachment.objects.none()
    serializer_class = AttachmentSerializer
    parser_classes = [BoundedMultiPart]
    lookup_value_regex = KEY

    def topic(self) -> Topic:
        allowed = collection_for if self.request.method in SAFE else own_collection_for
        return get_object_or_404(
            allowed(person(self.request), self.kwargs["collection"]).topics.select_related("collection"), pk=self.kwargs["topic"]
        )

    def get_queryset(self) -> QuerySet[Attachment]:
        readable = attachments_for(person(self.request)).filter(topic=self.topic())
        return readable.select_related("topic__collection").order_by("created", "id")

    @extend_schema(request={"multipart/form-data": AttachedFileSerializer}, responses={201: AttachmentSerializer})
    def create(self, request: Request, **kwargs) -> Response:
        """Attach a file to the topic: its workers see it from now on, in every study."""
        topic = self.topic()
        sent = AttachedFileSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["file"]
        attached = attachments.attach(topic, filename=file.name, content=file.read(), by=person(request))
        return Response(AttachmentSerializer(attached).data, status=201)

    def perform_destroy(self, instance: Attachment) -> None:
        attachments.remove(instance, by=person(self.request))

    @extend_schema(request=None, responses=AttachmentSerializer)
    @action(detail=True, methods=["post"], url_path="put-back")
    def put_back(self, request: Request, **kwargs) -> Response:
        """Show a removed attachment again."""
        attached = self.get_object()
        attachments.put_back(attached, by=person(request))
        return Response(AttachmentSerializer(self.get_object()).data)

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    @action(detail=True)
    def file(self, request: Request, **kwargs) -> FileResponse:
        """The file itself."""
        return stored_file(self.get_object())
