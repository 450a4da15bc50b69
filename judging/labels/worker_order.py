"""What a list of workers is sorted by: the numbers of `result_tables`, as expressions that the database computes."""

from typing import Any

from django.db.models import Count, F, FloatField, OuterRef, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from judging.models import Judgement
from judging.models.judgement import JudgementQuerySet


class Average(Subquery):
    """The average of what a query finds."""

    template = "(SELECT AVG(milliseconds) FROM (%(subquery)s) found)"
    output_field = FloatField()


def number(**which: Any) -> Coalesce:
    """How many such judgements of a worker stand."""
    grouped = standing_of_worker().filter(**which).values("worker")
    return Coalesce(Subquery(grouped.annotate(number=Count("pk")).values("number")), 0)


def median_milliseconds() -> Average:
    """The median time of a worker's judgements that stand: of the one in the middle, or of both. NULL without any."""
    place = Window(RowNumber(), order_by="milliseconds")
    times = standing_of_worker().annotate(place=place, count=Window(Count("pk")))
    middle = times.filter(place__gte=F("count") / 2.0, place__lte=F("count") / 2.0 + 1)
    return Average(middle.values("milliseconds"))


def standing_of_worker() -> JudgementQuerySet:
    return Judgement.objects.standing().filter(worker=OuterRef("pk")).order_by()
