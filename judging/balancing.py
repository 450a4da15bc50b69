"""As many slots as an item still needs: more when votes were set aside, fewer when they count again."""

import secrets
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from judging.models import Item, Slot, Study, Worker
from judging.models.slot import SPAN


def balance(items: Iterable[int]) -> None:
    """Open or take away slots until each item's votes and open slots together are as many as it wants.

    A slot that somebody holds is not taken away: what is judged beyond the wanted number is kept and has no vote.
    """
    with transaction.atomic():
        wanted = dict(locked(items))
        counts = (
            Slot.objects.filter(item__in=wanted, number__isnull=False)
            .order_by()
            .values("item", "study")
            .annotate(
                votes=Count("id", filter=Q(judged_at__isnull=False) & ~Q(worker__standing=Worker.Standing.EXCLUDED)),
                open=Count("id", filter=Q(judged_at__isnull=True)),
                highest=Max("number"),
                somewhere=Min("position"),
            )
        )
        for row in counts:
            lacking = wanted[row["item"]] - row["votes"] - row["open"]
            if lacking > 0:
                open_slots(row["study"], row["item"], lacking, after=row["highest"], near=row["somewhere"])
            elif lacking < 0:
                take_away(row["item"], -lacking)


def sweep() -> None:
    """Balance items of which a slot beyond those wanted is open: who held it when votes counted again may have gone."""
    beyond = Slot.objects.filter(judged_at__isnull=True, number__gt=F("item__wanted"), study__state=Study.State.RUNNING)
    balance(beyond.order_by().values_list("item", flat=True).distinct())


def locked(items: Iterable[int]) -> list[tuple[int, int]]:
    """The items' keys and how many votes each wants; held, so that two of us do not open the same slot twice."""
    work = Item.objects.filter(pk__in=list(items), role=Item.Role.WORK)
    return list(work.select_for_update(no_key=True).order_by("pk").values_list("pk", "wanted"))


def open_slots(study: int, item: int, count: int, *, after: int, near: int) -> None:
    """Slots numbered on from `after`, in the topic that the position `near` lies in."""
    topic = near // SPAN * SPAN
    Slot.objects.bulk_create(
        Slot(study_id=study, item_id=item, number=number, position=topic + secrets.randbelow(SPAN))
        for number in range(after + 1, after + 1 + count)
    )


def take_away(item: int, count: int) -> None:
    nobodys = Slot.objects.filter(item=item, number__isnull=False, judged_at__isnull=True).filter(
        Q(worker__isnull=True) | Q(leased_until__lt=timezone.now())
    )
    for slot in nobodys.order_by(F("number").desc())[:count]:
        nobodys.filter(pk=slot.pk).delete()  # unless somebody has claimed it meanwhile
