"""As many slots as an item still needs: more when votes were set aside, fewer when they count again."""

import secrets
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from judging.models import Item, Slot, Study, Worker
from judging.models.slot import SPAN


def balance(items: Iterable[int]) -> None:
    """Open or take away slots until each item's votes and open slots together are as many as it wants.

    A slot that somebody holds is not taken away: what is judged beyond the wanted number is kept and has no vote.
    """
    with transaction.atomic():
        wanted = dict(locked(items))
        counts = {row["item"]: row for row in counted(wanted)}
        for item, votes in wanted.items():
            row = counts.get(item, NONE)
            lacking = votes - row["votes"] - row["open"]
            if lacking > 0:
                open_slots(item, lacking, after=row["highest"])
            elif lacking < 0:
                take_away(item, -lacking)


NONE = {"votes": 0, "open": 0, "highest": 0}


def counted(items: Iterable[int]) -> QuerySet[Slot, Any]:
    """Of each item that has slots for work: its votes, its open slots and the highest number."""
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


def locked(items: Iterable[int]) -> list[tuple[int, int]]:
    """The items' keys and how many votes each wants; held, so that two of us do not open the same slot twice."""
    work = Item.objects.filter(pk__in=list(items), role=Item.Role.WORK)
    return list(work.select_for_update(no_key=True).order_by("pk").values_list("pk", "wanted"))


def open_slots(key: int, count: int, *, after: int) -> None:
    """Slots numbered on from `after`, scattered over the stretch of positions where its topic's slots lie."""
    item = Item.objects.get(pk=key)
    beside = Slot.objects.filter(study=item.study_id, item__topic=item.topic_id, number__isnull=False).first()
    topic = beside.position // SPAN * SPAN if beside else 0
    Slot.objects.bulk_create(
        Slot(study_id=item.study_id, item=item, number=number, urgent=item.urgent, position=topic + secrets.randbelow(SPAN))
        for number in range(after + 1, after + 1 + count)
    )


def take_away(item: int, count: int) -> None:
    """Delete open slots that nobody holds, but for those that somebody is claiming or settling at this moment."""
    nobodys = Slot.objects.filter(item=item, number__isnull=False, judged_at__isnull=True).filter(
        Q(worker__isnull=True) | Q(leased_until__lt=timezone.now())
    )
    chosen = list(nobodys.select_for_update(skip_locked=True).order_by(F("number").desc())[:count])
    Slot.objects.filter(pk__in=[slot.pk for slot in chosen]).delete()
