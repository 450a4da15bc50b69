"""Items that are judged before all others: a report waits for them, or somebody doubts their grades."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from judging.database.portions import in_portions
from judging.models import Item, Slot, Study


def prioritise(study: Study, items: Iterable[int], *, urgent: bool = True) -> int:
    """Have these items of the study's work judged first, or no longer. Returns for how many that is news."""
    news = Item.objects.filter(study=study, role=Item.Role.WORK, urgent=not urgent)
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        keys = [key for some in in_portions(items) for key in news.filter(pk__in=some).values_list("pk", flat=True)]
        hold_slots(keys)  # before the items, as who settles does
        changed = [key for some in in_portions(keys) for key in held(news.filter(pk__in=some))]
        for some in in_portions(changed):
            Item.objects.filter(pk__in=some).update(urgent=urgent)
            Slot.objects.filter(item__in=some, number__isnull=False).update(urgent=urgent)
        count(study)
    return len(changed)


def hold_slots(items: Iterable[int]) -> None:
    slots = Slot.objects.filter(number__isnull=False)
    keys = [key for some in in_portions(items) for key in slots.filter(item__in=some).values_list("pk", flat=True)]
    for some in in_portions(keys):
        held(slots.filter(pk__in=some))


def held(rows: QuerySet[Any]) -> list[int]:
    """The keys of these rows, locked in ascending order until the transaction ends."""
    return list(rows.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk", flat=True))


def sweep() -> None:
    """Look again at running studies that have urgent items: claims need not look for them once they are judged."""
    running = Study.objects.filter(state=Study.State.RUNNING, pool_counts__has_key="urgent").values_list("pk", flat=True)
    for key in running:
        with transaction.atomic():
            count(Study.objects.select_for_update(no_key=True).get(pk=key))


def count(study: Study) -> None:
    """Note with the (locked) study how many urgent slots are not judged yet."""
    urgent = Slot.objects.filter(study=study, urgent=True, judged_at__isnull=True).count()
    if study.pool_counts.get("urgent") != urgent:
        study.pool_counts = {**study.pool_counts, "urgent": urgent}
        study.save(update_fields=["pool_counts"])


def has_urgent(study: Study) -> bool:
    """Known from the study itself: where nothing is urgent, no claim looks for it."""
    return bool(study.pool_counts.get("urgent"))
