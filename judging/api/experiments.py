"""Experiments as researchers draft, start and stop them."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import experiments_for, own_experiment_for, own_sites_for, runs_for
from judging.api.errors import Conflict
from judging.api.ids import ID, IdFilter
from judging.api.requester import Accessible, OnlyResearchersCreate, person
from judging.experiments import drafts, lifecycle
from judging.models import Arm, Experiment, Site


class ArmSerializer(serializers.ModelSerializer):
    run = Accessible(runs_for, required=False, allow_null=True, help_text="On a search page of ours: whose results.")

    class Meta:
        model = Arm
        fields = ["name", "weight", "is_control", "ranker", "run"]
        validators: list = []


class GroupField(serializers.CharField):
    """A group by its name; none is null, or an empty name."""

    def to_representation(self, group: Any) -> str:
        return group.name

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(data) or ""


class ExperimentSerializer(serializers.ModelSerializer):
    site = Accessible(own_sites_for)
    arms = ArmSerializer(  # type: ignore[call-arg]  # max_length is for the list
        many=True, required=False, max_length=drafts.MOST_ARMS, help_text="In the order in which the lot counts them."
    )
    group = GroupField(
        max_length=60, required=False, allow_blank=True, allow_null=True, help_text="Its name; made if there is none such."
    )
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=80), required=False, max_length=30, help_text="By name; the first one decides."
    )
    segments = serializers.ListField(
        child=serializers.CharField(max_length=drafts.LONGEST_SEGMENT), required=False, max_length=drafts.MOST_SEGMENTS
    )

    class Meta:
        model = Experiment
        fields = [
            "id", "site", "name", "hypothesis", "kind", "method", "depth", "arms", "unit", "traffic", "group", "salt",
            "metrics", "segments", "looks", "planned", "alpha", "before_days", "state", "created", "started", "stopped",
        ]  # fmt: skip
        read_only_fields = ["salt", "state", "created", "started", "stopped"]
        validators: list = []  # a name that is taken is a conflict, not a mistake in the form

    def validate_site(self, site: Site) -> Site:
        if self.instance and self.instance.site_id != site.pk:
            raise serializers.ValidationError("An experiment stays with its site.")
        return site

    def create(self, validated_data: dict) -> Experiment:
        arms = [Arm(**arm) for arm in validated_data.pop("arms", [])]
        return drafts.create(validated_data.pop("site"), by=person(self.context["request"]), arms=arms, **validated_data)

    def update(self, experiment: Experiment, validated_data: dict) -> Experiment:
        validated_data.pop("site", None)
        if "arms" in validated_data:
            validated_data["arms"] = [Arm(**arm) for arm in validated_data["arms"]]
        return drafts.change(experiment, **validated_data)


class ExperimentFilter(filters.FilterSet):
    site = IdFilter(field_name="site_id", help_text="A site's id.")

    class Meta:
        model = Experiment
        fields = ["state", "kind"]


class ExperimentViewSet(viewsets.ModelViewSet):
    """Experiments on the users of your sites. A draft may be changed; what has started never is."""

    queryset = Experiment.objects.none()
    serializer_class = ExperimentSerializer
    filterset_class = ExperimentFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    lookup_value_regex = ID
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]

    def get_queryset(self) -> QuerySet[Experiment]:
        experiments = experiments_for(person(self.request)).select_related("group", "site").prefetch_related("arms")
        return experiments.order_by("-id")

    def get_object(self) -> Experiment:
        """Readers of a site read its experiments, its owner changes them."""
        experiment = super().get_object()
        return (
            experiment
            if self.request.method in {"GET", "HEAD", "OPTIONS"}
            else own_experiment_for(person(self.request), experiment.pk)
        )

    def perform_destroy(self, instance: Experiment) -> None:
        drafts.delete(instance, by=person(self.request))

    @extend_schema(request=None, responses=ExperimentSerializer)
    @action(detail=True, methods=["post"])
    def start(self, request: Request, **kwargs) -> Response:
        """Let users in. From now on nothing about it can be changed; sites are told within a few seconds."""
        lifecycle.start(self.get_object(), by=person(request))
        return self.as_it_is()

    @extend_schema(request=None, responses=ExperimentSerializer)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, **kwargs) -> Response:
        """Let nobody in any more, for good. Its part of a group is free for another experiment."""
        if not lifecycle.stop(self.get_object(), by=person(request)):
            raise Conflict("This experiment is not running.")
        return self.as_it_is()

    def as_it_is(self) -> Response:
        return Response(self.get_serializer(self.get_queryset().get(pk=self.kwargs["pk"])).data)
