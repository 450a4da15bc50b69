from django.db.models import QuerySet
from django.http import FileResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request

from judging.access import collection_for, own_collection_for
from judging.api.files import stored_file
from judging.api.requester import person
from judging.collections.document_images import delete_images
from judging.models import Image

KEY = "[0-9a-f-]{36}"


class ImageSerializer(serializers.ModelSerializer):
    class Meta:
        model = Image
        fields = ["id", "name", "kind", "size", "sha256", "created"]
        read_only_fields = fields


class ImageFilter(filters.FilterSet):
    name = filters.CharFilter(lookup_expr="icontains", help_text="A part of the name.")

    class Meta:
        model = Image
        fields: list[str] = []


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class ImageViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """Images that documents show to workers. They come into a collection by an upload (kind: images)."""

    queryset = Image.objects.none()
    serializer_class = ImageSerializer
    filterset_class = ImageFilter
    lookup_value_regex = KEY

    def get_queryset(self) -> QuerySet[Image]:
        allowed = own_collection_for if self.request.method == "DELETE" else collection_for
        return allowed(person(self.request), self.kwargs["collection"]).images.order_by("name")

    def perform_destroy(self, instance: Image) -> None:
        delete_images(instance.collection, [instance.pk], by=person(self.request))

    @extend_schema(responses={(200, "image/*"): OpenApiTypes.BINARY})
    @action(detail=True)
    def file(self, request: Request, **kwargs) -> FileResponse:
        """The image itself."""
        return stored_file(self.get_object())
