"""Verdicts: questions on two systems, asked once, and their answers."""

from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import hypotheses_for, own_hypotheses_for, systems_for
from judging.api.errors import Conflict
from judging.api.ids import ID
from judging.api.number_fields import FiniteField
from judging.api.requester import Accessible, OnlyResearchersCreate, person
from judging.collections import hypotheses
from judging.models import Hypothesis
from judging.models.hypothesis import GRADED, USUAL
from metrics import pipeline
from metrics.api.links import Shares
from metrics.api.standing import EarlierAnswerSerializer, earlier
from metrics.downloads import attachment
from metrics.kinds.verdict.files import exported
from metrics.kinds.verdict.parts import KIND, is_current, request_verdict


class ExpectationSerializer(serializers.Serializer):
    measure = serializers.CharField(max_length=80, required=False, help_text="Of grades.")
    margin = FiniteField(min_value=0.000001, help_text="The smallest difference that matters.")

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        return data | ({"measure": hypotheses.measure_of_topics(data["measure"])} if "measure" in data else {})


class ExpectationsField(serializers.DictField):
    child = ExpectationSerializer()

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        chosen = super().to_internal_value(data)
        if strange := chosen.keys() - USUAL.keys():
            raise serializers.ValidationError(f"There is no kind of evidence {min(strange)}; expected {', '.join(USUAL)}.")
        expected = {kind: {**(usual if kind in GRADED else {}), **chosen.get(kind, usual)} for kind, usual in USUAL.items()}
        for kind in GRADED:
            hypotheses.refuse_beyond(expected[kind]["measure"], expected[kind]["margin"], field=kind)
        return expected


class VerdictRowSerializer(serializers.ModelSerializer):
    """A question, and the newest answer to it, as in a list."""

    a = Accessible(systems_for, help_text="A system: today's.")
    b = Accessible(systems_for, help_text="A system: is it better?")
    alpha = FiniteField(min_value=0.001, max_value=0.2, default=0.05, help_text="How often chance may pass for a difference.")
    expectations = ExpectationsField(
        required=False,
        help_text="By kind of evidence (experts, workers, machines, clicks, votes, interleaving, ab) what matters.",
    )
    state = serializers.SerializerMethodField(help_text="Of the answer: none, waiting, running, done or failed.")
    error = serializers.SerializerMethodField(help_text="Why the last one failed.")
    result = serializers.SerializerMethodField(help_text="As `ireval verdict --format json` prints it; null until it is done.")

    class Meta:
        model = Hypothesis
        fields = ["id", "a", "b", "alpha", "expectations", "why", "created", "state", "error", "result"]
        read_only_fields = ["created"]

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"expectations": USUAL, **data}

    @cached_property
    def latest(self) -> dict[int, pipeline.LatestReports]:
        """The latest reports on each hypothesis of the answer, by its key: one query for a whole page."""
        rows: Any = self.parent.instance if self.parent else [self.instance]
        return pipeline.latest_reports_of_each(KIND, rows)

    def get_state(self, hypothesis: Hypothesis) -> str:
        last = self.latest[hypothesis.pk].last
        return last.state if last else "none"

    def get_error(self, hypothesis: Hypothesis) -> str:
        failed = self.latest[hypothesis.pk].failed
        return failed.error if failed else ""

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_result(self, hypothesis: Hypothesis) -> dict[str, Any] | None:
        report = self.latest[hypothesis.pk].report
        return report.result if report else None


class VerdictSerializer(VerdictRowSerializer):
    """A question, and the newest answer to it. Whether that is current, is looked up in all its evidence."""

    is_current = serializers.SerializerMethodField(help_text="Whether no evidence has come since.")

    class Meta(VerdictRowSerializer.Meta):
        fields = [*VerdictRowSerializer.Meta.fields, "is_current"]

    def get_is_current(self, hypothesis: Hypothesis) -> bool:
        report = self.latest[hypothesis.pk].report
        return bool(report and is_current(report))


class VerdictWithEarlierSerializer(VerdictSerializer):
    earlier = serializers.SerializerMethodField(help_text="What it said before, the newest first.")

    class Meta(VerdictSerializer.Meta):
        fields = [*VerdictSerializer.Meta.fields, "earlier"]

    @extend_schema_field(EarlierAnswerSerializer(many=True))
    def get_earlier(self, hypothesis: Hypothesis) -> Any:
        report = self.latest[hypothesis.pk].report
        return EarlierAnswerSerializer(earlier(report, person(self.context["request"])), many=True).data


class VerdictViewSet(mixins.CreateModelMixin, mixins.ListModelMixin, mixins.RetrieveModelMixin, Shares):
    """Which of two systems is better, from grades, votes and experiments together; computed in the background."""

    queryset = Hypothesis.objects.none()
    serializer_class = VerdictSerializer
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = ID

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return VerdictRowSerializer if self.action == "list" else VerdictSerializer

    def get_queryset(self) -> QuerySet[Hypothesis]:
        readable = hypotheses_for if self.request.method in SAFE_METHODS else own_hypotheses_for
        return readable(person(self.request))

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        """Ask, once: a question never changes."""
        asked = dict(serializer.validated_data)
        serializer.instance = hypotheses.ask(asked.pop("a"), asked.pop("b"), by=person(self.request), **asked)
        request_verdict(serializer.instance)

    @extend_schema(responses=VerdictWithEarlierSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A question with its newest answer, and the answers before."""
        context = self.get_serializer_context()
        return Response(VerdictWithEarlierSerializer(self.get_object(), context=context).data)

    @extend_schema(request=None, responses={202: VerdictSerializer})
    @action(detail=True, methods=["post"])
    def again(self, request: Request, **kwargs: Any) -> Response:
        """Decide anew. Nothing is computed while no evidence has come."""
        hypothesis = self.get_object()
        request_verdict(hypothesis)
        return Response(self.get_serializer(hypothesis).data, status=202)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=True)
    def bundle(self, request: Request, **kwargs: Any) -> HttpResponse:
        """The newest verdict with its evidence, for `ireval verdict` and `ireval reproduce`."""
        hypothesis = self.get_object()
        report = pipeline.latest_reports(KIND, hypothesis).report
        if report is None:
            raise Conflict("There is no verdict yet.")
        content = exported(report, by=person(request))
        return attachment(content, "application/zip", f"verdict-{hypothesis.pk}.zip")
