from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework import serializers, viewsets
from rest_framework.permissions import IsAuthenticated

from judging.access import collections_for, own_collection_for
from judging.api.ids import ID
from judging.api.who import OnlyResearchersCreate, person
from judging.deleting import delete_collection
from judging.models import Collection
from judging.storing import Taken


class CollectionSerializer(serializers.ModelSerializer):
    owner: serializers.Field = serializers.SlugRelatedField("username", read_only=True)

    class Meta:
        model = Collection
        fields = ["id", "name", "description", "notice", "owner", "shared", "created"]
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
    """Documents and topics that belong together, under their own ids. Changed and deleted by their owner."""

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
        return own_collection_for(person(self.request), self.kwargs["pk"])

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        save(serializer, owner=person(self.request))

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        save(serializer)

    def perform_destroy(self, instance: Collection) -> None:
        delete_collection(instance, by=person(self.request))


def save(serializer: serializers.BaseSerializer, **fields) -> None:
    """Two may ask for the same name at once, so only the database can tell."""
    try:
        with transaction.atomic():
            serializer.save(**fields)
    except IntegrityError:
        raise Taken(f"There already is a collection “{serializer.validated_data.get('name')}”. Choose another name.") from None
