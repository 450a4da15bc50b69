"""The slots of machine judges: every item once, in slots of its own, so that it takes no person's place and has no vote."""

from typing import Any

from django.utils import timezone

from judging.models import Item, Slot, Study, Worker
from judging.work.leases import end_of_lease
from judging.work.presence import is_there


def give_next(worker: Worker) -> bool:
    """Have the (locked) machine hold one more item of the pool, unless it has had them all."""
    item = next_item(worker)
    if item is None or not is_there(item.pk):
        return False
    Slot.objects.create(**slot_of(worker.study, worker, item), leased_until=end_of_lease(worker.study))
    return True


def next_item(worker: Worker) -> Item | None:
    """The first one behind where the machine is, else before it."""
    had = Slot.objects.filter(worker=worker, item__role=Item.Role.WORK)
    last = [had.filter(judged_at__isnull=True).order_by("-position"), had.filter(judged_at__isnull=False).order_by("-judged_at")]
    behind = max((slot.position for slots in last if (slot := slots.first())), default=-1)
    work = Item.objects.filter(study=worker.study_id, role=Item.Role.WORK).exclude(slots__worker=worker).order_by("position")
    return work.filter(position__gt=behind).first() or work.first()


def settle(worker: Worker, item: Item) -> Slot | None:
    """A slot for an answer to an item that the machine holds no more. None if the item is gone."""
    if not is_there(item.pk):
        return None
    item = Item.objects.get(pk=item.pk)
    now = timezone.now()
    return Slot.objects.create(**slot_of(worker.study, worker, item), leased_until=now, judged_at=now)


def slot_of(study: Study, worker: Worker, item: Item) -> dict[str, Any]:
    """Its position is the item's, so that the next item is found in an index."""
    return {"study": study, "worker": worker, "item": item, "position": item.position}
