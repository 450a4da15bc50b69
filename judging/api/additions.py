from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import graded_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Addition
from judging.studies.additions import Contents, contents_of, take_back


class AdditionSerializer(serializers.Serializer):
    """Documents that a launched study was given at once, and how many of them could be taken back now."""

    id = serializers.IntegerField(source="addition.pk")
    created = serializers.DateTimeField(source="addition.created")
    by = serializers.SerializerMethodField(help_text="A user name; null for what no person did.")
    documents = serializers.IntegerField(help_text="Those that have not been taken back.")
    judged = serializers.IntegerField(help_text="That somebody has judged: they stay.")
    held = serializers.IntegerField(help_text="That a worker has at this moment: they stay until they come free.")
    checks = serializers.IntegerField(help_text="That became checks since: they stay.")
    free = serializers.IntegerField(help_text="That can be taken back.")

    def get_by(self, contents: Contents) -> str | None:
        return str(contents.addition.by) if contents.addition.by else None


class TakenBackSerializer(serializers.Serializer):
    """How many documents went, and why the others stayed."""

    taken_back = serializers.IntegerField(help_text="Documents that nobody is asked to judge any more.")
    judged = serializers.IntegerField(help_text="That stayed because somebody has judged them.")
    held = serializers.IntegerField(help_text="That stayed because a worker has them at this moment.")
    checks = serializers.IntegerField(help_text="That stayed because they became checks.")


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class AdditionViewSet(viewsets.GenericViewSet):
    """What a launched graded study was given besides its pool. What nobody has judged or holds can be taken back."""

    queryset = Addition.objects.none()
    serializer_class = AdditionSerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Addition]:
        return graded_for(person(self.request), self.kwargs["study"]).additions.select_related("by")

    @extend_schema(responses=AdditionSerializer(many=True))
    def list(self, request: Request, **kwargs) -> Response:
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response(AdditionSerializer(contents_of(page), many=True).data)

    @extend_schema(responses=AdditionSerializer)
    def retrieve(self, request: Request, **kwargs) -> Response:
        (contents,) = contents_of([self.get_object()])
        return Response(AdditionSerializer(contents).data)

    @extend_schema(responses=TakenBackSerializer)
    def destroy(self, request: Request, **kwargs) -> Response:
        """Take back what nobody has judged or holds. If anything stays, so does the addition, and can be tried again later.

        A study that is closed or archived keeps all of it: 409.
        """
        addition = self.get_object()
        gone = take_back(addition, by=person(request))
        (left,) = contents_of([addition])
        stayed = {"judged": left.judged, "held": left.held, "checks": left.checks}
        return Response(TakenBackSerializer({"taken_back": gone, **stayed}).data)
