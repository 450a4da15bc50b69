from django.db import IntegrityError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.parsers import BodyTooLarge, RawBytes
from judging.api.write_keys import OpenToSites, pay_for, site_of
from judging.logs.intake import STATUSES, Receipt, receive
from judging.logs.request_bodies import LargeBody, records_in
from judging.models import Site


class RecordSerializer(serializers.Serializer):
    status = serializers.ChoiceField(choices=STATUSES)
    why = serializers.CharField(required=False, help_text="Of what was not accepted and is no duplicate.")


class ReceiptSerializer(serializers.Serializer):
    sent = serializers.IntegerField(help_text="accepted + duplicate + conflict + rejected.")
    accepted = serializers.IntegerField(help_text="Stored, and safe before this answer left.")
    duplicate = serializers.IntegerField(help_text="There already: by their event_id, or their whole content.")
    conflict = serializers.IntegerField(help_text="Their event_id was another event's; kept in quarantine.")
    rejected = serializers.IntegerField(help_text="Not to be understood; kept in quarantine.")
    records = RecordSerializer(many=True, help_text="One a record, as they were sent.")


class LogViewSet(OpenToSites, viewsets.ViewSet):
    """Queries and events of User Behavior Insights 1.3.0, by a site's write key."""

    parser_classes = [RawBytes]

    @extend_schema(request={"application/json": OpenApiTypes.OBJECT, "application/x-ndjson": str}, responses=ReceiptSerializer)
    def create(self, request: Request, **kwargs) -> Response:
        """Send queries and events: an object, an array, or NDJSON, as it is or in gzip.

        Each is accepted, a duplicate, a conflict or rejected; sending again is safe. At most 10,000 at a time.
        """
        return self.received(request)

    @extend_schema(request={"application/json": OpenApiTypes.OBJECT, "application/x-ndjson": str}, responses=ReceiptSerializer)
    @action(detail=False, methods=["post"])
    def queries(self, request: Request, **kwargs) -> Response:
        """Send queries only: as above, but events are rejected."""
        return self.received(request, kind="query")

    @extend_schema(request={"application/json": OpenApiTypes.OBJECT, "application/x-ndjson": str}, responses=ReceiptSerializer)
    @action(detail=False, methods=["post"])
    def events(self, request: Request, **kwargs) -> Response:
        """Send events only: as above, but queries are rejected."""
        return self.received(request, kind="event")

    def received(self, request: Request, kind: str | None = None) -> Response:
        try:
            sent = records_in(request.body, request.headers.get("Content-Encoding", ""))
        except LargeBody as error:
            raise BodyTooLarge(str(error))
        pay_for(request, len(sent))
        # Only a browser's own name says whether a person sat before it: a server that sends for its site has one as well.
        agent = request.headers.get("User-Agent", "") if "Origin" in request.headers else ""
        site = site_of(request)
        try:
            return Response(answer(receive(site, sent, kind=kind, agent=agent)))
        except IntegrityError:
            if Site.objects.filter(pk=site.pk).exists():
                raise
            raise AuthenticationFailed("The site of this key is gone.") from None  # which processes hear of within seconds


def answer(receipt: Receipt) -> dict:
    records = [
        {"status": status, "why": receipt.why[place]} if place in receipt.why else {"status": status}
        for place, status in enumerate(receipt.statuses)
    ]
    return {"sent": len(records), **receipt.counts, "records": records}
