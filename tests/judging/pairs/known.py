"""Pairs of which one list is known to be better, for tests of them."""

from judging.models import Item, Study
from judging.studies import launch
from judging.work import assignment

Role = Item.Role
GRADES = {"d1": 2, "d2": 1, "d3": 0, "d4": 0, "d5": 0, "d6": -1}


def launched(draft):
    launch.launch(Study.objects.get(pk=draft.pk), seed=1)
    return Study.objects.get(pk=draft.pk)


def docnos(listing):
    return [row["docno"] for row in listing.results]


def judge_all(worker, prefer, *, step=None):
    """All that there is for the worker, by this step, or what is right where that is known."""
    roles = []
    while slots := assignment.next_slots(worker):
        slot = slots[0]
        right = -1 if not slot.swapped else 1  # the first list is on the left unless it is swapped
        prefer(worker, slot, (right if slot.item.right else 1) if step is None else step, ahead=0)
        roles.append(slot.item.role)
    return roles
