from functools import cached_property
from typing import Any

import polars as pl
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from ireval_site.pagination import Pages
from judging.access import pairs_for
from judging.api.errors import Conflict
from judging.api.files import chosen_format, format_parameter
from judging.api.negotiation import FormatIsOurs
from judging.api.requester import person
from judging.audit import Deed, note
from judging.models import Study
from metrics.api.quality import QualitySerializer, standing
from metrics.downloads import attachment
from metrics.kinds.preferences.evidence import answers_of
from metrics.kinds.preferences.files import FILES, FORMATS
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.studies import has_answers, newest, request_study_report
from metrics.kinds.study_files import filename
from metrics.models import Report


class PreferencesSerializer(QualitySerializer):
    """The newest finished report of a side-by-side study, and how one that was asked for since is doing."""

    result = serializers.DictField(
        allow_null=True,
        help_text="By step: `pairs` of systems with counts, score and sign tests; `systems` with the ladder; `trust` in the "
        "workers; `behaviour` before they answered. Files have the rows.",
    )


class MarkSerializer(serializers.Serializer):
    side = serializers.CharField()
    rank = serializers.IntegerField()
    docno = serializers.CharField()
    grade = serializers.IntegerField(help_text="1 relevant, 0 bad.")


class InteractionSerializer(serializers.Serializer):
    milliseconds = serializers.IntegerField(help_text="Since the lists were shown.")
    what = serializers.CharField(help_text="open, close, expand, collapse, scroll or follow.")
    side = serializers.CharField()
    rank = serializers.IntegerField()


class PreferenceAnswerSerializer(serializers.Serializer):
    """What a worker answered about two lists, as they saw them."""

    item = serializers.IntegerField(help_text="A mirrored answer has the one that it repeats.")
    topic = serializers.CharField()
    left = serializers.CharField(help_text="The run whose list was on the left.")
    right = serializers.CharField()
    winner = serializers.CharField(allow_null=True, help_text="left, right, tie or both_bad; null: can't judge.")
    strength = serializers.IntegerField(allow_null=True, help_text="By how many steps.")
    worker = serializers.CharField()
    mirrored = serializers.BooleanField(help_text="Asked again with the sides swapped: no vote of its own.")
    votes = serializers.BooleanField(help_text="Whether it counts.")
    cannot_judge = serializers.CharField()
    reasons = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField()
    seconds = serializers.FloatField()
    simulated = serializers.BooleanField()
    created = serializers.DateTimeField()
    marks = MarkSerializer(many=True)
    left_seen = serializers.FloatField(
        allow_null=True, help_text="Seconds that the left list was on the screen; null: not measured."
    )
    left_results_seen = serializers.IntegerField(allow_null=True, help_text="How many of its results were.")
    right_seen = serializers.FloatField(allow_null=True)
    right_results_seen = serializers.IntegerField(allow_null=True)
    interactions = InteractionSerializer(many=True)


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class PreferencesViewSet(viewsets.GenericViewSet):
    """Which system the workers of a side-by-side study prefer; computed in the background."""

    serializer_class = PreferencesSerializer
    queryset = Report.objects.none()
    content_negotiation_class = FormatIsOurs
    pagination_class = None
    filter_backends: list = []

    @cached_property
    def study(self) -> Study:
        return pairs_for(person(self.request), self.kwargs["study"])

    @extend_schema(responses=PreferencesSerializer(many=False), operation_id="studies_preferences_retrieve")
    def list(self, request: Request, **kwargs: Any) -> Response:
        """The newest result, and whether one is on its way."""
        return Response(PreferencesSerializer(standing(PREFERENCES, self.study, person(request))).data)

    @extend_schema(request=None, responses={202: PreferencesSerializer})
    def create(self, request: Request, **kwargs: Any) -> Response:
        """Ask for it, or for it anew. Nothing is computed while nothing has changed."""
        if not has_answers(self.study):
            raise Conflict("Nobody has answered yet.")
        request_study_report(PREFERENCES, self.study)
        return Response(PreferencesSerializer(standing(PREFERENCES, self.study, person(request))).data, status=202)

    @extend_schema(responses=PreferenceAnswerSerializer(many=True))
    @action(detail=False, pagination_class=Pages)
    def answers(self, request: Request, **kwargs: Any) -> Response:
        """What workers answered, as the newest result knows it, in the order given."""
        frame = answers_of(self.report)
        page = self.paginate_queryset(range(frame.height))
        places = pl.Series(page or [], dtype=pl.Int64)
        return self.get_paginated_response(PreferenceAnswerSerializer(frame[places].to_dicts(), many=True).data)

    @extend_schema(
        responses={(200, FILES[name].content_type.partition(";")[0]): OpenApiTypes.BINARY for name in FORMATS.values()},
        parameters=[format_parameter(FORMATS)],
    )
    @action(detail=False)
    def download(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Votes as `python -m ireval preferences` reads them (csv), every answer with all it says (jsonl, parquet), or the whole
        report (json)."""
        kind = FORMATS[chosen_format(request.query_params, FORMATS)]
        report = self.report
        file = FILES[kind]
        note(Deed.EXPORTED, f"preferences, {kind}", person(request), self.study)
        return attachment(file.write(report), file.content_type, filename(report, kind))

    @property
    def report(self) -> Report:
        report = newest(PREFERENCES, self.study)
        if report is None:
            raise Conflict("Nothing has been computed yet: POST to ask for it.")
        return report
