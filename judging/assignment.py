"""Who judges what next. All the locking of the product lives here.

A slot is free when nobody holds it or its lease has run out. A transaction that claims or settles locks the worker's
row first (one worker's tabs queue up), then takes free slots that no other transaction is looking at: `SKIP LOCKED` on
PostgreSQL; on SQLite every transaction begins IMMEDIATE, so there is only one.

Claiming and settling are one statement each, written out: they run for every judgement, and building them through the
ORM took longer than executing them.
"""

from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from judging.models import Item, Judgement, Slot, Study, Worker

CLAIM = """
UPDATE judging_slot SET worker_id = %(worker)s, leased_until = %(until)s WHERE id = (
    SELECT free.id FROM judging_slot free
    WHERE free.study_id = %(study)s AND free.judged_at IS NULL AND free.position >= %(first)s AND free.position < %(end)s
    AND (free.worker_id IS NULL OR free.leased_until < %(now)s)
    AND NOT EXISTS (SELECT 1 FROM judging_slot mine WHERE mine.item_id = free.item_id AND mine.worker_id = %(worker)s)
    AND NOT EXISTS (SELECT 1 FROM judging_judgement did WHERE did.item_id = free.item_id AND did.worker_id = %(worker)s)
    ORDER BY free.position, free.number LIMIT 1 {skip_locked}
)"""

SETTLE = """
UPDATE judging_slot SET worker_id = %(worker)s, judged_at = %(now)s, leased_until = coalesce(leased_until, %(now)s)
WHERE id = (
    SELECT open.id FROM judging_slot open
    WHERE open.item_id = %(item)s AND open.judged_at IS NULL
    AND (open.worker_id = %(worker)s OR open.worker_id IS NULL OR open.leased_until < %(now)s)
    ORDER BY CASE WHEN open.worker_id = %(worker)s THEN 0 ELSE 1 END, open.number LIMIT 1 {skip_locked}
)
RETURNING id"""

NO_END = 2**31 - 1


def lock(worker: Worker) -> None:
    """Hold the worker's row until the transaction ends, where transactions run side by side."""
    if connection.features.has_select_for_update:
        Worker.objects.select_for_update().values_list("pk").get(pk=worker.pk)


def held(worker: Worker) -> QuerySet[Slot]:
    """Slots that wait for this worker's answer, the one to show first in front."""
    return (
        Slot.objects.filter(worker=worker, judged_at__isnull=True)
        .select_related("item__topic", "item__document")
        .order_by("leased_until", "position")
    )


def next_slots(worker: Worker, *, count: int = 1) -> list[Slot]:
    """What the worker should judge now: what they hold, topped up to `count` where the study still has work.

    Asking twice gives the same slots. Reads only, unless there is something to claim or a lease to renew.
    """
    slots = list(held(worker)[:count])
    if len(slots) == count and not any(runs_out_soon(slot.leased_until, worker.study) for slot in slots):
        return slots
    with transaction.atomic():
        lock(worker)
        top_up(worker, count=count)
    return list(held(worker)[:count])


def top_up(worker: Worker, *, count: int) -> None:
    """Renew what the (locked) worker holds and claim what is missing to `count`."""
    now = timezone.now()
    until = now + timedelta(minutes=worker.study.lease_minutes)
    leases = Slot.objects.filter(worker=worker, judged_at__isnull=True).order_by().values_list("pk", "leased_until")
    holds = dict(leases)
    soon = [pk for pk, end in holds.items() if runs_out_soon(end, worker.study)]
    if soon:
        Slot.objects.filter(pk__in=soon).update(leased_until=until)
    if len(holds) < count and worker.study.state == Study.State.RUNNING:
        claim(worker, count - len(holds), now=now, until=until)


def claim(worker: Worker, count: int, *, now: datetime, until: datetime) -> None:
    """Take up to `count` free slots, onward from where the worker is, then from the start."""
    here = position(worker)
    for _ in range(count):
        for i, part in enumerate([(here, NO_END), (0, here)]):
            if execute(CLAIM, worker, now, study=worker.study_id, until=moment(until), first=part[0], end=part[1]).rowcount:
                break
            if i:
                return  # nothing left at either side


def position(worker: Worker) -> int:
    """Where the worker is in the study: at what they judged last, else where they were let in."""
    latest = Slot.objects.filter(worker=worker, judged_at__isnull=False).order_by("-judged_at").values_list("position", flat=True)
    return latest.first() or worker.start


def settle(worker: Worker, item: Item) -> int | None:
    """Mark a slot of the item as judged by the (locked) worker: their own, else a free one. Its key; None if all are taken."""
    row = execute(SETTLE, worker, timezone.now(), item=item.pk).fetchone()
    return row and row[0]


def execute(statement: str, worker: Worker, now: datetime, **parameters):
    skip_locked = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    cursor = connection.cursor()
    cursor.execute(statement.format(skip_locked=skip_locked), {"worker": worker.pk, "now": moment(now), **parameters})
    return cursor


def moment(when: datetime):
    """A time as the database at hand keeps it."""
    return connection.ops.adapt_datetimefield_value(when)


def give_back(worker: Worker) -> int:
    """Free what the worker holds, for somebody else to judge. Returns how many."""
    with transaction.atomic():
        lock(worker)
        return Slot.objects.filter(worker=worker, judged_at__isnull=True).update(worker=None, leased_until=None)


def others_are_finishing(worker: Worker) -> bool:
    """Whether something may yet come free for a worker who got nothing: another holds it, and may not answer."""
    judged = Judgement.objects.filter(item=OuterRef("item"), worker=worker)
    return Slot.objects.filter(study=worker.study, judged_at__isnull=True).filter(~Exists(judged)).exists()


def runs_out_soon(end: datetime | None, study: Study) -> bool:
    """Whether less than half of the lease is left, so that renewing is worth a write."""
    assert end is not None  # a constraint: a worker holds a lease
    return end - timezone.now() < timedelta(minutes=study.lease_minutes) / 2
