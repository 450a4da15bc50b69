from functools import cached_property
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import serializers, viewsets
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import sees_records, site_for
from judging.api.errors import Conflict
from judging.api.requester import person
from judging.logs import volume
from judging.models import Site, User
from metrics.access import may_ask
from metrics.api.standing import earlier_field, standing_of
from metrics.kinds.clicks.evidence import DAYS
from metrics.kinds.clicks.files import public_spec, summary
from metrics.kinds.clicks.freshness import latest_reports, request_again, request_click_report, staleness
from metrics.kinds.clicks.results import ClickResults
from metrics.models import Report


@extend_schema_serializer(many=False)  # a site has one, though it is at the address of a list
class ClicksSerializer(serializers.Serializer):
    """The newest finished click report of a site, and how one that was asked for since is doing."""

    state = serializers.CharField(
        help_text="Of the last one asked for: waiting, running, done or failed; none: nobody has asked."
    )
    done_steps = serializers.IntegerField()
    steps = serializers.IntegerField()
    error = serializers.CharField(help_text="Why the last one failed.")
    as_of = serializers.DateTimeField(allow_null=True, help_text="Records received until then count.")
    is_current = serializers.BooleanField(help_text="Whether asking now would give nothing else.")
    engine_version = serializers.CharField(allow_null=True)
    spec = serializers.DictField(allow_null=True, help_text="Time, filter of programs, and how intervals come about.")
    result = serializers.DictField(
        allow_null=True,
        help_text="`ranks` with click-through rates, `rates`, `models` and how well they foresee clicks (`held_out`), `rules` of "
        "preference, `queries`. What fewer than ten users did is left out for readers.",
    )
    earlier = earlier_field()


class WindowSerializer(serializers.Serializer):
    """Of which time: the last so many days; or from a moment, or until one, or both; null for `days` is all that is kept."""

    days = serializers.IntegerField(min_value=1, max_value=3660, allow_null=True, required=False, help_text=f"Usually {DAYS}.")
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        since, until = attrs.get("since"), attrs.get("until")
        if since and until and since >= until:
            raise serializers.ValidationError({"until": ["It is not after since."]})
        usual = None if since or until else DAYS
        return {"days": attrs.get("days", usual), "since": since, "until": until}


@extend_schema(parameters=[OpenApiParameter("site", int, OpenApiParameter.PATH)])
class ClicksViewSet(viewsets.GenericViewSet):
    """What users of a site clicked; computed in the background."""

    serializer_class = ClicksSerializer
    queryset = Report.objects.none()
    pagination_class = None
    filter_backends: list = []

    @cached_property
    def site(self) -> Site:
        return site_for(person(self.request), self.kwargs["site"])

    @extend_schema(responses=ClicksSerializer, operation_id="sites_clicks_retrieve")
    def list(self, request: Request, **kwargs: Any) -> Response:
        """The newest result, and whether one is on its way."""
        return Response(ClicksSerializer(standing(self.site, person(request))).data)

    @extend_schema(request=WindowSerializer, responses={202: ClicksSerializer, 409: OpenApiTypes.OBJECT})
    def create(self, request: Request, **kwargs: Any) -> Response:
        """Ask for it; only the site’s owner does so anew, and says of which time. One that is being computed is the answer."""
        window = WindowSerializer(data=request.data)
        window.is_valid(raise_exception=True)
        if not may_ask(person(request), self.site, latest_reports(self.site)):
            raise PermissionDenied("The site's owner has it computed again.")
        if not volume.has_queries(self.site):
            raise Conflict("Nobody has searched yet.")
        if sees_records(person(request), self.site):
            request_click_report(self.site, **window.validated_data)
        else:
            request_again(self.site)
        return Response(ClicksSerializer(standing(self.site, person(request))).data, status=202)


def standing(site: Site, user: User) -> dict[str, Any]:
    latest = latest_reports(site)
    report = latest.report
    return {
        **standing_of(latest, user),
        "is_current": report is not None and not staleness(report),
        "spec": public_spec(report) if report else None,
        "result": summary(ClickResults(report, user)) if report else None,
    }
