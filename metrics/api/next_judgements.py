"""What to judge next, as the API gives it."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from judging.database.numbers import number_in
from metrics.kinds.runs.next_judgements import MOST, USUALLY, NextJudgements
from metrics.kinds.runs.words import what_is_open
from metrics.models import Report

BETWEENS = ["two", "all"]
BETWEEN = OpenApiParameter("between", str, enum=BETWEENS, default="two", description="Two runs, or all of the report.")
FIRST = OpenApiParameter("first", int, description="A run's id; the best run's if left out.")
SECOND = OpenApiParameter("second", int, description="A run's id; the next best run's if left out.")
N = OpenApiParameter("n", int, default=USUALLY, description=f"How many documents, at most {MOST:,}.")


def check(query: QueryDict, report: Report) -> None:
    """Raise ValidationError for a run that the report lacks, and for no number of documents; pages ignore such a choice."""
    runs = {run["id"] for run in report.spec["runs"]}
    for name in ("first", "second"):
        text = query.get(name, "")
        if name in query and number_in(text) not in runs:
            raise serializers.ValidationError({name: [f"“{text}” is no run of this report."]})
    if "second" in query and query.get("first") == query.get("second"):
        raise serializers.ValidationError({"second": ["It is the first run, too: name another."]})
    n = query.get("n", str(USUALLY))
    if not number_in(n):
        raise serializers.ValidationError({"n": [f"“{n}” is not a number from 1."]})


class NextDocumentSerializer(serializers.Serializer):
    topic = serializers.CharField()
    docno = serializers.CharField()
    change = serializers.FloatField(help_text="How far its grade is expected to move a difference between two runs' means.")


class BoundsSerializer(serializers.Serializer):
    """The ends of a difference, over all ways to grade what is unjudged."""

    first = serializers.CharField(help_text="A run's name.")
    second = serializers.CharField(help_text="A run's name.")
    low = serializers.FloatField(help_text="The smallest difference of the means, the first's less the second's.")
    high = serializers.FloatField(help_text="The largest.")
    order = serializers.IntegerField(help_text="1: the first is certain to be better; −1: the second is; 0: neither.")
    open = serializers.BooleanField(help_text="Whether a judgement that remains can change the order.")


class NextJudgementsSerializer(serializers.Serializer):
    """Which judgements could change an order of runs, and which orders are certain without them."""

    qrels = serializers.IntegerField()
    measure = serializers.CharField()
    words = serializers.CharField(help_text="Whether any judgement can still change an order.")
    topics = serializers.IntegerField(help_text="Those that all of these runs have and that have grades.")
    pooled = serializers.IntegerField(help_text="Documents that one of the runs ranks within the cutoff.")
    unjudged = serializers.IntegerField(help_text="Those of them without a grade.")
    open = serializers.IntegerField(help_text="How many orders of two runs can still change.")
    documents = NextDocumentSerializer(many=True, help_text="A topic's documents together.")
    pairs = BoundsSerializer(many=True)


def content_of(result: NextJudgements, qrels: int) -> Mapping[str, Any]:
    return {
        "qrels": qrels,
        "measure": str(result.measure),
        "words": what_is_open(result),
        "topics": len(result.pooled.topics),
        "pooled": result.pool_size,
        "unjudged": result.unjudged,
        "open": result.open_orders,
        "documents": result.documents.to_dicts(),
        "pairs": result.bounds.table.to_dicts(),
    }
