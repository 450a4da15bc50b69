import math

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from ireval.agreement.item_bootstrap import Agreement
from judging.access import graded_for
from judging.api.files import attachment, chosen_format, file_responses, format_parameter
from judging.api.ids import ID
from judging.api.negotiation import FormatIsOurs
from judging.api.qrels import QrelsSerializer
from judging.api.requester import person
from judging.audit import Deed, note
from judging.labels import machine_labels
from judging.labels.exports import FORMATS
from judging.labels.machine_labels import MachineComparison
from judging.models import Worker


class CoefficientSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="The ends of the 95 % interval: topics drawn again 1,000 times.")
    high = serializers.FloatField(allow_null=True)
    items = serializers.IntegerField()
    topics = serializers.IntegerField()
    undefined = serializers.CharField(help_text="Why there is no value; else empty.")
    caution = serializers.CharField(help_text="Why the interval is missing or may be too narrow; else empty.")

    def to_representation(self, agreement: Agreement) -> dict:
        values = {
            name: None if isinstance(value, float) and math.isnan(value) else value for name, value in agreement._asdict().items()
        }
        return super().to_representation(values)


class GoldSerializer(serializers.Serializer):
    right = serializers.IntegerField()
    answered = serializers.IntegerField()
    interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="Of the share that is right: Wilson's, of 95 %."
    )


class MachineSerializer(serializers.Serializer):
    """A machine judge, held to gold and to the grades that most people give. It has no vote in these."""

    id = serializers.IntegerField(source="worker.pk", help_text="The worker's.")
    worker = serializers.CharField()
    machine = serializers.CharField(source="worker.machine")
    standing = serializers.CharField(source="worker.standing")
    judged = serializers.IntegerField(help_text="Items of the pool that it graded.")
    cannot_judge = serializers.IntegerField()
    gold = serializers.SerializerMethodField()
    compared = serializers.IntegerField(help_text="Items that have its grade and one of people's majority.")
    agreement = CoefficientSerializer(many=True)
    confusion = serializers.SerializerMethodField(help_text="By people's grade: how often it gave each grade of the scale.")

    @extend_schema_field(GoldSerializer)
    def get_gold(self, comparison: MachineComparison) -> dict:
        gold = {"right": comparison.gold.right, "answered": comparison.gold.answered, "interval": comparison.gold_interval}
        return GoldSerializer(gold).data

    def get_confusion(self, comparison: MachineComparison) -> dict[str, list[int]]:
        return {str(grade): counts for grade, counts in comparison.confusion}


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class MachineViewSet(viewsets.GenericViewSet):
    """A study's machine judges, and their grades, apart from people's."""

    queryset = Worker.objects.none()
    serializer_class = MachineSerializer
    content_negotiation_class = FormatIsOurs
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Worker]:
        machines = machine_labels.machines_of(graded_for(person(self.request), self.kwargs["study"]))
        return machines.select_related("study__collection")

    @extend_schema(responses=MachineSerializer(many=True))
    def list(self, request: Request, **kwargs) -> Response:
        study = graded_for(person(request), self.kwargs["study"])
        page = self.paginate_queryset(self.get_queryset())
        wanted = self.get_queryset().filter(pk__in=[worker.pk for worker in page or []])
        return self.get_paginated_response(MachineSerializer(machine_labels.compare(study, wanted), many=True).data)

    @extend_schema(responses=MachineSerializer)
    def retrieve(self, request: Request, **kwargs) -> Response:
        worker = self.get_object()
        (comparison,) = machine_labels.compare(worker.study, self.get_queryset().filter(pk=worker.pk))
        return Response(MachineSerializer(comparison).data)

    @extend_schema(responses=file_responses(FORMATS["qrels"]), parameters=[format_parameter(FORMATS["qrels"])])
    @action(detail=True, pagination_class=None)
    def download(self, request: Request, **kwargs) -> StreamingHttpResponse:
        """Its grades as qrels, under the collection's own ids."""
        worker = self.get_object()
        form = chosen_format(request.query_params, FORMATS["qrels"])
        note(Deed.EXPORTED, f"qrels of the machine judge {worker} as {form}", person(request), worker.study)
        content = (machine_labels.qrels_file(worker, form) for _ in range(1))
        return attachment(content, machine_labels.filename(worker, form), form)

    @extend_schema(request=None, responses={201: QrelsSerializer})
    @action(detail=True, methods=["post"])
    def settle(self, request: Request, **kwargs) -> Response:
        """Keep its grades as qrels of their own, whose name and recipe say that a machine gave them."""
        return Response(QrelsSerializer(machine_labels.settle_as_qrels(self.get_object(), by=person(request))).data, status=201)
