from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import collections_for, is_published, own_site_for, own_sites_for, owned_by, researchers
from judging.api.ids import ID
from judging.api.requester import Accessible, OnlyResearchersCreate, person, refuse_others
from judging.api.studies import Researcher
from judging.logs import keys, sites
from judging.logs.origins import origins_in
from judging.logs.site_deletion import delete_site
from judging.models import Site, WriteKey


class SiteSerializer(serializers.ModelSerializer):
    owner: serializers.Field = serializers.SlugRelatedField("username", read_only=True)
    collection = Accessible(
        collections_for, required=False, allow_null=True, help_text=Site._meta.get_field("collection").help_text
    )
    readers = Researcher(
        slug_field="username",
        many=True,
        required=False,
        queryset=researchers(),
        help_text=Site._meta.get_field("readers").help_text,
    )

    class Meta:
        model = Site
        fields = [
            "id", "name", "slug", "owner", "collection", "readers", "origins", "first_ordinal",
            "keep_days", "keep_quarantine_days", "rotate_days", "has_page", "created",
        ]  # fmt: skip
        # What is taken is a conflict, not a mistake in the form. Without a slug one is made of the name.
        extra_kwargs: dict = {"slug": {"validators": [], "required": False}}
        validators: list = []

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        searches = data.get("collection", getattr(self.instance, "collection", None))
        owner = self.instance.owner if self.instance else person(self.context["request"])
        if data.keys() & {"has_page", "collection"} and data.get("has_page", getattr(self.instance, "has_page", False)):
            sites.refuse_page(owner, searches)
        return data | ({"origins": origins_in(data["origins"])} if "origins" in data else {})

    def to_representation(self, site: Site) -> dict[str, Any]:
        """A page that ended with the ownership of its collection is none."""
        return super().to_representation(site) | {"has_page": site.has_page and is_published(site)}


class SiteViewSet(viewsets.ModelViewSet):
    """Search sites that you own: what they are called, who may read their reports, how long their records stay."""

    queryset = Site.objects.none()
    serializer_class = SiteSerializer
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = ID
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Site]:
        mine = own_sites_for(person(self.request))
        return mine.select_related("owner", "collection").prefetch_related("readers").order_by("name", "id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        """With a first write key, which stands under `keys/`."""
        serializer.instance = sites.make(by=person(self.request), **serializer.validated_data)

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        if sites.OF_ACCESS & serializer.validated_data.keys():
            refuse_others(person(self.request), serializer.instance, "what of it others may see")
        sites.change(serializer.instance, serializer.validated_data, by=person(self.request))
        serializer.instance = self.get_queryset().get(pk=serializer.instance.pk)

    def perform_destroy(self, instance: Site) -> None:
        owned_by(person(self.request), instance)
        delete_site(instance, by=person(self.request))


class WriteKeySerializer(serializers.ModelSerializer):
    ends = serializers.SerializerMethodField(help_text="Its last four characters.")
    created_by: serializers.Field = serializers.SlugRelatedField("username", read_only=True)

    class Meta:
        model = WriteKey
        fields = ["id", "label", "ends", "created_by", "created", "revoked"]
        read_only_fields = ["created", "revoked"]

    def get_ends(self, key: WriteKey) -> str:
        return keys.key_text(key)[-4:]


class NewWriteKeySerializer(WriteKeySerializer):
    key = serializers.SerializerMethodField(help_text="To send with: `Authorization: Bearer w_…`.")

    class Meta(WriteKeySerializer.Meta):
        fields = ["key", *WriteKeySerializer.Meta.fields]

    def get_key(self, key: WriteKey) -> str:
        return keys.key_text(key)


OF_A_SITE = [OpenApiParameter("site", int, OpenApiParameter.PATH)]


class BelowOwnSite:
    """For viewsets below a site: only its owner and its researchers find anything there."""

    kwargs: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)  # type: ignore[misc]
        self.site = own_site_for(person(request), self.kwargs["site"])


@extend_schema(parameters=OF_A_SITE)
class WriteKeyViewSet(BelowOwnSite, mixins.ListModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """What a site's senders prove themselves with. A key lets records in and opens nothing to read."""

    queryset = WriteKey.objects.none()
    serializer_class = WriteKeySerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[WriteKey]:
        return self.site.keys.select_related("site", "created_by")

    @extend_schema(responses={201: NewWriteKeySerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Make a key. The answer has it; the list does not."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        made = keys.make(self.site, by=person(request), label=serializer.validated_data.get("label", ""))
        return Response(NewWriteKeySerializer(made, context=self.get_serializer_context()).data, status=201)

    @extend_schema(request=None, responses=WriteKeySerializer)
    @action(detail=True, methods=["post"])
    def revoke(self, request: Request, **kwargs: Any) -> Response:
        """Let nobody send with this key any more; a process may take some seconds to hear of it."""
        keys.revoke(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
