"""Differences between a report's runs and the agreement of its orders, as the API gives them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from judging.database.numbers import number_in
from metrics.kinds.runs.correlation import FEWEST_RUNS, ORDERINGS, RANKINGS, Alike, measures_alike, qrels_alike, runs_alike
from metrics.kinds.runs.differences import CORRECTIONS, TESTS, Differences, in_words, measures_of
from metrics.kinds.runs.values import ranking_measures
from metrics.models import Report

MEASURE = OpenApiParameter("measure", str, description="One of the report's measures; the first that compares, if left out.")
QRELS = OpenApiParameter("qrels", int, description="The qrels' id; the first ones' if left out.")
TEST = OpenApiParameter("test", str, enum=list(TESTS), default="t", description="Tukey is of all pairs at once, and randomised.")
CORRECTION = OpenApiParameter("correction", str, enum=list(CORRECTIONS), default="holm", description="Tukey needs none.")
ORDERING = OpenApiParameter("ordering", str, enum=list(ORDERINGS), default="kendall_b", description="Of orders of runs.")
RANKING = OpenApiParameter("ranking", str, enum=list(RANKINGS), default="rbo", description="Of rankings of documents.")


class PairSerializer(serializers.Serializer):
    """Two runs, the one with the better mean first. Null: too few topics, or left out because it would have taken too long."""

    first = serializers.IntegerField(help_text="A run's id.")
    second = serializers.IntegerField(help_text="A run's id.")
    n = serializers.IntegerField(help_text="Topics that all runs count.")
    difference = serializers.FloatField(help_text="The first's mean less the second's.")
    low = serializers.FloatField(allow_null=True, help_text="The 95 % interval begins here.")
    high = serializers.FloatField(allow_null=True, help_text="The 95 % interval ends here.")
    effect = serializers.FloatField(allow_null=True, help_text="Hedges' g.")
    p = serializers.FloatField(allow_null=True)
    corrected = serializers.FloatField(allow_null=True, help_text="p, corrected for the number of pairs.")


class DifferencesSerializer(serializers.Serializer):
    qrels = serializers.IntegerField()
    measure = serializers.CharField()
    test = serializers.ChoiceField(list(TESTS))
    correction = serializers.ChoiceField(list(CORRECTIONS))
    words = serializers.CharField(help_text="What can be told apart.")
    runs = serializers.ListField(child=serializers.IntegerField(), help_text="Ids of the runs with a mean, the best first.")
    pairs = PairSerializer(many=True)


class AlikeSerializer(serializers.Serializer):
    first = serializers.CharField()
    second = serializers.CharField()
    n = serializers.IntegerField(help_text="How many runs (or topics of two runs) it was computed over.")
    value = serializers.FloatField(allow_null=True)


class AgreementSerializer(serializers.Serializer):
    """Names stand for themselves. Measures and qrels are compared by how they order the runs, of which it takes three."""

    qrels = serializers.IntegerField()
    measure = serializers.CharField()
    ordering = serializers.ChoiceField(list(ORDERINGS))
    ranking = serializers.ChoiceField(list(RANKINGS))
    by_measure = AlikeSerializer(many=True, help_text="Every two measures, under these qrels.")
    by_qrels = AlikeSerializer(many=True, help_text="Every two qrels, by this measure.")
    by_run = AlikeSerializer(many=True, allow_null=True, help_text="Every two runs' rankings; null: left out, too many runs.")


def differences(query: QueryDict, report: Report) -> dict[str, Any]:
    found = Differences(
        report=report,
        qrels=asked_qrels(query, report),
        measure=asked(query, "measure", measures_of(report)),
        test=(test := asked(query, "test", TESTS)),
        correction="none" if test == "tukey" else asked(query, "correction", CORRECTIONS),
    )
    return {
        "qrels": found.qrels,
        "measure": found.measure,
        "test": found.test,
        "correction": found.correction,
        "words": in_words(found),
        "runs": [one.run for one in found.runs],
        "pairs": [pair._asdict() for pair in found.pairs],
    }


def agreement(query: QueryDict, report: Report) -> dict[str, Any]:
    qrels, measure = asked_qrels(query, report), asked(query, "measure", ranking_measures(report.spec["measures"]))
    ordering, ranking = asked(query, "ordering", ORDERINGS), asked(query, "ranking", RANKINGS)
    runs = [run["id"] for run in report.spec["runs"]]
    enough = len(runs) >= FEWEST_RUNS
    by_run = runs_alike(report, runs, ranking)
    return {
        "qrels": qrels,
        "measure": measure,
        "ordering": ordering,
        "ranking": ranking,
        "by_measure": pairs(measures_alike(report, qrels, ordering)) if enough else [],
        "by_qrels": pairs(qrels_alike(report, measure, ordering)) if enough else [],
        "by_run": None if by_run is None else pairs(by_run),
    }


def pairs(found: Alike) -> list[dict[str, Any]]:
    return [{"first": first, "second": second, "n": n, "value": value} for first, second, n, value in found.pairs]


def asked(query: QueryDict, name: str, choices: Iterable[str] | Mapping[str, str]) -> str:
    """What the query string names, else the first; ValidationError for what does not exist."""
    known = list(choices)
    given = query.get(name, known[0] if known else "")
    if given not in known:
        expected = ", ".join(known) or "none: this report has nothing to compare by"
        raise serializers.ValidationError({name: [f"“{given}” is not one of {expected}."]})
    return given


def asked_qrels(query: QueryDict, report: Report) -> int:
    ids = [one["id"] for one in report.spec["qrels"]]
    given = query.get("qrels", str(ids[0]))
    if (number := number_in(given)) in ids and number is not None:
        return number
    raise serializers.ValidationError({"qrels": [f"“{given}” is not one of {', '.join(map(str, ids))}."]})
