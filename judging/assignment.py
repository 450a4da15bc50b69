"""Who judges what next. All the locking of the product lives here.

A slot is free when nobody holds it or its lease has run out. Claiming locks the worker's row first (one worker's
tabs queue up), then takes free slots that no other transaction is looking at: `SKIP LOCKED` on PostgreSQL; on
SQLite every transaction here begins IMMEDIATE, so there is only one.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from judging.models import Item, Judgement, Slot, Study, Worker

AHEAD = 2  # the item on the page, and the one that is already loaded behind it


def lock(worker: Worker) -> Worker:
    """The worker's row, held until the transaction ends."""
    return Worker.objects.select_for_update(of=("self",)).select_related("study").get(pk=worker.pk)


def held(worker: Worker) -> QuerySet[Slot]:
    """Slots that wait for this worker's answer, the one to show first in front."""
    return (
        Slot.objects.filter(worker=worker, judged_at__isnull=True)
        .select_related("item__topic", "item__document")
        .order_by("leased_until", "position")
    )


def free(study: Study, now: datetime) -> QuerySet[Slot]:
    return Slot.objects.filter(study=study, judged_at__isnull=True).filter(Q(worker__isnull=True) | Q(leased_until__lt=now))


def free_for(worker: Worker, now: datetime) -> QuerySet[Slot]:
    """Free slots of items that this worker neither holds nor has judged."""
    touched = Slot.objects.filter(item=OuterRef("item"), worker=worker)
    judged = Judgement.objects.filter(item=OuterRef("item"), worker=worker)  # also surplus, which holds no slot
    return free(worker.study, now).filter(~Exists(touched), ~Exists(judged)).order_by("position", "number")


def next_slots(worker: Worker, *, count: int = AHEAD) -> list[Slot]:
    """What the worker should judge now: what they hold, topped up to `count` where the study still has work.

    Asking twice gives the same slots. Reads only, unless there is something to claim or a lease to renew.
    """
    slots = list(held(worker)[:count])
    if len(slots) == count and not any(runs_out_soon(slot, worker.study) for slot in slots):
        return slots
    with transaction.atomic():
        return top_up(lock(worker), count=count)


def top_up(worker: Worker, *, count: int = AHEAD) -> list[Slot]:
    """Renew what the (locked) worker holds and claim what is missing to `count`."""
    now = timezone.now()
    until = now + timedelta(minutes=worker.study.lease_minutes)
    slots = list(held(worker)[:count])
    soon = [slot.pk for slot in slots if runs_out_soon(slot, worker.study)]
    if soon:
        Slot.objects.filter(pk__in=soon).update(leased_until=until)
    missing = count - len(slots)
    if missing and worker.study.state == Study.State.RUNNING:
        slots += claim(worker, missing, now=now, until=until)
    return slots


def claim(worker: Worker, count: int, *, now: datetime, until: datetime) -> list[Slot]:
    """Take up to `count` free slots, onward from where the worker is, then from the start."""
    claimed: list[Slot] = []
    for part in (Q(position__gte=worker.cursor), Q(position__lt=worker.cursor)):
        wanted = count - len(claimed)
        if wanted:
            claimed += first_of_each_item(free_for(worker, now).filter(part), wanted)
    if claimed:
        Slot.objects.filter(pk__in=[slot.pk for slot in claimed]).update(worker=worker, leased_until=until)
        Worker.objects.filter(pk=worker.pk).update(cursor=claimed[-1].position)
    return claimed


def first_of_each_item(slots: QuerySet[Slot], count: int) -> list[Slot]:
    """The first `count` slots of different items. One at a time: an item's own K slots stand beside each other."""
    found: list[Slot] = []
    for _ in range(count):
        rest = slots.exclude(item__in=[slot.item_id for slot in found]) if found else slots
        slot = rest.select_related("item__topic", "item__document").select_for_update(skip_locked=True, of=("self",)).first()
        if slot is None:
            break
        found.append(slot)
    return found


def others_are_finishing(worker: Worker) -> bool:
    """Whether something may yet come free for a worker who got nothing: another holds it, and may not answer."""
    judged = Judgement.objects.filter(item=OuterRef("item"), worker=worker)
    return Slot.objects.filter(study=worker.study, judged_at__isnull=True).filter(~Exists(judged)).exists()


def runs_out_soon(slot: Slot, study: Study) -> bool:
    """Whether less than half of the lease is left, so that renewing is worth a write."""
    assert slot.leased_until is not None  # a constraint: a worker holds a lease
    return slot.leased_until - timezone.now() < timedelta(minutes=study.lease_minutes) / 2


def settle(worker: Worker, item: Item) -> Slot | None:
    """Mark a slot of the item as judged by the (locked) worker: their own, else a free one; None if all are taken."""
    now = timezone.now()
    slots = Slot.objects.select_for_update(of=("self",)).filter(item=item, judged_at__isnull=True)
    slot = slots.filter(worker=worker).first()
    if slot is None:
        slot = slots.filter(Q(worker__isnull=True) | Q(leased_until__lt=now)).order_by("number").first()
    if slot is None:
        return None
    slot.worker, slot.judged_at = worker, now
    slot.leased_until = slot.leased_until or now
    slot.save(update_fields=["worker", "judged_at", "leased_until"])
    return slot


def give_back(worker: Worker) -> int:
    """Free what the worker holds, for somebody else to judge. Returns how many."""
    with transaction.atomic():
        lock(worker)
        return Slot.objects.filter(worker=worker, judged_at__isnull=True).update(worker=None, leased_until=None)
