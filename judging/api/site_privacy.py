from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import own_site_for
from judging.api.requester import person
from judging.logs.erasure import erase


class WhoSerializer(serializers.Serializer):
    client_id = serializers.CharField(required=False, max_length=1000, help_text="As the site sends it, or its pseudonym (~…).")
    user_id = serializers.CharField(required=False, max_length=1000, help_text="The same of a user.")

    def validate(self, data: dict) -> dict:
        if not data:
            raise serializers.ValidationError("Name a client_id or a user_id.")
        return data


class ErasedSerializer(serializers.Serializer):
    queries = serializers.IntegerField()
    events = serializers.IntegerField()
    quarantined = serializers.IntegerField(help_text="Refused records that name them.")


@extend_schema(parameters=[OpenApiParameter("site", int, OpenApiParameter.PATH)])
class EraseViewSet(viewsets.ViewSet):
    """Users of a site that ask to be forgotten."""

    @extend_schema(request=WhoSerializer, responses=ErasedSerializer)
    def create(self, request: Request, **kwargs) -> Response:
        """Delete all that the site's log holds of a client or user, and say how much that was. It cannot be undone.

        A file that is sent again does not bring it back.
        """
        site = own_site_for(person(request), kwargs["site"])
        serializer = WhoSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        who = serializer.validated_data
        counts = erase(site, client=who.get("client_id", ""), user=who.get("user_id", ""), by=person(request))
        return Response(ErasedSerializer(counts).data)
