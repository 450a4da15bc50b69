"""The tally of a worker's slots, counted at once: what is due next depends on it at every judgement."""

from dataclasses import dataclass

from django.db.models import Count

from judging.models import Slot, Worker


@dataclass(frozen=True)
class Tally:
    held: int
    work: int  # of the slots that the worker's answers fill
    slots: dict[str, int]  # by the item's role
    open: dict[str, int]


def tally(worker: Worker) -> Tally:
    rows = Slot.objects.filter(worker=worker).order_by().values_list("item__role")
    counts = list(rows.annotate(Count("id"), Count("judged_at"), Count("number")))
    return Tally(
        held=sum(slots - judged for _, slots, judged, _ in counts),
        work=sum(numbered for *_, numbered in counts),
        slots={role: slots for role, slots, _, _ in counts},
        open={role: slots - judged for role, slots, judged, _ in counts},
    )
