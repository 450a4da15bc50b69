"""Filled slots: an answer settles the slot that its worker holds, or another of the item.

What runs for every judgement is one statement where nothing else follows from it (`settle_at_once`).
"""

from contextlib import nullcontext
from functools import cache

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from judging.database.rows import Columns, columns_of, inserting, mark_as_stored, values_of
from judging.models import Item, Judgement, Slot, Study, Worker
from judging.work import assignment, checks, priority
from judging.work.presence import is_there

SETTLE_OWN = """
UPDATE judging_slot SET judged_at = %(now)s WHERE item_id = %(item)s AND worker_id = %(worker)s AND judged_at IS NULL {seen}
RETURNING id, position"""

SETTLE_FREE = """
UPDATE judging_slot SET worker_id = %(worker)s, judged_at = %(now)s, leased_until = coalesce(leased_until, %(now)s)
WHERE id = (
    SELECT free.id FROM judging_slot free
    WHERE free.item_id = %(item)s AND free.judged_at IS NULL AND free.number IS NOT NULL
    AND (free.worker_id IS NULL OR free.leased_until < %(now)s) {seen}
    ORDER BY free.number LIMIT 1 {skip_locked}
)
RETURNING id, position"""

SEEN = "AND swapped = %(swapped)s"  # where lists are compared: a slot's sides are settled, and an answer is to what was seen

SETTLED = Columns(Slot, "slot", "id position")


def settle(worker: Worker, item: Item, *, swapped: bool | None = None) -> Slot | None:
    """Mark a slot of the item as judged by the (locked) worker: their own, else a free one. None if all are taken.

    The worker's own slot is waited for, not skipped. Whoever claims keeps a taken slot locked for a moment; a worker given
    another slot instead would have two of the item. A free slot is work like any other: it needs room for it. `swapped`: how the
    worker saw two lists; a slot with the sides swapped, which they may hold by now, goes back.
    """
    if swapped is not None:
        others = Slot.objects.filter(item=item.pk, worker=worker, judged_at__isnull=True).exclude(swapped=swapped)
        others.update(worker=None, leased_until=None)
    if slot := settle_held(worker, item, swapped=swapped):
        return slot
    may_take = worker.may_work and not worker.machine and assignment.has_room_now(worker)
    if may_take and (slot := settle_with(SETTLE_FREE, worker, item, swapped)):
        return slot
    return make_settled(worker, item, swapped=bool(swapped))


def settle_held(worker: Worker, item: Item, *, swapped: bool | None = None) -> Slot | None:
    """Mark the slot of the item that the worker holds as judged; None if they hold none."""
    return settle_with(SETTLE_OWN, worker, item, swapped)


def settle_with(statement: str, worker: Worker, item: Item, swapped: bool | None) -> Slot | None:
    seen = "" if swapped is None else SEEN
    row = assignment.execute(statement, worker, seen=seen, item=item.pk, swapped=swapped).fetchone()
    return SETTLED.read(row) if row else None


def make_settled(worker: Worker, item: Item, *, swapped: bool) -> Slot | None:
    """Make a slot for an answer whose worker no longer holds one; without it they would be asked again.

    Only for items of which each worker has a slot of their own: what a machine is given, checks and mirrors. None for others, and
    if the item is gone.
    """
    items = Item.objects.filter(pk=item.pk)
    own = items.first() if worker.machine else items.filter(role__in=[*checks.ASKED, Item.Role.MIRROR]).first()
    if own is None or not is_there(own.pk):
        return None
    now = timezone.now()
    return Slot.objects.create(
        study=worker.study,
        worker=worker,
        item=own,
        position=own.position if worker.machine else assignment.position(worker),
        swapped=swapped,
        leased_until=now,
        judged_at=now,
    )


def settle_at_once(worker: Worker, judgement: Judgement, *, ahead: int) -> bool:
    """Settle the slot that the worker holds, store the judgement and claim up to `ahead`, all in one statement.

    False, with nothing done, where the database cannot, more follows from a judgement than that, or the worker holds no slot of
    the item. False also where another of the worker's tabs came in between: the statement takes no lock first, so a constraint
    decides.
    """
    if connection.vendor != "postgresql" or worker.machine or not is_plain(worker.study):
        return False
    most = 1 + ahead if assignment.gets_work(worker) else 0  # 1: what is settled here still counts as held
    parameters = {**assignment.claiming(worker), "item": judgement.item_id, "most": most}
    values = {f"new_{name}": value for name, value in values_of(judgement).items()}
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            row = assignment.execute(at_once(), worker, **parameters, **values).fetchone()
    except IntegrityError:
        return False
    if row is None:
        return False
    key, judgement.slot_id = row
    mark_as_stored(judgement, key)
    return True


def is_plain(study: Study) -> bool:
    """Whether nothing depends on what is answered: no checks, no limit, as many judgements of each item, none before others."""
    return assignment.is_usual(study) and not study.is_adaptive and not priority.has_urgent(study)


@cache
def at_once() -> str:
    """The statement for it: parts that follow each other, since each needs what the one before returned."""
    columns = columns_of(Judgement)
    values = {name: f"CAST(%(new_{name})s AS {field.db_type(connection)})" for name, field in columns.items()}
    values["slot_id"] = "settled.id"
    return f"""
WITH settled AS ({SETTLE_OWN}),
written AS ({inserting(Judgement)} SELECT {", ".join(values.values())} FROM settled RETURNING id, slot_id),
claimed AS ({assignment.claim_from("(SELECT position FROM settled)")})
SELECT id, slot_id FROM written"""  # noqa: S608  columns and statements of ours
