from django.db.models import Count, QuerySet
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from ireval_site.addresses import public_address
from judging.access import study_for
from judging.api.errors import Conflict
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Channel
from judging.recruiting import channels, invites
from judging.recruiting.channels import CODES, PARAMETERS
from judging.recruiting.signatures import refuse_bad_keys


class ChannelSerializer(serializers.ModelSerializer):
    address = serializers.SerializerMethodField(help_text="What to paste into the marketplace's study form; null once revoked.")
    webhook = serializers.SerializerMethodField(help_text="Where the marketplace can tell what became of submissions.")
    webhook_secret = serializers.CharField(
        write_only=True, required=False, max_length=200, help_text="As the marketplace gave it. It is never shown again."
    )
    has_webhook_secret = serializers.SerializerMethodField()
    keys = serializers.JSONField(required=False, allow_null=True, help_text="A JWKS; null: the marketplace's are fetched.")
    came = serializers.IntegerField(read_only=True, help_text="How many came by it.")

    class Meta:
        model = Channel
        fields = [
            "id", "source", "label", "address", *CODES.values(), *PARAMETERS,
            "signed_links", "keys", "webhook", "webhook_secret", "has_webhook_secret", "came", "created", "revoked",
        ]  # fmt: skip
        read_only_fields = ["created", "revoked"]
        extra_kwargs = {name: {"required": False} for name in PARAMETERS}

    def get_address(self, channel: Channel) -> str | None:
        token = None if channel.revoked else invites.token_of(channel)
        if token is None:
            return None
        return channels.with_placeholders(channel, self.public(reverse("follow_channel", args=[token])))

    def get_webhook(self, channel: Channel) -> str:
        return self.public(reverse("hear", args=[channel.pk]))

    def get_has_webhook_secret(self, channel: Channel) -> bool:
        return bool(channel.webhook_secret)

    def public(self, path: str) -> str:
        return public_address(self.context["request"], path)

    def validate_source(self, source: str) -> str:
        if self.instance and self.instance.source != source:
            raise serializers.ValidationError("A channel stays with its marketplace: make another one.")
        return source

    def validate(self, data: dict) -> dict:
        source = self.instance.source if self.instance else data["source"]
        refuse_bad_keys(data.get("keys"))
        channels.check(source, {name: getattr(self.instance, name, "") for name in PARAMETERS} | data)
        return data


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class ChannelViewSet(
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.CreateModelMixin,
    mixins.UpdateModelMixin,
    viewsets.GenericViewSet,
):
    """The ways by which a marketplace's participants come to a study, and the codes with which they go back."""

    queryset = Channel.objects.none()
    serializer_class = ChannelSerializer
    lookup_value_regex = ID
    http_method_names = ["get", "post", "patch", "head", "options"]

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        self.study = study_for(person(request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Channel]:
        return self.study.channels.annotate(came=Count("arrivals")).order_by("-created", "-id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        if not self.study.is_launched:
            raise Conflict("Launch the study first: a channel to a draft leads nowhere.")
        channel = channels.add_channel(self.study, by=person(self.request), **serializer.validated_data)
        serializer.instance = self.get_queryset().get(pk=channel.pk)

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        channel = channels.change_channel(serializer.instance, by=person(self.request), **serializer.validated_data)
        serializer.instance = self.get_queryset().get(pk=channel.pk)

    @extend_schema(request=None, responses=ChannelSerializer)
    @action(detail=True, methods=["post"])
    def revoke(self, request: Request, **kwargs) -> Response:
        """Let nobody new come in by this channel; who already works goes on."""
        invites.revoke(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
