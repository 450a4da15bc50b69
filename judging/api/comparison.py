"""The comparison of a side-by-side study, as the API takes and gives it."""

from typing import Any

from django.core.exceptions import ValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.access import runs_for
from judging.api.plan import MetSerializer, out_of_reach_texts
from judging.api.requester import Accessible
from judging.forms.pairs import LONGEST, MOST_REASONS
from judging.models import Comparison
from judging.rules.reach import met_by_plan
from judging.studies.pair_plan import PairPlan
from judging.studies.pair_power import PairDetection
from judging.work.pair_answers import steps, words


class ComparisonSerializer(serializers.ModelSerializer):
    """Which runs are compared with which, on which topics, and what workers are asked."""

    reasons = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST), max_length=MOST_REASONS, required=False, help_text="What can be ticked."
    )
    baseline = Accessible(runs_for, required=False, allow_null=True, help_text="A run, for the pairing “baseline”.")
    answers = serializers.SerializerMethodField(help_text="What workers can answer, from left to right.")

    class Meta:
        model = Comparison
        fields = [
            "question", "points", "answers", "both_bad", "reasons", "marks_results", "mirrored",
            "pairing", "baseline", "budget", "topics", "topic_count",
        ]  # fmt: skip

    def get_answers(self, comparison: Comparison) -> list[str]:
        return [words(step, comparison) for step in steps(comparison)]

    def validate_reasons(self, reasons: list[str]) -> list[str]:
        return list(dict.fromkeys(reasons))

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        whole = {name: getattr(self.instance, name) for name in self.Meta.fields if name != "answers"} if self.instance else {}
        try:
            Comparison(**whole | data).full_clean(exclude=["study"])
        except ValidationError as error:
            raise serializers.ValidationError(getattr(error, "message_dict", error.messages)) from None
        return data


class DetectablePreferenceSerializer(serializers.Serializer):
    ties = serializers.FloatField(help_text="If this share of the topics are ties.")
    smallest = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Shares of decided topics; null where none is detectable."
    )
    needed = serializers.IntegerField(help_text="Topics for a share of `to_find`.")


class PairDetectionSerializer(serializers.Serializer):
    """The smallest true preference between two systems that so many topics are likely to show (exact sign test over topics)."""

    topics = serializers.ListField(child=serializers.IntegerField(), help_text="The study's, twice and four times as many.")
    power = serializers.FloatField()
    alpha = serializers.FloatField(help_text="Shared by all `comparisons` (Bonferroni).")
    comparisons = serializers.IntegerField()
    to_find = serializers.FloatField()
    rows = DetectablePreferenceSerializer(many=True)


class PairPlanSerializer(serializers.Serializer):
    """What launching a side-by-side study would ask for, and what it leaves out."""

    items = serializers.SerializerMethodField(help_text="Pairs of lists to be compared.")
    same = serializers.SerializerMethodField(help_text="Pairs that show the same: ties that nobody is asked for.")
    topics = serializers.IntegerField()
    systems = serializers.IntegerField()
    over_budget = serializers.IntegerField(help_text="Pairs that the budget has no room for.")
    without_topic = serializers.IntegerField(help_text="Results of topics that the collection lacks.")
    without_document = serializers.IntegerField(help_text="Results without a text to show.")
    overlap = serializers.IntegerField()
    judgements = serializers.IntegerField()
    repeats = serializers.IntegerField(help_text="Mirrored answers besides.")
    gold = serializers.IntegerField(help_text="Answers besides, to pairs of which the better list is known.")
    met = serializers.SerializerMethodField()
    rules_out_of_reach = serializers.SerializerMethodField(
        help_text="The study's rules that can hardly act on anybody, for want of answers, and why."
    )
    hours = serializers.FloatField()
    cost = serializers.DecimalField(max_digits=None, decimal_places=2)
    detection = serializers.SerializerMethodField(help_text="Null where nothing is to be compared.")

    def get_items(self, planned: PairPlan) -> int:
        return len(planned.items)

    @extend_schema_field(MetSerializer)
    def get_met(self, planned: PairPlan) -> dict:
        return MetSerializer(met_by_plan(planned)).data

    def get_rules_out_of_reach(self, planned: PairPlan) -> list[str]:
        return out_of_reach_texts(planned)

    def get_same(self, planned: PairPlan) -> int:
        return len(planned.same)

    @extend_schema_field(PairDetectionSerializer(allow_null=True))
    def get_detection(self, planned: PairPlan) -> dict | None:
        detection: PairDetection | None = self.context["detection"]
        return PairDetectionSerializer(detection).data if detection else None
