from functools import cached_property
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import experiment_for
from judging.api.errors import Conflict
from judging.api.negotiation import FormatIsOurs
from judging.api.requester import person
from judging.audit import Deed, note, quoted
from judging.models import Experiment, User
from metrics.access import may_ask
from metrics.api.standing import earlier_field, standing_of
from metrics.downloads import CSV, attachment
from metrics.kinds.ab.files import FILES as OF_ARMS
from metrics.kinds.experiment_reports import (
    content_of,
    filename,
    files_of,
    latest_reports,
    request_experiment_report,
    results_for,
    staleness,
)
from metrics.kinds.interleaving.files import FILES as OF_LISTS
from metrics.models import Report

CHOICES = [
    OpenApiParameter("looks", str, enum=Experiment.Looks.values, description="How it is read; numbers of both ways are given."),
    OpenApiParameter("control", str, description="The arm that others are compared with, if not the control."),
    OpenApiParameter("adjust", str, enum=["0"], description="0: not by what users did before (no CUPED)."),
]
FILE = OpenApiParameter("file", str, enum=sorted({*OF_ARMS, *OF_LISTS}), default="report.json", description="Which of the files.")


@extend_schema_serializer(many=False)  # an experiment has one, though it is at the address of a list
class ExperimentReportSerializer(serializers.Serializer):
    """The newest finished report of an experiment, and how one that was asked for since is doing."""

    state = serializers.CharField(
        help_text="Of the last one asked for: waiting, running, done or failed; none: nobody has asked."
    )
    done_parts = serializers.IntegerField()
    parts = serializers.IntegerField()
    error = serializers.CharField(help_text="Why the last one failed.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="Records received until then count.")
    is_current = serializers.BooleanField(help_text="Whether asking now would give nothing else.")
    engine_version = serializers.CharField(allow_null=True)
    result = serializers.DictField(
        allow_null=True,
        help_text="Of A/B tests sample_ratio and crossed (look at these first), deciding, metrics, segments, looks and days; of "
        "interleaving pairs, standings, looks and queries. Readers get nothing of fewer than ten users.",
    )
    earlier = earlier_field()


@extend_schema(parameters=[OpenApiParameter("experiment", int, OpenApiParameter.PATH)])
class ExperimentReportViewSet(viewsets.GenericViewSet):
    """What an experiment found; computed in the background."""

    serializer_class = ExperimentReportSerializer
    queryset = Report.objects.none()
    content_negotiation_class = FormatIsOurs
    pagination_class = None
    filter_backends: list = []

    @cached_property
    def experiment(self) -> Experiment:
        return experiment_for(person(self.request), self.kwargs["experiment"])

    @extend_schema(responses=ExperimentReportSerializer, operation_id="experiments_report_retrieve", parameters=CHOICES)
    def list(self, request: Request, **kwargs: Any) -> Response:
        """The newest result, and whether one is on its way."""
        return Response(standing(self.experiment, person(request), request))

    @extend_schema(request=None, responses={202: ExperimentReportSerializer})
    def create(self, request: Request, **kwargs: Any) -> Response:
        """Ask for it; anew is for the site's owner to ask, since readers could take the difference of two."""
        if not may_ask(person(request), self.experiment.site, latest_reports(self.experiment)):
            raise PermissionDenied("The site's owner has it computed again.")
        request_experiment_report(self.experiment)
        return Response(standing(self.experiment, person(request), request), status=202)

    @extend_schema(
        responses={(200, kind): OpenApiTypes.BINARY for kind in ("application/json", CSV.partition(";")[0])},
        parameters=[FILE, *CHOICES],
    )
    @action(detail=False)
    def download(self, request: Request, **kwargs: Any) -> HttpResponse:
        """One of the files: everything as JSON, or tables as CSV."""
        report, kind = latest_reports(self.experiment).report, request.query_params.get("file", "report.json")
        if report is None:
            raise Conflict("Nothing has been computed yet: POST to ask for it.")
        files = files_of(report)
        if kind not in files:
            raise serializers.ValidationError({"file": [f"“{kind}” is not one of {', '.join(files)}."]})
        note(Deed.EXPORTED, f"report of {quoted(self.experiment)}, {kind}", person(request), site=self.experiment.site)
        written = files[kind].write(results_for(report, person(request), request.query_params))
        return attachment(written, files[kind].content_type, filename(report, kind))


def standing(experiment: Experiment, user: User, request: Request) -> dict[str, Any]:
    """The newest result as the user may see it, and the progress of the report that was asked for last."""
    latest = latest_reports(experiment)
    report, standing = latest.report, standing_of(latest, user)
    status = {
        **standing,
        "done_parts": standing["done_steps"],
        "parts": standing["steps"],
        "is_current": bool(report and not staleness(report)),
        "result": report and content_of(results_for(report, user, request.query_params)),
    }
    return ExperimentReportSerializer(status).data
