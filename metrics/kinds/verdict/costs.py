"""What would settle a question: how much more of each kind of evidence, at what cost and where, the cheapest first."""

import math
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.access import experiments_for, last_graded_study, qrels_for, studies_for
from judging.models import Experiment, Qrels, Slot, Study, User
from judging.models.hypothesis import GRADED
from judging.pay.work import hours_of, work
from judging.text.counts import count
from metrics.kinds.verdict.results import Row, VerdictResults
from metrics.models import Report

HOURS_A_DAY = 8  # of work


class Cost(NamedTuple):
    """What so many more units take, in words and in hours of work; infinite where nothing says how many.

    A day of waiting counts as a day of work, so that what takes a year never comes first.
    """

    words: str = ""
    hours: float = math.inf


class Step(NamedTuple):
    """What one kind of evidence lacks, its cost, and links to where one gets it: words and address."""

    row: Row
    cost: Cost
    links: list[tuple[str, str]]


def steps(results: VerdictResults, user: User) -> list[Step]:
    """What would settle it, the cheapest first; last that of which no cost is known."""
    ways = [Step(row, cost(results.report, row), links(results.report, row, user)) for row in results.to_settle]
    return sorted(ways, key=lambda step: (step.cost.hours, step.row.more or 0))


def cost(report: Report, row: Row) -> Cost:
    keys = report.spec["sources"].get(row.key, {})
    if row.more is None:
        return Cost()
    if row.key in GRADED:
        qrels = Qrels.objects.filter(pk=keys.get("qrels")).select_related("study").first()
        return of_topics(qrels, row, report.subject.owner) if qrels and row.key != "clicks" else Cost()
    if row.key == "votes":
        study = Study.objects.filter(pk=keys.get("study")).first()
        return of_judgements(study, row.more) if study else Cost()
    source = Report.objects.filter(pk=keys.get("report"), experiment__isnull=False).select_related("experiment").first()
    return of_users(source, row) if source else Cost()


def of_topics(qrels: Qrels, row: Row, asker: User) -> Cost:
    """More topics, judged as deeply as the present ones, at the cost of the study that judged these or of a similar one."""
    more = row.more or 0
    if qrels.study and row.key == "workers":
        slots = Slot.objects.filter(study=qrels.study, number__isnull=False)
        topics = slots.order_by().values("item__topic").distinct().count()
        return of_judgements(qrels.study, math.ceil(more * slots.count() / max(1, topics)), "judgement")
    grades = math.ceil(more * qrels.rows / max(1, qrels.topic_count))
    like = last_graded_study(asker, qrels.collection)
    if like is None or row.key == "machines":
        return Cost(approximately(count(grades, "grade")))
    grading = of_judgements(like, grades, "grade")
    return grading._replace(words=_("%(work)s as in “%(study)s”") % {"work": grading.words, "study": like})


def of_judgements(study: Study, judgements: int, noun: str = "") -> Cost:
    words = ", ".join(filter(None, [noun and approximately(count(judgements, noun)), work(study, judgements)]))
    return Cost(words, hours_of(study, judgements))


def of_users(report: Report, row: Row) -> Cost:
    """By the pace at which they have come so far."""
    experiment = report.experiment
    if experiment is None or not experiment.started or not row.line.n:
        return Cost()
    end = experiment.stopped or report.as_of or timezone.now()
    days = max(1.0, (end - experiment.started).total_seconds() / 86400)
    needed = math.ceil(days * (row.more or 0) / row.line.n)
    return Cost(approximately(count(needed, "day")), needed * HOURS_A_DAY)


def approximately(counted: str) -> str:
    return _("about %(count)s") % {"count": counted}


def links(report: Report, row: Row, user: User) -> list[tuple[str, str]]:
    """Where this user gets more evidence of the row's kind; none where they may not."""
    keys = report.spec["sources"].get(row.key, {})
    if row.key in GRADED:
        qrels = qrels_for(user).filter(pk=keys.get("qrels")).first()
        return more_topics(qrels) if qrels and row.key != "clicks" else []
    if row.key == "votes":
        study = studies_for(user).filter(pk=keys.get("study")).first()
        return [more_votes(study)] if study else []
    experiment = experiments_for(user).filter(reports__pk=keys.get("report", 0)).first()
    return [more_users(experiment)] if experiment else []


def more_topics(qrels: Qrels) -> list[tuple[str, str]]:
    return [
        (_("Import topics"), reverse("upload_new", args=[qrels.collection_id])),
        (_("Begin a study"), f"{reverse('study_new')}?collection={qrels.collection_id}"),
    ]


def more_votes(study: Study) -> tuple[str, str]:
    if study.state == Study.State.RUNNING:
        return _("Invite workers"), reverse("study", args=[study.pk])
    return _("Begin a side-by-side study"), f"{reverse('study_new')}?collection={study.collection_id}&kind=side_by_side"


def more_users(experiment: Experiment) -> tuple[str, str]:
    if experiment.stopped:
        return _("Plan another experiment"), reverse("site_experiments", args=[experiment.site_id])
    return _("Watch the experiment"), reverse("experiment", args=[experiment.pk])
