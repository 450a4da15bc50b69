"""Items that are judged before all others: a report waits for them, or somebody doubts their grades."""

from collections.abc import Iterable

from django.db import transaction

from judging.database.portions import in_portions
from judging.models import Item, Slot, Study


def prioritise(study: Study, items: Iterable[int], *, urgent: bool = True) -> int:
    """Have these items of the study's work judged first, or no longer. Returns for how many that is news."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        changed = sum(set_urgent(study, some, urgent) for some in in_portions(items))
        count(study)
    return changed


def set_urgent(study: Study, items: list[int], urgent: bool) -> int:
    news = Item.objects.filter(pk__in=items, study=study, role=Item.Role.WORK, urgent=not urgent)
    slots = Slot.objects.filter(item__in=list(news.values_list("pk", flat=True)), number__isnull=False)
    list(slots.select_for_update(of=("self",), no_key=True).order_by("pk"))  # before the items, as who settles does
    keys = list(news.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    Item.objects.filter(pk__in=keys).update(urgent=urgent)
    Slot.objects.filter(item__in=keys, number__isnull=False).update(urgent=urgent)
    return len(keys)


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
