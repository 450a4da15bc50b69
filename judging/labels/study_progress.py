"""The progress of studies: how much of each is judged, by how many."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.labels.results import current
from judging.models import Judgement, Qrels, Slot, Study, Worker


@dataclass(frozen=True)
class StudyProgress:
    items: int
    slots: int
    judged: int
    held: int
    workers: int
    simulated_workers: int
    cannot_judge: int
    surplus: int
    last: datetime | None

    @property
    def is_complete(self) -> bool:
        return 0 < self.slots == self.judged

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.slots if self.slots else 0


def progress(study: Study) -> StudyProgress:
    slots = Slot.objects.filter(study=study, number__isnull=False).aggregate(
        slots=Count("id"),
        judged=Count("id", filter=Q(judged_at__isnull=False)),
        held=Count("id", filter=Q(judged_at__isnull=True, leased_until__gt=timezone.now())),
    )
    judgements = current(study).aggregate(
        cannot_judge=Count("id", filter=~Q(cannot_judge="") & Q(worker__machine="")),
        surplus=Count("id", filter=Q(slot__isnull=True)),
        last=Max("created"),
    )
    people = study.workers.filter(machine="")
    workers = people.aggregate(workers=Count("id"), simulated_workers=Count("id", filter=Q(simulated=True)))
    return StudyProgress(items=study.pool_counts.get("items", 0), **slots, **judgements, **workers)


def kept_of(studies: Iterable[int]) -> QuerySet[Qrels]:
    """The qrels that people's grades in these studies were kept as."""
    return Qrels.objects.filter(study__in=studies, recipe__machine__isnull=True, recipe__question__isnull=True)


def kept_since(study: Study, last: datetime | None) -> Qrels | None:
    """The newest of them, where nobody has judged since; None otherwise."""
    return kept_of([study.pk]).filter(created__gte=last).order_by("-created").first() if last else None


@dataclass(frozen=True)
class StudyOverview:
    """What a list of studies shows of each. `workers` are people who have judged."""

    study: Study
    workers: int
    slots: int
    judged: int
    last: datetime | None


def overviews(studies: Iterable[Study]) -> list[StudyOverview]:
    """The progress of many studies with two queries; a draft has no slots."""
    studies = list(studies)
    keys = [study.pk for study in studies]
    grouped = Slot.objects.filter(study__in=keys, number__isnull=False).order_by().values("study")
    counts = grouped.annotate(slots=Count("id"), judged=Count("judged_at"), last=Max("judged_at"))
    slots = {row["study"]: (row["slots"], row["judged"], row["last"]) for row in counts}
    judging = Worker.objects.filter(Exists(Judgement.objects.filter(worker=OuterRef("pk"))), study__in=keys, machine="")
    people = dict(judging.order_by().values_list("study").annotate(Count("id")))
    return [StudyOverview(study, people.get(study.pk, 0), *slots.get(study.pk, (0, 0, None))) for study in studies]


def judged_slots() -> Case:
    """How many slots of a study are judged, to sort by; NULL of a draft, which has none."""
    return of_launched(Slot.objects.filter(number__isnull=False, judged_at__isnull=False))


def people_who_judged() -> Case:
    return of_launched(Worker.objects.filter(Exists(Judgement.objects.filter(worker=OuterRef("pk"))), machine=""))


def of_launched(rows: QuerySet[Any]) -> Case:
    grouped = rows.filter(study=OuterRef("pk")).order_by().values("study")
    number = Subquery(grouped.annotate(number=Count("pk")).values("number"))
    return Case(When(launched__isnull=False, then=Coalesce(number, 0)))
