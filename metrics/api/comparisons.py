"""Differences between a report's runs, and rank correlations, as the API gives them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from judging.database.numbers import number_in
from metrics.kinds.runs.correlation import (
    FEWEST_RUNS,
    ORDERINGS,
    RANKINGS,
    Correlations,
    measure_correlations,
    qrels_correlations,
    run_correlations,
)
from metrics.kinds.runs.difference_words import in_words
from metrics.kinds.runs.differences import CORRECTIONS, TESTS, Differences, measures_of
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
    low = serializers.FloatField(allow_null=True, help_text="The interval begins here.")
    high = serializers.FloatField(allow_null=True, help_text="The interval ends here.")
    level = serializers.FloatField(allow_null=True, help_text="Its confidence: it leaves out 0 where `corrected` is below .05.")
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
    chosen = Differences(
        report=report,
        qrels=qrels_in(query, report),
        measure=choice_in(query, "measure", measures_of(report)),
        test=(test := choice_in(query, "test", TESTS)),
        correction="none" if test == "tukey" else choice_in(query, "correction", CORRECTIONS),
    )
    return {
        "qrels": chosen.qrels,
        "measure": chosen.measure,
        "test": chosen.test,
        "correction": chosen.correction,
        "words": in_words(chosen),
        "runs": [outcome.run for outcome in chosen.runs],
        "pairs": [pair._asdict() for pair in chosen.pairs],
    }


def agreement(query: QueryDict, report: Report) -> dict[str, Any]:
    qrels, measure = qrels_in(query, report), choice_in(query, "measure", ranking_measures(report.spec["measures"]))
    ordering, ranking = choice_in(query, "ordering", ORDERINGS), choice_in(query, "ranking", RANKINGS)
    runs = [run["id"] for run in report.spec["runs"]]
    enough = len(runs) >= FEWEST_RUNS
    by_run = run_correlations(report, runs, ranking)
    return {
        "qrels": qrels,
        "measure": measure,
        "ordering": ordering,
        "ranking": ranking,
        "by_measure": pairs(measure_correlations(report, qrels, ordering)) if enough else [],
        "by_qrels": pairs(qrels_correlations(report, measure, ordering)) if enough else [],
        "by_run": None if by_run is None else pairs(by_run),
    }


def pairs(correlations: Correlations) -> list[dict[str, Any]]:
    return [{"first": first, "second": second, "n": n, "value": value} for first, second, n, value in correlations.pairs]


def choice_in(query: QueryDict, name: str, choices: Iterable[str] | Mapping[str, str]) -> str:
    """The choice that the query string names, else the first. Raises ValidationError for one that does not exist."""
    options = list(choices)
    choice = query.get(name, options[0] if options else "")
    if choice not in options:
        expected = ", ".join(options) or "none: this report has nothing to compare by"
        raise serializers.ValidationError({name: [f"“{choice}” is not one of {expected}."]})
    return choice


def qrels_in(query: QueryDict, report: Report) -> int:
    """The id of the qrels that the query string names, else of the first. Raises ValidationError for others."""
    ids = [version["id"] for version in report.spec["qrels"]]
    text = query.get("qrels", str(ids[0]))
    if (number := number_in(text)) in ids and number is not None:
        return number
    raise serializers.ValidationError({"qrels": [f"“{text}” is not one of {', '.join(map(str, ids))}."]})
