from django.db.models import Count, Max, Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets

from judging.access import study_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Worker

STANDING = Q(judgements__revised_by__isnull=True)


class WorkerSerializer(serializers.ModelSerializer):
    name = serializers.CharField(source="__str__", help_text="What judgements and files call the worker.")
    has_account = serializers.SerializerMethodField()
    judged = serializers.IntegerField(help_text="Items answered, “can't judge” and surplus ones included.")
    cannot_judge = serializers.IntegerField()
    surplus = serializers.IntegerField()
    last = serializers.DateTimeField(allow_null=True, help_text="When the latest answer came.")

    class Meta:
        model = Worker
        fields = [
            "id", "name", "invite", "has_account", "standing", "simulated", "machine", "consented", "judged", "cannot_judge",
            "surplus", "last",
        ]  # fmt: skip
        read_only_fields = fields

    def get_has_account(self, worker: Worker) -> bool:
        return worker.user_id is not None


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class WorkerViewSet(viewsets.ReadOnlyModelViewSet):
    """Who takes part in a study, and how much they did. No names: a worker is a number here."""

    queryset = Worker.objects.none()
    serializer_class = WorkerSerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Worker]:
        workers = study_for(person(self.request), self.kwargs["study"]).workers
        return workers.annotate(
            judged=Count("judgements", filter=STANDING),
            cannot_judge=Count("judgements", filter=STANDING & ~Q(judgements__cannot_judge="")),
            surplus=Count("judgements", filter=STANDING & Q(judgements__slot__isnull=True)),
            last=Max("judgements__created"),
        ).order_by("id")
