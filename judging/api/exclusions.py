from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import study_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Exclusion, Worker
from judging.work import exclusions

SET_ASIDE = Exclusion._meta.get_field("standing").choices  # as the schema calls them


class ExclusionSerializer(serializers.ModelSerializer):
    reason = serializers.CharField(max_length=2000, help_text="For the researchers, and for the worker where they ask.")
    by = serializers.SerializerMethodField(help_text="A user name; null for what a rule or the qualification test did.")
    lifted_by = serializers.SerializerMethodField()

    class Meta:
        model = Exclusion
        fields = ["id", "standing", "reason", "by", "rule", "created", "lifted", "lifted_by"]
        read_only_fields = ["rule", "created", "lifted"]

    def get_by(self, exclusion: Exclusion) -> str | None:
        return str(exclusion.by) if exclusion.by else None

    def get_lifted_by(self, exclusion: Exclusion) -> str | None:
        return str(exclusion.lifted_by) if exclusion.lifted_by else None


PATH = [OpenApiParameter(name, int, OpenApiParameter.PATH) for name in ("study", "worker")]


@extend_schema(parameters=PATH)
class ExclusionViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """Why a worker was warned, gets no more work, or has no vote, and since when no longer. Lifted, never deleted."""

    queryset = Exclusion.objects.none()
    serializer_class = ExclusionSerializer
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        study = study_for(person(request), self.kwargs["study"])
        self.worker = get_object_or_404(Worker.objects.select_related("study"), study=study, pk=self.kwargs["worker"])

    def get_queryset(self) -> QuerySet[Exclusion]:
        return self.worker.exclusions.select_related("by", "lifted_by").order_by("-id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        """Set the worker aside: `warned`, `blocked` (no more work) or `excluded` (and no votes, which are ordered anew)."""
        wanted = serializer.validated_data
        standing = Worker.Standing(wanted["standing"])
        serializer.instance = exclusions.exclude(self.worker, reason=wanted["reason"], standing=standing, by=person(self.request))

    @extend_schema(request=None, responses=ExclusionSerializer)
    @action(detail=True, methods=["post"])
    def lift(self, request: Request, **kwargs) -> Response:
        """Take it back: if nothing else stands against them, the worker goes on, and their judgements vote again."""
        exclusions.lift(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
