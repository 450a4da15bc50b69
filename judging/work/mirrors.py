"""Pairs of lists that come again to the same worker with their sides swapped: who means what they say prefers the same list."""

import secrets

from judging.models import Item, Slot, Worker
from judging.work.checks import after_introduction, chance
from judging.work.leases import end_of_lease
from judging.work.tallies import Tally

LEAST_BETWEEN = 4  # other answers, so that nobody remembers the pair
FIRST_POSITION = 2 * 10**9  # of mirrored items: behind all others


def ask(worker: Worker, so_far: Tally, *, here: int) -> bool:
    """Have the (locked) worker hold the mirror of a pair that they have judged, if one is due and there is one."""
    if so_far.slots.get(Item.Role.MIRROR, 0) >= due(worker, after_introduction(so_far)):
        return False
    original = judged_before(worker)
    if original is None:
        return False
    Slot.objects.create(
        study=worker.study,
        item=mirror_of(original.item),
        position=here,
        worker=worker,
        swapped=original.swapped,  # of the two lists in the other order: so each stands where it did not
        leased_until=end_of_lease(worker.study),
    )
    return True


def due(worker: Worker, slots: int) -> int:
    """How many of so many slots should be mirrors: one in each stretch, at a place that nobody can foresee."""
    share = worker.study.comparison.mirrored
    if not share:
        return 0
    stretch = round(1 / share)
    passed, place = divmod(slots, stretch)
    return passed + (place >= chance(worker, passed) % stretch)


def judged_before(worker: Worker) -> Slot | None:
    """A slot of a pair that the worker judged a while ago and has not been shown again; which one is chance."""
    judged = Slot.objects.filter(worker=worker, judged_at__isnull=False, item__role=Item.Role.WORK).order_by("-judged_at")
    answers = judged.filter(judgements__grade__isnull=False, judgements__revised_by=None).select_related("item")
    before = [slot for slot in answers[LEAST_BETWEEN:] if slot.item_id not in mirrored_for(worker)]
    return secrets.choice(before) if before else None


def mirrored_for(worker: Worker) -> set[int | None]:
    return set(Item.objects.filter(slots__worker=worker, role=Item.Role.MIRROR).values_list("mirrors", flat=True))


def mirror_of(item: Item) -> Item:
    kept, _ = Item.objects.get_or_create(
        study_id=item.study_id,
        first_id=item.second_id,
        second_id=item.first_id,
        defaults={
            "topic_id": item.topic_id,
            "role": Item.Role.MIRROR,
            "mirrors": item,
            "position": FIRST_POSITION + item.position,
            "wanted": 0,
        },
    )
    return kept


def expected_mirrors(share: float, work: int) -> int:
    """How many mirrors come on so many items, if they are this share of both together.

    >>> expected_mirrors(0.1, 90)
    10
    """
    return round(work * share / (1 - share))
