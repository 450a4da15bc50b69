"""What to judge next, as the API gives it."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from metrics.kinds.runs.next_judgements import MOST, USUALLY, NextJudgements, in_words

BETWEEN = OpenApiParameter("between", str, enum=["two", "all"], default="two", description="Two runs, or all of the report.")
FIRST = OpenApiParameter("first", int, description="A run's id; the best run's if left out.")
SECOND = OpenApiParameter("second", int, description="A run's id; the next best run's if left out.")
N = OpenApiParameter("n", int, default=USUALLY, description=f"How many documents, at most {MOST:,}.")


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
        "words": in_words(result),
        "topics": len(result.pooled.topics),
        "pooled": result.pool_size,
        "unjudged": result.unjudged,
        "open": result.open_orders,
        "documents": result.documents.to_dicts(),
        "pairs": result.bounds.table.to_dicts(),
    }
