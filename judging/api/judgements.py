import io
import re
from functools import cached_property

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request

from judging.access import graded_for
from judging.api.files import attachment, chosen_format, file_responses, format_parameter
from judging.api.ids import ID
from judging.api.negotiation import FormatIsOurs
from judging.api.requester import person
from judging.audit import Deed, note
from judging.labels import exports
from judging.models import Judgement, Study
from judging.text.passages import passage_texts

FORMATS = exports.FORMATS["judgements"]


class PassageSerializer(serializers.Serializer):
    start = serializers.IntegerField()
    end = serializers.IntegerField(help_text="Behind its last character.")
    text = serializers.CharField()


class JudgementSerializer(serializers.ModelSerializer):
    topic = serializers.CharField(source="item.topic.number")
    docno = serializers.CharField(source="item.document.docno")
    worker = serializers.CharField(help_text="w and the worker's id.")
    passages = serializers.SerializerMethodField(help_text="What in the document speaks for the grade, by characters.")
    replies = serializers.DictField(help_text="To the study's further questions, by name; by subtopic where it is asked so.")
    surplus = serializers.SerializerMethodField(help_text="Came when all places were taken: kept, but has no vote.")
    revises: serializers.Field = serializers.PrimaryKeyRelatedField(
        read_only=True, help_text="The earlier judgement that this one replaces."
    )
    simulated = serializers.BooleanField(source="worker.simulated")
    machine = serializers.CharField(
        source="worker.machine", help_text="Empty: a person. Else the program, whose grade has no vote."
    )

    class Meta:
        model = Judgement
        fields = [
            "id", "topic", "docno", "worker", "grade", "cannot_judge", "comment", "passages", "replies", "milliseconds",
            "surplus", "revises", "simulated", "machine", "created",
        ]  # fmt: skip

    @extend_schema_field(PassageSerializer(many=True))
    def get_passages(self, judgement: Judgement) -> list[dict]:
        return passage_texts(judgement.passages, judgement.item.document.text)

    def get_surplus(self, judgement: Judgement) -> bool:
        return judgement.slot_id is None


class JudgementFilter(filters.FilterSet):
    worker = filters.CharFilter(method="of_worker", help_text="A worker: w3.")
    topic = filters.CharFilter(field_name="item__topic__number", help_text="The collection's own id of a topic.")
    docno = filters.CharFilter(field_name="item__document__docno", help_text="The collection's own id of a document.")
    history = filters.BooleanFilter(method="with_history", help_text="Also those that were revised since.")

    class Meta:
        model = Judgement
        fields = ["grade"]

    def filter_queryset(self, queryset: QuerySet[Judgement]) -> QuerySet[Judgement]:
        chosen = super().filter_queryset(queryset)
        return chosen if self.form.cleaned_data["history"] else chosen.standing()

    def of_worker(self, judgements: QuerySet[Judgement], name: str, value: str) -> QuerySet[Judgement]:
        number = value.removeprefix("w")
        return judgements.filter(worker_id=int(number)) if re.fullmatch(ID, number) else judgements.none()

    def with_history(self, judgements: QuerySet[Judgement], name: str, value: bool) -> QuerySet[Judgement]:
        return judgements


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class JudgementViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """What workers answered, for the study's members: of each worker and item the judgement that stands. Append-only."""

    queryset = Judgement.objects.none()
    serializer_class = JudgementSerializer
    filterset_class = JudgementFilter
    content_negotiation_class = FormatIsOurs

    @cached_property
    def study(self) -> Study:
        return graded_for(person(self.request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Judgement]:
        all_of_it = Judgement.objects.filter(item__study=self.study)
        return all_of_it.select_related("item__topic", "item__document", "worker").order_by("id")

    @extend_schema(responses=file_responses(FORMATS), parameters=[format_parameter(FORMATS)], filters=False)
    @action(detail=False, pagination_class=None, filterset_class=None)
    def download(self, request: Request, **kwargs) -> StreamingHttpResponse:
        """Every judgement that stands, as a file, under the collection's own ids."""
        form = chosen_format(request.query_params, FORMATS)
        note(Deed.EXPORTED, f"judgements as {form}", person(request), self.study)
        content: io.BytesIO = exports.export(self.study, "judgements", form)
        return attachment(iter([content.getvalue()]), exports.filename(self.study, "judgements", form), form)
