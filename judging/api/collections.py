from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import collections_for, own_collection_for, owned_collection_for, published_sites
from judging.accounts import memberships
from judging.api.ids import ID
from judging.api.requester import OnlyResearchersCreate, person, refuse_others
from judging.api.systems import SystemRowsSerializer, confirm, rows_of
from judging.collections.deletion import delete_collection
from judging.collections.storage import NameTaken
from judging.logs.sites import unpublish
from judging.models import Collection, Site


class CollectionSerializer(serializers.ModelSerializer):
    owner: serializers.Field = serializers.SlugRelatedField("username", read_only=True)

    class Meta:
        model = Collection
        fields = ["id", "name", "description", "notice", "owner", "shared", "shows_images", "created"]
        extra_kwargs: dict = {"name": {"validators": []}}  # a name that is taken is a conflict, not a mistake in the form


class CollectionFilter(filters.FilterSet):
    name = filters.CharFilter(lookup_expr="icontains", help_text="A part of the name.")
    mine = filters.BooleanFilter(method="only_mine", help_text="Only those that you own.")

    class Meta:
        model = Collection
        fields = ["shared"]

    def only_mine(self, collections: QuerySet[Collection], name: str, value: bool) -> QuerySet[Collection]:
        mine = {"owner": person(self.request)}
        return collections.filter(**mine) if value else collections.exclude(**mine)


class CollectionViewSet(viewsets.ModelViewSet):
    """Documents and topics that belong together, under their own ids. Shared and deleted by their owner."""

    queryset = Collection.objects.none()
    serializer_class = CollectionSerializer
    filterset_class = CollectionFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = ID
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Collection]:
        return collections_for(person(self.request)).select_related("owner").order_by("name")

    def get_object(self) -> Collection:
        if self.request.method in ("GET", "HEAD"):
            return super().get_object()
        allowed = owned_collection_for if self.request.method == "DELETE" else own_collection_for
        return allowed(person(self.request), self.kwargs["pk"])

    @extend_schema(request=SystemRowsSerializer, responses=SystemRowsSerializer)
    @action(detail=True, methods=["get", "post"], pagination_class=None, filterset_class=None)
    def systems(self, request: Request, **kwargs) -> Response:
        """Which run and which arm is which system's. What is sent is confirmed; what is not sent stays as it is."""
        collection: Collection = self.get_object()
        if request.method == "POST":
            sent = SystemRowsSerializer(data=request.data)
            sent.is_valid(raise_exception=True)
            confirm(collection, sent.validated_data["rows"], by=person(request))
        return Response(SystemRowsSerializer({"rows": rows_of(collection, person(request))}).data)

    @transaction.atomic
    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        save(serializer, owner=person(self.request))
        collection: Any = serializer.instance
        if collection.shared:
            memberships.note_sharing(collection, by=person(self.request))

    @transaction.atomic
    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        collection = Collection.objects.select_for_update(of=("self",)).select_related("owner").get(pk=self.kwargs["pk"])
        serializer.instance = collection
        shares = serializer.validated_data.get("shared", collection.shared) != collection.shared
        if shares:
            refuse_others(person(self.request), collection, "who may read it")
        save(serializer)
        if shares:
            memberships.note_sharing(collection, by=person(self.request))

    def perform_destroy(self, instance: Collection) -> None:
        delete_collection(instance, by=person(self.request))


class PageSerializer(serializers.ModelSerializer):
    site = serializers.IntegerField(source="pk")
    owner: serializers.Field = serializers.SlugRelatedField("username", read_only=True)

    class Meta:
        model = Site
        fields = ["site", "name", "slug", "owner"]
        read_only_fields = fields


@extend_schema(parameters=[OpenApiParameter("collection", int, OpenApiParameter.PATH)])
class PageViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Search pages on which anybody may search a collection of yours, whoever owns the site."""

    queryset = Site.objects.none()
    serializer_class = PageSerializer
    lookup_url_kwarg = "site"
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        self.collection = own_collection_for(person(request), self.kwargs["collection"])

    def get_queryset(self) -> QuerySet[Site]:
        return published_sites().filter(collection=self.collection).select_related("owner").order_by("name")

    @extend_schema(request=None, responses={204: None})
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, **kwargs) -> Response:
        """Close the search page. The site's log goes on."""
        unpublish(self.get_object(), by=person(request))
        return Response(status=204)


def save(serializer: serializers.BaseSerializer, **fields) -> None:
    """Two may ask for the same name at once, so only the database can tell."""
    try:
        with transaction.atomic():
            serializer.save(**fields)
    except IntegrityError:
        raise NameTaken(
            f"There already is a collection “{serializer.validated_data.get('name')}”. Choose another name."
        ) from None
