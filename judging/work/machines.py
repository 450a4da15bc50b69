"""The slots of machine judges: every item once, in slots of its own, so that it takes no person's place and has no vote."""

from judging.models import Item, Slot, Worker
from judging.work.leases import end_of_lease
from judging.work.presence import is_there


def give_next(worker: Worker) -> bool:
    """Have the (locked) machine hold one more item of the pool, unless it has had them all."""
    item = next_item(worker)
    if item is None or not is_there(item.pk):
        return False
    # Its position is the item's, so that the next item is found in an index.
    place = {"study": worker.study, "worker": worker, "item": item, "position": item.position}
    Slot.objects.create(**place, leased_until=end_of_lease(worker.study))
    return True


def next_item(worker: Worker) -> Item | None:
    """The first one behind where the machine is, else before it."""
    had = Slot.objects.filter(worker=worker, item__role=Item.Role.WORK)
    last = [had.filter(judged_at__isnull=True).order_by("-position"), had.filter(judged_at__isnull=False).order_by("-judged_at")]
    behind = max((slot.position for slots in last if (slot := slots.first())), default=-1)
    work = Item.objects.filter(study=worker.study_id, role=Item.Role.WORK).exclude(slots__worker=worker).order_by("position")
    return work.filter(position__gt=behind).first() or work.first()
