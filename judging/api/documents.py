from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets

from judging.access import collection_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Document, Markup


class DocumentSerializer(serializers.ModelSerializer):
    url = serializers.CharField(help_text="Empty if it has none.")

    class Meta:
        model = Document
        fields = ["id", "docno", "title", "text", "url"]


class WholeDocumentSerializer(DocumentSerializer):
    html = serializers.SerializerMethodField(help_text="As it came, not cleaned; empty if it came as plain text.")

    class Meta(DocumentSerializer.Meta):
        fields = [*DocumentSerializer.Meta.fields, "html"]

    def get_html(self, document: Document) -> str:
        markup = Markup.objects.filter(document=document.pk).first()
        return markup.html if markup else ""


class DocumentFilter(filters.FilterSet):
    docno = filters.CharFilter(help_text="The collection's own id of the document, exactly.")
    search = filters.CharFilter(method="containing", help_text="Words that the title or the text contains, as they stand.")

    class Meta:
        model = Document
        fields: list[str] = []

    def containing(self, documents: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        return documents.filter(Q(title__icontains=value) | Q(text__icontains=value))


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class DocumentViewSet(viewsets.ReadOnlyModelViewSet):
    """What runs retrieve and workers read. Documents come into a collection by an upload."""

    queryset = Document.objects.none()
    serializer_class = DocumentSerializer
    filterset_class = DocumentFilter
    lookup_value_regex = ID

    def get_serializer_class(self) -> type[DocumentSerializer]:
        return WholeDocumentSerializer if self.action == "retrieve" else DocumentSerializer

    def get_queryset(self) -> QuerySet[Document]:
        return collection_for(person(self.request), self.kwargs["collection"]).documents.order_by("id")
