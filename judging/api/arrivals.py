from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import FOR_MEMBERS, sees_participants, study_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.audit import Deed, note
from judging.models import Arrival
from judging.pay.payouts import minutes
from judging.recruiting import arrivals

IDS = ["participant", "submission", "their_study"]


class ArrivalSerializer(serializers.ModelSerializer):
    worker = serializers.SerializerMethodField(help_text="What judgements call them; null for who did not consent.")
    participant = serializers.CharField(required=False, help_text="The marketplace's id of the person; only with `ids=true`.")
    submission = serializers.CharField(required=False, help_text="Of what is paid; only with `ids=true`.")
    their_study = serializers.CharField(required=False, help_text="Of the marketplace's study; only with `ids=true`.")
    judgements = serializers.IntegerField(read_only=True)
    minutes = serializers.SerializerMethodField(help_text="That documents were in view.")
    code = serializers.SerializerMethodField(help_text="What they were given to go back with.")

    class Meta:
        model = Arrival
        fields = ["id", "channel", "worker", *IDS, "outcome", "judgements", "minutes", "code", "arrived", "ended", "erased"]
        read_only_fields = fields

    def get_worker(self, arrival: Arrival) -> str | None:
        return str(arrival.worker) if arrival.worker else None

    def get_minutes(self, arrival: Arrival) -> float:
        return minutes(arrival)

    def get_code(self, arrival: Arrival) -> str:
        return arrivals.code_of(arrival)

    def to_representation(self, arrival: Arrival) -> dict:
        shown = super().to_representation(arrival)
        return shown if self.context.get("ids") else {name: value for name, value in shown.items() if name not in IDS}


IDS_PARAMETER = OpenApiParameter("ids", bool, description="With the marketplace's ids of people; for the study's members.")


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH), IDS_PARAMETER])
class ArrivalViewSet(viewsets.ReadOnlyModelViewSet):
    """Who came to a study from a marketplace, and what became of them."""

    queryset = Arrival.objects.none()
    serializer_class = ArrivalSerializer
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Arrival]:
        return arrivals.arrivals_of(study_for(person(self.request), self.kwargs["study"]))

    def get_serializer_context(self) -> dict:
        return {**super().get_serializer_context(), "ids": self.may_see_ids()}

    def may_see_ids(self) -> bool:
        if self.request is None or self.request.query_params.get("ids", "") not in ("true", "1"):
            return False
        study = study_for(person(self.request), self.kwargs["study"])
        if not sees_participants(person(self.request), study):
            raise PermissionDenied(FOR_MEMBERS)
        return True

    def list(self, request: Request, *args, **kwargs) -> Response:
        return self.noted(super().list(request, *args, **kwargs))

    def retrieve(self, request: Request, *args, **kwargs) -> Response:
        return self.noted(super().retrieve(request, *args, **kwargs))

    def noted(self, response: Response) -> Response:
        """Who was told participants' ids can be found again."""
        if self.may_see_ids():
            study = study_for(person(self.request), self.kwargs["study"])
            note(Deed.EXPORTED, "participants with their ids", person(self.request), study)
        return response

    @extend_schema(request=None, responses=ArrivalSerializer)
    @action(detail=True, methods=["post"])
    def erase(self, request: Request, **kwargs) -> Response:
        """Forget who the person is. Their judgements stay, under a number; it cannot be undone."""
        arrivals.erase(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
