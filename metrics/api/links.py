"""Links that show a verdict, or a report on runs, to people without an account."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from ireval_site.addresses import public_address
from judging.accounts.link_tokens import token_of
from judging.api.ids import ID
from judging.api.requester import person
from metrics.access import links_for
from metrics.models import Report, SharedLink, SharedLinkQuerySet
from metrics.shared_links import revoke, share


class SharedLinkSerializer(serializers.ModelSerializer):
    """A link, with the addresses of what it shows; null where the server's secret key has changed since it was made."""

    days = serializers.ChoiceField(SharedLink.Days.choices, write_only=True, help_text="How long it works, unless it is revoked.")
    page = serializers.SerializerMethodField(help_text="The answer with its figure and its table.")
    figure = serializers.SerializerMethodField(help_text="The answer's sentence with its figure, an SVG.")

    class Meta:
        model = SharedLink
        fields = ["id", "days", "created", "expires", "page", "figure"]
        read_only_fields = ["created", "expires"]

    def get_page(self, link: SharedLink) -> str | None:
        return self.address("shared", link)

    def get_figure(self, link: SharedLink) -> str | None:
        return self.address("shared_figure", link)

    def address(self, name: str, link: SharedLink) -> str | None:
        token = token_of(link)
        return public_address(self.context["request"], reverse(name, args=[token])) if token else None


class Shares(viewsets.GenericViewSet):
    """What can be shared by links."""

    @extend_schema(responses=SharedLinkSerializer(many=True), filters=False)
    @action(detail=True, pagination_class=None)
    def links(self, request: Request, **kwargs: Any) -> Response:
        """The links that work and that you may show and revoke."""
        subject = self.get_object()
        about = {"report" if isinstance(subject, Report) else "hypothesis": subject}
        links = links_for(person(request)).filter(**about)
        return Response(SharedLinkSerializer(links, many=True, context=self.get_serializer_context()).data)

    @extend_schema(request=SharedLinkSerializer, responses={201: SharedLinkSerializer}, filters=False)
    @links.mapping.post
    def share(self, request: Request, **kwargs: Any) -> Response:
        """Make a link: whoever has it reads the newest answer without an account."""
        subject = self.get_object()
        wanted = SharedLinkSerializer(data=request.data, context=self.get_serializer_context())
        wanted.is_valid(raise_exception=True)
        wanted.instance = share(subject, days=wanted.validated_data["days"], by=person(request))
        return Response(wanted.data, status=201)


class SharedLinkViewSet(mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """Links that show a verdict or a report to people without an account."""

    queryset = SharedLink.objects.none()
    serializer_class = SharedLinkSerializer
    permission_classes = [IsAuthenticated]
    lookup_value_regex = ID

    def get_queryset(self) -> SharedLinkQuerySet:
        return links_for(person(self.request))

    def perform_destroy(self, instance: SharedLink) -> None:
        """Revoke it: it leads nowhere from now on."""
        revoke(instance, by=person(self.request))
