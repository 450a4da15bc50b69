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
from judging.models import Invite
from judging.recruiting import invites


class InviteSerializer(serializers.ModelSerializer):
    link = serializers.SerializerMethodField(help_text="What to send to workers; null once it is revoked.")
    workers = serializers.IntegerField(read_only=True, source="came", help_text="How many came by it.")

    class Meta:
        model = Invite
        fields = ["id", "label", "machines", "link", "workers", "created", "revoked"]
        read_only_fields = ["created", "revoked"]

    def get_link(self, invite: Invite) -> str | None:
        token = None if invite.revoked else invites.token_of(invite)
        return token and public_address(self.context["request"], reverse("follow_invite", args=[token]))


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class InviteViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """The links by which workers come to a study."""

    queryset = Invite.objects.none()
    serializer_class = InviteSerializer
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        self.study = study_for(person(request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Invite]:
        return self.study.invites.annotate(came=Count("workers")).order_by("-created", "-id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        if not self.study.is_launched:
            raise Conflict("Launch the study first: a link to a draft leads nowhere.")
        link = invites.invite(self.study, by=person(self.request), **serializer.validated_data)
        serializer.instance = self.get_queryset().get(pk=link.pk)

    @extend_schema(request=None, responses=InviteSerializer)
    @action(detail=True, methods=["post"])
    def revoke(self, request: Request, **kwargs) -> Response:
        """Let nobody new come in by this link; who already works goes on."""
        invite = self.get_object()
        invites.revoke(invite, by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
