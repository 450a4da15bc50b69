"""Reports as the API gives and takes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ireval import DEFAULT_PROFILE, PROFILES
from judging.access import collections_for, qrels_for, runs_for
from judging.api.requester import Accessible, person
from judging.collections.duplicate_search import found_in
from judging.models import Collection, NearDuplicates
from metrics.access import run_reports_for
from metrics.api.standing import VersionSerializer
from metrics.kinds.overview import sentence
from metrics.kinds.runs.question import DEFAULT_MEASURES, MOST_MEASURES, request_report
from metrics.kinds.runs.results import graded_by, outcomes
from metrics.kinds.runs.rules import DEEPEST_CUT, HIGHEST_GRADE, TIES, TOPICS, USUAL, counts_once
from metrics.kinds.runs.versions import newer_qrels, other_versions
from metrics.kinds.runs.words import cautions
from metrics.models import SUBJECTS, Report


class EvidenceSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the stored file.")


class EstimateSerializer(serializers.Serializer):
    """A mean over topics with the ends of its 95 % interval. Counts are sums and have no interval."""

    mean = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class OutcomeSerializer(serializers.Serializer):
    """What one run reached under one qrels."""

    run = serializers.IntegerField(help_text="The run's id.")
    qrels = serializers.IntegerField(help_text="The qrels' id.")
    topics = serializers.IntegerField(help_text="How many topics were counted.")
    means = serializers.DictField(child=EstimateSerializer(), help_text="By measure.")
    judged = serializers.FloatField(allow_null=True, help_text="Judged@10: the share of the first ten documents that is judged.")
    precisions = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="Interpolated precision at recall 0, 0.1, … 1."
    )


class ReportSerializer(serializers.ModelSerializer):
    runs = EvidenceSerializer(many=True, source="spec.runs")
    qrels = EvidenceSerializer(many=True, source="spec.qrels")
    measures = serializers.ListField(child=serializers.CharField(), source="spec.measures")
    profile = serializers.CharField(source="spec.profile")
    topics = serializers.CharField(source="spec.topics", help_text='Which count: "both" or "qrels".')
    relevant_from = serializers.IntegerField(source="spec.relevant_from")
    depth = serializers.IntegerField(
        source="spec.depth", default=USUAL["depth"], allow_null=True, help_text="Rankings are cut there; null: nowhere."
    )
    judged_only = serializers.BooleanField(source="spec.judged_only", default=USUAL["judged_only"])
    ties = serializers.CharField(source="spec.ties", default=USUAL["ties"], help_text="Of equal scores: profile, best or worst.")
    duplicates_once = serializers.SerializerMethodField(help_text="Whether near-duplicates count once.")
    steps = serializers.IntegerField(help_text="Its parts: runs × qrels.")
    done_steps = serializers.IntegerField(help_text="How many of its steps (runs × qrels) are computed.")

    class Meta:
        model = Report
        fields = [
            "id", "collection", "title", "state", "steps", "done_steps", "error", "runs", "qrels", "measures", "profile",
            "topics", "relevant_from", "depth", "judged_only", "ties", "duplicates_once", "digest", "engine_version", "created",
            "finished",
        ]  # fmt: skip
        read_only_fields = fields

    def get_duplicates_once(self, report: Report) -> bool:
        return counts_once(report.spec)


class SubjectSerializer(serializers.Serializer):
    """What a report is about."""

    type = serializers.ChoiceField(sorted(set(SUBJECTS.values())))
    id = serializers.IntegerField()
    name = serializers.CharField()


class AnyReportSerializer(serializers.ModelSerializer):
    """A report of any kind, in one sentence."""

    subject = serializers.SerializerMethodField()
    sentence = serializers.SerializerMethodField(help_text="What it found, or why it failed; empty while it is computed.")
    url = serializers.SerializerMethodField(help_text="Its page.")

    class Meta:
        model = Report
        fields = ["id", "kind", "subject", "title", "state", "sentence", "url", "as_of", "engine_version", "created", "finished"]
        read_only_fields = fields

    @extend_schema_field(SubjectSerializer)
    def get_subject(self, report: Report) -> Any:
        return {"type": report.about, "id": report.subject.pk, "name": report.subject.name}

    def get_sentence(self, report: Report) -> str:
        return sentence(report, person(self.context["request"]))

    def get_url(self, report: Report) -> str:
        return report.get_absolute_url()


class ReportWithResultSerializer(ReportSerializer):
    results = serializers.SerializerMethodField(help_text="Null until the report is done.")
    cautions = serializers.SerializerMethodField(help_text="What a reader could get wrong, a sentence each.")
    newer_qrels = serializers.SerializerMethodField(help_text="Newer versions of its qrels: POST to `newest/` to ask the same.")
    versions = serializers.SerializerMethodField(help_text="Other reports of the same question, the newest first.")

    class Meta(ReportSerializer.Meta):
        fields = [*ReportSerializer.Meta.fields, "results", "cautions", "newer_qrels", "versions"]
        read_only_fields = fields

    @extend_schema_field(OutcomeSerializer(many=True, allow_null=True))
    def get_results(self, report: Report) -> Any:
        return OutcomeSerializer(outcomes(report), many=True).data if report.is_done else None

    def get_cautions(self, report: Report) -> list[str]:
        return cautions(report, graded_by(report)) if report.is_done else []

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_newer_qrels(self, report: Report) -> list[int]:
        return [version.pk for version in newer_qrels(report, person(self.context["request"]))]

    @extend_schema_field(VersionSerializer(many=True))
    def get_versions(self, report: Report) -> Any:
        user = person(self.context["request"])
        others = other_versions(report, run_reports_for(user), user) if report.is_done else []
        return VersionSerializer(others, many=True).data


class QuestionSerializer(serializers.Serializer):
    """What a report shall answer. The same question gives the same report."""

    collection = Accessible(collections_for)
    runs = Accessible(runs_for, many=True, allow_empty=False)
    qrels = Accessible(qrels_for, many=True, allow_empty=False)
    measures = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=MOST_MEASURES,
        help_text=f"Names as in ir_measures, trec_eval or everyday use. Left out: {DEFAULT_MEASURES}.",
    )
    profile = serializers.ChoiceField(list(PROFILES), default=DEFAULT_PROFILE, help_text="Whose conventions.")
    topics = serializers.ChoiceField(list(TOPICS.items()), default="both", help_text="Which topics count.")
    relevant_from = serializers.IntegerField(
        min_value=1, max_value=HIGHEST_GRADE, default=1, help_text="The lowest grade that counts as relevant."
    )
    depth = serializers.IntegerField(
        min_value=1, max_value=DEEPEST_CUT, default=None, allow_null=True, help_text="Cut rankings at this rank (trec_eval -M)."
    )
    judged_only = serializers.BooleanField(default=False, help_text="Leave unjudged documents out (trec_eval -J).")
    ties = serializers.ChoiceField(list(TIES.items()), default="profile", help_text="Which of several equal scores comes first.")
    duplicates_once = serializers.BooleanField(
        default=False, help_text="Count of each group of the collection's near-duplicates only the first retrieved."
    )
    title = serializers.CharField(max_length=200, allow_blank=True, default="")

    def create(self, validated_data: dict[str, Any]) -> Report:
        if validated_data.pop("duplicates_once"):
            validated_data["duplicates"] = self.duplicates_of(validated_data["collection"])
        return request_report(by=person(self.context["request"]), **validated_data)

    def duplicates_of(self, collection: Collection) -> NearDuplicates:
        if duplicates := found_in(collection):
            return duplicates
        raise serializers.ValidationError({"duplicates_once": ["Look for the collection's near-duplicates first."]})


class ValuesSerializer(serializers.Serializer):
    """Per-topic values as columns: each measure's stand in the order of `topics`."""

    run = serializers.IntegerField()
    qrels = serializers.IntegerField()
    topics = serializers.ListField(child=serializers.CharField())
    values = serializers.DictField(child=serializers.ListField(child=serializers.FloatField()), help_text="By measure.")


class CurveSerializer(serializers.Serializer):
    """Points in order: gain by rank from 1, interpolated precision by recall, ROC by the share of non-relevant documents."""

    x = serializers.ListField(child=serializers.FloatField())
    value = serializers.ListField(child=serializers.FloatField())


class CurvesSerializer(serializers.Serializer):
    run = serializers.IntegerField()
    qrels = serializers.IntegerField()
    topics = serializers.IntegerField(help_text="How many topics the curves are means over.")
    curves = serializers.DictField(
        child=CurveSerializer(),
        help_text="By name: interpolated precision, CG, ideal CG, nCG, DCG, ideal DCG, nDCG, nCG micro, nDCG micro, ROC; "
        "of a single topic precision.",
    )
