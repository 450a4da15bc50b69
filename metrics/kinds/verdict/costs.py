"""Costs of settling a question: the work of more votes, the days until more users have come."""

import math

from django.utils import timezone

from judging.models import Study
from judging.pay.rates import cost_of, is_paid
from metrics.kinds.verdict.results import Row
from metrics.models import Report
from metrics.sentences import count


def cost(report: Report, row: Row) -> str:
    """What so many more units take, in words; empty where nothing says it."""
    if row.more is None:
        return ""
    keys = report.spec["sources"].get(row.key, {})
    if row.key == "votes":
        study = Study.objects.filter(pk=keys["study"]).first()
        return of_votes(study, row.more) if study else ""
    if "report" in keys:
        experiment = Report.objects.filter(pk=keys["report"], experiment__isnull=False).select_related("experiment").first()
        return of_users(experiment, row) if experiment else ""
    return ""


def of_votes(study: Study, votes: int) -> str:
    hours = count(math.ceil(votes * study.seconds_a_judgement / 3600), "hour")
    pay = f", {cost_of(study, votes):,} {study.currency}" if is_paid(study) else ""
    return f"about {hours} of work{pay}"


def of_users(report: Report, row: Row) -> str:
    """By the pace at which they have come so far."""
    assert report.experiment
    begun, end = report.experiment.started, report.experiment.stopped or report.as_of or timezone.now()
    days = max(1.0, (end - begun).total_seconds() / 86400) if begun else 0
    return f"about {count(math.ceil(days * (row.more or 0) / row.line.n), 'day')}" if days and row.line.n else ""
