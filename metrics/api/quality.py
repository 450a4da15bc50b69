from functools import cached_property
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import graded_for
from judging.api.errors import Conflict
from judging.api.negotiation import FormatIsOurs
from judging.api.requester import person
from judging.audit import Deed, note
from judging.models import Study, User
from metrics import pipeline
from metrics.api.standing import earlier_field, standing_of
from metrics.downloads import attachment
from metrics.kinds.quality.files import FILES
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.studies import StudyKind, has_answers, is_current, judged_since, newest, request_study_report, summary
from metrics.kinds.study_files import filename
from metrics.models import Report

FILE = OpenApiParameter("file", str, enum=[*FILES], default="quality.json", description="Which of the files.")


class EvidenceOfStudySerializer(serializers.Serializer):
    judgements = serializers.IntegerField(help_text="How many stood.")
    latest = serializers.IntegerField(help_text="The latest one's id.")


@extend_schema_serializer(many=False)  # a study has one, though it is at the address of a list
class QualitySerializer(serializers.Serializer):
    """The newest finished report of a study, and how one that was asked for since is doing."""

    state = serializers.CharField(
        help_text="Of the last one asked for: waiting, running, done or failed; none: nobody has asked."
    )
    done_steps = serializers.IntegerField()
    steps = serializers.IntegerField()
    error = serializers.CharField(help_text="Why the last one failed.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="When the evidence of the result was read.")
    is_current = serializers.BooleanField(help_text="Whether asking now would give nothing else.")
    judged_since = serializers.IntegerField(help_text="Judgements that the result does not know.")
    evidence = EvidenceOfStudySerializer(allow_null=True)
    engine_version = serializers.CharField(allow_null=True)
    result = serializers.DictField(
        allow_null=True,
        help_text="By step: `agreement` with its coefficients, counts of `items`, `workers` with medians. Files have the rows.",
    )
    earlier = earlier_field()


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class QualityViewSet(viewsets.GenericViewSet):
    """How far the labels of a study can be trusted; computed in the background."""

    serializer_class = QualitySerializer
    queryset = Report.objects.none()
    content_negotiation_class = FormatIsOurs
    pagination_class = None
    filter_backends: list = []

    @cached_property
    def study(self) -> Study:
        return graded_for(person(self.request), self.kwargs["study"])

    @extend_schema(responses=QualitySerializer, operation_id="studies_quality_retrieve")
    def list(self, request: Request, **kwargs: Any) -> Response:
        """The newest result, and whether one is on its way."""
        return Response(QualitySerializer(standing(QUALITY, self.study, person(request))).data)

    @extend_schema(request=None, responses={202: QualitySerializer})
    def create(self, request: Request, **kwargs: Any) -> Response:
        """Ask for it, or for it anew. Nothing is computed while nothing has changed."""
        if not has_answers(self.study):
            raise Conflict("Nobody has judged yet.")
        request_study_report(QUALITY, self.study)
        return Response(QualitySerializer(standing(QUALITY, self.study, person(request))).data, status=202)

    @extend_schema(responses={(200, kind): OpenApiTypes.BINARY for kind in ("application/json", "text/csv")}, parameters=[FILE])
    @action(detail=False)
    def download(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Items, the most doubtful first, or workers as CSV; everything as JSON."""
        report, kind = newest(QUALITY, self.study), request.query_params.get("file", "quality.json")
        if kind not in FILES:
            raise serializers.ValidationError({"file": [f"“{kind}” is not one of {', '.join(FILES)}."]})
        if report is None:
            raise Conflict("Nothing has been computed yet: POST to ask for it.")
        file = FILES[kind]
        note(Deed.EXPORTED, f"quality, {kind}", person(request), self.study)
        return attachment(file.write(report), file.content_type, filename(report, kind))


def standing(kind: StudyKind, study: Study, user: User) -> dict[str, Any]:
    """The newest result of a study, and the progress of the report that was asked for last."""
    latest = pipeline.latest_reports(kind.name, study)
    report = latest.report
    return {
        **standing_of(latest, user),
        "is_current": bool(report and is_current(kind, report)),
        "judged_since": judged_since(report) if report else 0,
        "evidence": report and report.evidence,
        "result": report and summary(report),
    }
