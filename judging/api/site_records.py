from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.requester import person
from judging.api.sites import OF_A_SITE, BelowOwnSite
from judging.logs import record_list, refusals, resubmission
from judging.models import Event, Quarantined, Query


class RecordShownSerializer(serializers.Serializer):
    place = serializers.SerializerMethodField(help_text="Where it stands, to go on from.")
    received = serializers.DateTimeField()
    time = serializers.DateTimeField(help_text="When it happened, as its sender says.")
    record = serializers.JSONField(source="raw", help_text="As it was sent, with pseudonyms and without addresses.")

    def get_place(self, record: Any) -> str:
        return str(record_list.place_of(record))


@extend_schema_serializer(many=False)
class RecordsSerializer(serializers.Serializer):
    records = RecordShownSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="To ask for as `after`; null: there are no more.")


class RecordsViewSet(BelowOwnSite, viewsets.ViewSet):
    @extend_schema(
        parameters=[
            *OF_A_SITE,
            OpenApiParameter("kind", str, enum=["events", "queries"], description="Events if it is not said."),
            OpenApiParameter("action", str, description="Only events of this action. Pages may then be short, or empty."),
            OpenApiParameter("after", str, description="What the page before gave as `next`."),
        ],
        responses=RecordsSerializer,
    )
    def list(self, request: Request, **kwargs: Any) -> Response:
        """Single records of a site, the newest received first. Only for its owner and its researchers."""
        kind, after, wanted = (request.query_params.get(name, "") for name in ("kind", "after", "action"))
        place = record_list.place_in(after)
        if kind not in ("", "events", "queries") or (after and place is None) or "\0" in wanted:
            raise ParseError("`kind` is events or queries, `after` what a page gave as `next`.")
        model = Query if kind == "queries" else Event
        page = record_list.newest(self.site, model, after=place, action="" if model is Query else wanted)
        return Response({"records": RecordShownSerializer(page.records, many=True).data, "next": page.next and str(page.next)})


class QuarantinedSerializer(serializers.ModelSerializer):
    class Meta:
        model = Quarantined
        fields = ["id", "kind", "why", "received", "raw"]
        read_only_fields = fields


class ReplaySerializer(serializers.Serializer):
    why = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=300, help_text="Only those with this reason, up to its colon."
    )
    after = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=10**18, help_text="Only those behind this id."
    )


class ReplayedSerializer(serializers.Serializer):
    sent = serializers.IntegerField(help_text="accepted + duplicate + conflict + rejected.")
    accepted = serializers.IntegerField()
    duplicate = serializers.IntegerField()
    conflict = serializers.IntegerField(help_text="Their event_id is another event's by now; they stay.")
    rejected = serializers.IntegerField(help_text="Refused again; they stay.")
    next = serializers.IntegerField(allow_null=True, help_text="To go on with as `after`; null: there are no more.")


@extend_schema(parameters=OF_A_SITE)
class QuarantineViewSet(BelowOwnSite, mixins.ListModelMixin, viewsets.GenericViewSet):
    """Records of a site that were refused and wait, the newest first."""

    queryset = Quarantined.objects.none()
    serializer_class = QuarantinedSerializer

    def get_queryset(self) -> QuerySet[Quarantined]:
        return refusals.open_of(self.site).order_by("-id")

    @extend_schema(request=ReplaySerializer, responses=ReplayedSerializer)
    @action(detail=False, methods=["post"])
    def replay(self, request: Request, **kwargs: Any) -> Response:
        """Send rejected records in again, the oldest first, at most 5,000 at a time. Conflicts stay what they are."""
        serializer = ReplaySerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        rows, more = refusals.to_replay(self.site, **serializer.validated_data)
        outcome = resubmission.replay(self.site, rows, by=person(request))
        return Response({**outcome._asdict(), "next": rows[-1].pk if more else None})
