from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.access import study_for
from judging.api.ids import ID
from judging.api.requester import person
from judging.models import Exclusion, Rule
from judging.rules import enforcement


class ActedSerializer(serializers.ModelSerializer):
    worker = serializers.IntegerField(source="worker_id")

    class Meta:
        model = Exclusion
        fields = ["worker", "standing", "reason", "created", "lifted"]
        read_only_fields = fields


class RuleSerializer(serializers.ModelSerializer):
    says = serializers.SerializerMethodField(help_text="The rule as a sentence.")
    acted = ActedSerializer(source="exclusions", many=True, read_only=True, help_text="Whom it has caught so far.")

    class Meta:
        model = Rule
        fields = ["id", "signal", "threshold", "least", "action", "says", "acted", "created", "ended"]
        read_only_fields = ["created", "ended"]

    def get_says(self, rule: Rule) -> str:
        return enforcement.rule_sentence(rule)

    def validate(self, data: dict) -> dict:
        enforcement.check(Rule(study=self.context["view"].study, **data))
        return data


class CaughtSerializer(serializers.Serializer):
    worker = serializers.IntegerField()
    value = serializers.FloatField()
    of = serializers.IntegerField(help_text="How many answers of that kind.")
    why = serializers.CharField()


class PreviewSerializer(serializers.Serializer):
    caught = CaughtSerializer(many=True, help_text="On whom it would act now.")
    already = serializers.SerializerMethodField(help_text="Workers whom it catches, too, but who stand as badly already.")
    workers = serializers.IntegerField(help_text="Who answered so far.")
    votes = serializers.IntegerField(help_text="That would be taken away.")
    items = serializers.IntegerField(help_text="On how many items.")
    ordered = serializers.IntegerField(help_text="How many judgements would be ordered anew.")
    cost = serializers.DecimalField(max_digits=12, decimal_places=2, help_text="Of these, in the study's currency.")

    def get_already(self, preview: enforcement.RulePreview) -> list[int]:
        return [violation.worker for violation, _ in preview.already]


@extend_schema(parameters=[OpenApiParameter("study", int, OpenApiParameter.PATH)])
class RuleViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """What happens to workers whose work looks a certain way. A rule that is made acts at once, and then once a minute."""

    queryset = Rule.objects.none()
    serializer_class = RuleSerializer
    lookup_value_regex = ID

    def initial(self, request: Request, *args, **kwargs) -> None:
        super().initial(request, *args, **kwargs)
        self.study = study_for(person(request), self.kwargs["study"])

    def get_queryset(self) -> QuerySet[Rule]:
        return self.study.rules.select_related("study").prefetch_related("exclusions").order_by("id")

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        rule = enforcement.make(Rule(study=self.study, **serializer.validated_data), by=person(self.request))
        serializer.instance = self.get_queryset().get(pk=rule.pk)

    @extend_schema(request=RuleSerializer, responses=PreviewSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request, **kwargs) -> Response:
        """What making the rule would do now. It changes nothing."""
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        preview = enforcement.preview(self.study, Rule(study=self.study, **serializer.validated_data))
        return Response(PreviewSerializer(preview).data)

    @extend_schema(request=None, responses={202: None})
    @action(detail=False, methods=["post"], url_path="apply")
    def apply_now(self, request: Request, **kwargs) -> Response:
        """Apply the rules in force now, also to a study that is paused or closed."""
        enforcement.ask(self.study)
        return Response(status=202)

    @extend_schema(request=None, responses=RuleSerializer)
    @action(detail=True, methods=["post"])
    def end(self, request: Request, **kwargs) -> Response:
        """Let the rule catch nobody any more. What it did stays until somebody takes it back."""
        enforcement.end(self.get_object(), by=person(request))
        return Response(self.get_serializer(self.get_object()).data)
