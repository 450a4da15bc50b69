"""The overlap of an item: as many slots as it still needs, more when votes were set aside, fewer when they count again."""

import secrets
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from judging.database.portions import in_portions
from judging.models import Item, Slot, Study, Worker
from judging.models.slot import SPAN


def balance(items: Iterable[int]) -> None:
    """Open or take away slots until each item's votes and open slots together are as many as it wants.

    A slot that somebody holds is not taken away: what is judged beyond the wanted number is kept and has no vote.
    """
    with transaction.atomic():
        wanted = dict(locked_items(items))
        counts = {row["item"]: row for some in in_portions(wanted) for row in vote_counts(some)}
        for item, votes in wanted.items():
            row = counts.get(item, NONE)
            lacking = votes - row["votes"] - row["open"]
            if lacking > 0:
                open_slots(item, lacking, after=row["highest"])
            elif lacking < 0:
                take_away(item, -lacking)


NONE = {"votes": 0, "open": 0, "highest": 0}


def vote_counts(items: Iterable[int]) -> QuerySet[Slot, Any]:
    """The votes, the open slots and the highest slot number of each item that has slots for work."""
    slots = Slot.objects.filter(item__in=items, number__isnull=False).order_by().values("item")
    return slots.annotate(
        votes=Count("id", filter=Q(judged_at__isnull=False) & ~Q(worker__standing=Worker.Standing.EXCLUDED)),
        open=Count("id", filter=Q(judged_at__isnull=True)),
        highest=Max("number"),
    )


def sweep() -> None:
    """Balance items of which a slot beyond those wanted is open: who held it when votes counted again may have gone."""
    beyond = Slot.objects.filter(judged_at__isnull=True, number__gt=F("item__wanted"), study__state=Study.State.RUNNING)
    balance(beyond.order_by().values_list("item", flat=True).distinct())


def locked_items(items: Iterable[int]) -> list[tuple[int, int]]:
    """The items' keys and how many votes each wants; held, so that two of us do not open the same slot twice."""
    work = Item.objects.filter(role=Item.Role.WORK).select_for_update(no_key=True).order_by("pk").values_list("pk", "wanted")
    return [row for some in in_portions(items) for row in work.filter(pk__in=some)]


def open_slots(key: int, count: int, *, after: int) -> None:
    """Slots numbered on from `after`, scattered over the stretch of positions where its topic's slots lie, or behind all."""
    item = Item.objects.get(pk=key)
    work = Slot.objects.filter(study=item.study_id, number__isnull=False)
    beside = work.filter(item__topic=item.topic_id).first()
    last = beside or work.order_by("-position").first()
    topic = (last.position // SPAN + (beside is None)) * SPAN if last else 0
    place = {"study_id": item.study_id, "item": item, "urgent": item.urgent}
    Slot.objects.bulk_create(
        Slot(**place, number=number, position=topic + secrets.randbelow(SPAN), swapped=swapped)
        for number, swapped in enumerate(sides(item, count), after + 1)
    )


def sides(item: Item, count: int) -> list[bool]:
    """Which of `count` new slots show their two lists with sides swapped. In all, half of them do; where that is open, chance
    decides."""
    if item.first_id is None:
        return [False] * count
    swaps, more = [], more_with_sides_changed(item)
    for _ in range(count):
        swaps.append(more < 0 or (more == 0 and bool(secrets.randbelow(2))))
        more += 1 if swaps[-1] else -1
    return swaps


def more_with_sides_changed(item: Item) -> int:
    """How many more of an item's votes and open slots show its two lists with sides swapped than not."""
    set_aside = Q(judged_at__isnull=False, worker__standing=Worker.Standing.EXCLUDED)
    slots = Slot.objects.filter(item=item, number__isnull=False).exclude(set_aside)
    return sum(1 if swapped else -1 for swapped in slots.values_list("swapped", flat=True))


def take_away(item: int, count: int) -> None:
    """Delete open slots that nobody holds, but for those that somebody is claiming or settling at this moment."""
    free = list(free_slots(Slot.objects.filter(item=item)).order_by(F("number").desc()))
    chosen = least_missed(Item.objects.get(pk=item), free, count)
    Slot.objects.filter(pk__in=[slot.pk for slot in chosen]).delete()
    if len(chosen) < count:
        put_behind(item, count - len(chosen))


def free_slots(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Those open for work that nobody holds; they are locked, and passed over where somebody has them locked."""
    nobodys = Q(worker__isnull=True) | Q(leased_until__lt=timezone.now())
    work = slots.filter(nobodys, number__isnull=False, judged_at__isnull=True)
    return work.select_for_update(of=("self",), skip_locked=True)


def put_behind(item: int, count: int) -> None:
    """Number slots that somebody holds beyond the wanted ones: once they come free, they are found by that and taken away."""
    slots = Slot.objects.filter(item=item, number__isnull=False)
    highest = slots.aggregate(highest=Max("number"))["highest"]
    beyond = slots.filter(judged_at__isnull=True, number__gt=F("item__wanted")).count()
    among = slots.filter(judged_at__isnull=True, number__lte=F("item__wanted")).order_by("-number")
    held = list(among.select_for_update(of=("self",), skip_locked=True)[: max(count - beyond, 0)])
    for number, slot in enumerate(held, highest + 1):
        Slot.objects.filter(pk=slot.pk).update(number=number)


def least_missed(item: Item, free: list[Slot], count: int) -> list[Slot]:
    """The free slots to take away: the last ones, or for two lists those with the sides that there are more of."""
    if item.first_id is None:
        return free[:count]
    chosen: list[Slot] = []
    left, more = free[:], more_with_sides_changed(item)
    while left and len(chosen) < count:
        slot = next((slot for slot in left if slot.swapped == (more > 0)), left[0])
        more += -1 if slot.swapped else 1
        left.remove(slot)
        chosen.append(slot)
    return chosen
