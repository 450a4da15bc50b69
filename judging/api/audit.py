from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets

from judging import audit
from judging.access import study_for
from judging.api.requester import person
from judging.models import AuditEntry


class AuditEntrySerializer(serializers.ModelSerializer):
    by = serializers.SerializerMethodField(help_text="A user name; null for what a rule or the command line did.")

    class Meta:
        model = AuditEntry
        fields = ["id", "created", "by", "deed", "about"]
        read_only_fields = fields

    def get_by(self, entry: AuditEntry) -> str | None:
        return str(entry.by) if entry.by else None


class AuditFilter(filters.FilterSet):
    by = filters.CharFilter(field_name="by__username", help_text="A user name, exactly.")

    class Meta:
        model = AuditEntry
        fields = ["deed"]


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class AuditViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Who did what to a study, the newest first. Entries are only ever added."""

    queryset = AuditEntry.objects.none()
    serializer_class = AuditEntrySerializer
    filterset_class = AuditFilter

    def get_queryset(self) -> QuerySet[AuditEntry]:
        return audit.history(study_for(person(self.request), self.kwargs["study"]).audit.all())
