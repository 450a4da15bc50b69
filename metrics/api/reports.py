from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from judging.api.errors import Conflict
from judging.api.ids import ID, IdFilter
from judging.api.negotiation import FormatIsOurs
from judging.api.requester import OnlyResearchersCreate, person
from judging.audit import Deed, note, quoted
from judging.database.numbers import number_in
from judging.models import User
from metrics.access import evident_reports_for, own_report_for, reports_for, run_reports_for
from metrics.api import comparisons, next_judgements
from metrics.api.links import Shares
from metrics.api.serializers import (
    AnyReportSerializer,
    CurvesSerializer,
    QuestionSerializer,
    ReportSerializer,
    ReportWithResultSerializer,
    ValuesSerializer,
)
from metrics.downloads import PARQUET, attachment
from metrics.kinds.overview import with_sentences
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.curves import Points, curves
from metrics.kinds.runs.files import FILES, filename, trec_text
from metrics.kinds.runs.next_judgements import chosen_judgements
from metrics.kinds.runs.parts import is_current
from metrics.kinds.runs.question import ask_again
from metrics.kinds.runs.results import Outcome, outcome_of, values
from metrics.kinds.runs.topic_sets import relevant_found
from metrics.kinds.runs.versions import ask_newest, newer_qrels
from metrics.models import Report, ReportQuerySet

FILE = OpenApiParameter("file", str, enum=[*FILES, "trec"], default="report.json", description="Which of the report's files.")
RUN = OpenApiParameter("run", int, description="A run's id; the first run's if left out.")
QRELS = OpenApiParameter("qrels", int, description="The qrels' id; the first ones' if left out.")
TOPIC = OpenApiParameter("topic", str, description="One topic's number, for its own curve of precision by recall.")
CONTENT_TYPES = ("application/json", "text/csv", "text/plain", PARQUET)


class ReportFilter(filters.FilterSet):
    collection = IdFilter(field_name="collection_id", help_text="A collection's id.")

    class Meta:
        model = Report
        fields = ["state"]


class AnyReportFilter(filters.FilterSet):
    collection = IdFilter(method="of_collection", help_text="A collection's id: of its runs, studies, sites and systems.")

    def of_collection(self, reports: ReportQuerySet, name: str, key: int) -> ReportQuerySet:
        return reports.of_collection(key)

    class Meta:
        model = Report
        fields = ["kind", "state"]


class ReportViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, Shares):
    """How well each run did by each measure under each qrels; computed in the background, so ask until `state` is "done"."""

    queryset = Report.objects.none()
    serializer_class = ReportSerializer
    filterset_class = ReportFilter
    permission_classes = [IsAuthenticated, OnlyResearchersCreate]
    content_negotiation_class = FormatIsOurs
    lookup_value_regex = ID

    def get_queryset(self) -> QuerySet[Report]:
        readable = (
            run_reports_for if self.request.method in SAFE_METHODS else evident_reports_for
        )  # asking and sharing needs the evidence
        return readable(person(self.request)).with_progress()

    @extend_schema(operation_id="reports_all_list", responses=AnyReportSerializer(many=True))
    @action(detail=False, url_path="all", serializer_class=AnyReportSerializer, filterset_class=AnyReportFilter)
    def of_every_kind(self, request: Request, **kwargs: Any) -> Response:
        """Every report that you may see, of whatever kind, each with what it found in one sentence."""
        reports = self.filter_queryset(with_sentences(reports_for(person(request))))
        page = self.paginate_queryset(reports) or []
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(request=QuestionSerializer, responses={201: ReportSerializer})
    def create(self, request: Request, **kwargs: Any) -> Response:
        """Ask a question. If it was asked before, its report is the answer."""
        question = QuestionSerializer(data=request.data, context=self.get_serializer_context())
        question.is_valid(raise_exception=True)
        report = question.save()
        return Response(ReportSerializer(self.get_queryset().get(pk=report.pk)).data, status=201)

    @extend_schema(responses=ReportWithResultSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """A report, with its results once it is done."""
        return Response(ReportWithResultSerializer(self.get_object(), context=self.get_serializer_context()).data)

    def perform_destroy(self, instance: Report) -> None:
        own_report_for(person(self.request), instance.pk).delete()

    @extend_schema(request=None, responses=ReportSerializer)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, **kwargs: Any) -> Response:
        """Ask a report's question again: of a failed one, or one that an earlier version computed. Answers with its report."""
        report = self.get_object()
        if not report.is_failed and not (report.is_done and not is_current(report)):
            raise Conflict("Only a failed report, or one of an earlier version, can be tried again.")
        return self.answer_to(ask_again, report)

    @extend_schema(request=None, responses=ReportSerializer)
    @action(detail=True, methods=["post"])
    def newest(self, request: Request, **kwargs: Any) -> Response:
        """Ask a report's question of the newest versions of its qrels. Answers with their report."""
        report = self.get_object()
        if not newer_qrels(report, person(request)):
            raise Conflict("Its qrels are the newest.")
        return self.answer_to(ask_newest, report)

    def answer_to(self, ask: Callable[[Report, User], Report], report: Report) -> Response:
        answer = ask(report, person(self.request))
        return Response(ReportSerializer(self.get_queryset().get(pk=answer.pk)).data)

    @extend_schema(responses=ValuesSerializer, parameters=[RUN, QRELS], filters=False)
    @action(detail=True, url_path="values")
    def topic_values(self, request: Request, **kwargs: Any) -> Response:
        """Every measure's value for each topic of one run under one qrels."""
        report = self.finished()
        outcome = self.outcome(report)
        frame = values(report, qrels=outcome.qrels, run=outcome.run)
        columns = {name: frame[name].to_list() for name in report.spec["measures"]}
        return Response({"run": outcome.run, "qrels": outcome.qrels, "topics": frame["topic"].to_list(), "values": columns})

    @extend_schema(responses=CurvesSerializer, parameters=[RUN, QRELS, TOPIC], filters=False)
    @action(detail=True, url_path="curves")
    def run_curves(self, request: Request, **kwargs: Any) -> Response:
        """The curves of one run under one qrels: means over its topics, or precision by recall of a single topic.

        A report that is older than its curves has few.
        """
        report = self.finished()
        outcome = self.outcome(report)
        topic = request.query_params.get("topic")
        traced = curves(report, outcome) if topic is None else self.curve_of(report, outcome, topic)
        points = {name: {"x": x, "value": value} for name, (x, value) in traced.items()}
        topics = outcome.topics if topic is None else 1
        return Response({"run": outcome.run, "qrels": outcome.qrels, "topics": topics, "curves": points})

    def curve_of(self, report: Report, outcome: Outcome, topic: str) -> dict[str, Points]:
        """Precision by recall at each relevant document that the run found for the topic; 404 for a topic that does not count."""
        if topic not in values(report, qrels=outcome.qrels, run=outcome.run)["topic"]:
            raise Http404("This topic does not count for the run.")
        points = relevant_found(report, outcome, topic)
        return {"precision": (points.recalls, points.precisions)}

    @extend_schema(
        responses=comparisons.DifferencesSerializer,
        parameters=[comparisons.MEASURE, comparisons.QRELS, comparisons.TEST, comparisons.CORRECTION],
        filters=False,
    )
    @action(detail=True)
    def differences(self, request: Request, **kwargs: Any) -> Response:
        """Which runs differ by one measure under one qrels, and how surely; from the largest difference to the smallest."""
        differences = comparisons.differences(request.query_params, self.finished())
        return Response(comparisons.DifferencesSerializer(differences).data)

    @extend_schema(
        responses=comparisons.AgreementSerializer,
        parameters=[comparisons.MEASURE, comparisons.QRELS, comparisons.ORDERING, comparisons.RANKING],
        filters=False,
    )
    @action(detail=True)
    def agreement(self, request: Request, **kwargs: Any) -> Response:
        """How alike measures and qrels order the runs, and how alike runs rank documents."""
        agreement = comparisons.agreement(request.query_params, self.finished())
        return Response(comparisons.AgreementSerializer(agreement).data)

    @extend_schema(
        responses=next_judgements.NextJudgementsSerializer,
        parameters=[
            comparisons.MEASURE,
            comparisons.QRELS,
            next_judgements.BETWEEN,
            next_judgements.FIRST,
            next_judgements.SECOND,
            next_judgements.N,
        ],
        filters=False,
    )
    @action(detail=True, url_path="next")
    def judge_next(self, request: Request, **kwargs: Any) -> Response:
        """Which documents to judge next, and whether any judgement can still change an order of runs."""
        report = self.finished()
        comparisons.qrels_in(request.query_params, report)
        comparisons.choice_in(request.query_params, "measure", report.spec["measures"])
        comparisons.choice_in(request.query_params, "between", next_judgements.BETWEENS)
        next_judgements.check(request.query_params, report)
        choice = Choice.read(request.query_params, report)
        result = chosen_judgements(request.query_params, choice)
        return Response(next_judgements.NextJudgementsSerializer(next_judgements.content_of(result, choice.qrels)).data)

    @extend_schema(
        responses={(200, content_type): OpenApiTypes.BINARY for content_type in CONTENT_TYPES},
        parameters=[FILE, RUN, QRELS],
        filters=False,
    )
    @action(detail=True)
    def download(self, request: Request, **kwargs: Any) -> HttpResponse:
        """Means, topics, tags, curves, differences or agreement as CSV or Parquet, all as JSON, or a run for trec_eval."""
        report = self.finished()
        kind = request.query_params.get("file", "report.json")
        if kind != "trec" and kind not in FILES:
            raise serializers.ValidationError({"file": [f"“{kind}” is not one of {', '.join(FILES)}, trec."]})
        outcome = self.outcome(report) if kind == "trec" else None
        what = f"{outcome.name}, eval.txt" if outcome else kind
        note(Deed.EXPORTED, f"report {quoted(report)}, {what}", person(request), collection=report.subject)
        if outcome:
            return attachment(trec_text(report, outcome), "text/plain; charset=utf-8", filename(report, outcome.name, "eval.txt"))
        file = FILES[kind]
        return attachment(file.write(report), file.content_type, filename(report, kind))

    def finished(self) -> Report:
        report = self.get_object()
        if not report.is_done:
            raise Conflict(f"This report is {report.get_state_display().lower()}: it has no numbers yet.")
        return report

    def outcome(self, report: Report) -> Outcome:
        """The outcome of the run and qrels that the query string names, else of the first ones."""
        named: dict[str, int] = {}
        for field, evidence in {"run": "runs", "qrels": "qrels"}.items():
            text = self.request.query_params.get(field, str(report.spec[evidence][0]["id"]))
            number = number_in(text)
            if number is None:
                raise serializers.ValidationError({field: [f"“{text}” is not an id."]})
            named[field] = number
        outcome = outcome_of(report, **named)
        if outcome is None:
            raise Http404("This report knows no such run or qrels.")
        return outcome
