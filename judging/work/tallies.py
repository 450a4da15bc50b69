"""The tally of a worker's slots, counted at once: what is due next depends on it at every judgement."""

from dataclasses import dataclass

from django.db import connection

from judging.models import Worker

SLOTS = """
SELECT item.role, count(*), count(slot.judged_at), count(slot.number)
FROM judging_slot slot JOIN judging_item item ON item.id = slot.item_id WHERE slot.worker_id = %(worker)s GROUP BY item.role"""

# First answers to work that came too late for a slot. Some items were given to the same worker again: those have one.
SURPLUS = """
UNION ALL SELECT '', 0, 0, count(*)
FROM judging_judgement late JOIN judging_item item ON item.id = late.item_id
WHERE late.worker_id = %(worker)s AND late.slot_id IS NULL AND late.revises_id IS NULL AND item.role = 'work'
AND NOT EXISTS (SELECT 1 FROM judging_slot mine WHERE mine.item_id = late.item_id AND mine.worker_id = %(worker)s)"""


@dataclass(frozen=True)
class Tally:
    held: int
    work: int  # of the slots that the worker's answers fill; where the study limits it, with answers that filled none
    slots: dict[str, int]  # by the item's role
    open: dict[str, int]


def tally(worker: Worker) -> Tally:
    with connection.cursor() as cursor:
        cursor.execute(SLOTS if worker.study.most_judgements is None else SLOTS + SURPLUS, {"worker": worker.pk})
        counts = cursor.fetchall()
    return Tally(
        held=sum(slots - judged for _, slots, judged, _ in counts),
        work=sum(numbered for *_, numbered in counts),
        slots={role: slots for role, slots, _, _ in counts if slots},
        open={role: slots - judged for role, slots, judged, _ in counts if slots},
    )
