"""Wanted votes: some items of a launched study are judged by more workers than all are, and by as many again.

No vote is lost by it: what somebody has judged or holds stays, and an item then wants as many votes as it has places.
"""

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.models import Item, Slot, Study, User
from judging.models.slot import SPAN
from judging.studies.growth import CannotGrow, blocks_of, refuse_beyond_most, refuse_unless_open
from judging.work import priority
from judging.work.adaptive_overlap import is_adaptive
from judging.work.overlap import NONE, vote_counts

MOST_VOTES = 50  # on one item, as a study's overlap
MOST_ITEMS = 10_000  # at a time


@dataclass(frozen=True)
class Change:
    """How many items want another number of votes than before, and how many judgements more are asked for; fewer: below 0."""

    items: int
    judgements: int


def offered_for(study: Study) -> bool:
    """Whether somebody may choose it. A study with adaptive overlap asks for more by itself where workers disagree."""
    return study.is_launched and not study.archived and not study.compares and not is_adaptive(study)


def asked_for(items: QuerySet[Item]) -> QuerySet[Item]:
    """Those that workers judge; documents whose grades were known before the study are none."""
    asked = Slot.objects.filter(item=OuterRef("pk"), number__isnull=False)
    return items.filter(Exists(asked), role=Item.Role.WORK)


@transaction.atomic
def set_votes(study: Study, items: Iterable[int], votes: int, *, by: User | None = None) -> Change:
    """Have that many workers judge each of these items of the study's work: at least its overlap, at most MOST_VOTES.

    Asked again it changes nothing. Workers who had finished get work again once the study runs. Raises CannotGrow, and changes
    nothing, for a study that is no launched graded one, is archived or adaptive. Also for too many judgements or items.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    refuse_unless_open(study)
    if is_adaptive(study):
        text = _("This study asks for more judgements by itself where workers disagree, up to %(most)s of an item.")
        raise CannotGrow(text % {"most": study.most_overlap})
    if not study.overlap <= votes <= MOST_VOTES:
        text = _("Every item of this study is judged by %(overlap)s workers; choose from %(overlap)s to %(most)s.")
        raise CannotGrow(text % {"overlap": study.overlap, "most": MOST_VOTES})
    chosen = list(
        asked_for(Item.objects.filter(study=study, pk__in=list(items))).exclude(wanted=votes).values_list("pk", flat=True)
    )
    if len(chosen) > MOST_ITEMS:
        text = _("These are %(count)s documents; %(most)s are taken at a time.")
        raise CannotGrow(text % {"count": f"{len(chosen):,}", "most": f"{MOST_ITEMS:,}"})
    locked = list(Item.objects.filter(pk__in=chosen).select_for_update(no_key=True).order_by("pk"))
    opened = open_more(study, [item for item in locked if item.wanted < votes], votes)
    closed = take_away([item for item in locked if item.wanted > votes], votes)
    changed = sum(item.wanted < votes for item in locked) + closed.items
    if changed:
        priority.count(study)
        note(Deed.CHANGED, f"{quoted(study)}: {changed:,} items judged by {votes} workers", by, study)
    return Change(changed, opened + closed.judgements)


def open_more(study: Study, items: list[Item], votes: int) -> int:
    """Slots for the votes that the items lack, scattered among those of their topics. Returns how many."""
    counts = {row["item"]: row for row in vote_counts([item.pk for item in items])}
    blocks, chance = blocks_of(study, {item.topic_id for item in items}), random.SystemRandom()
    slots = [
        Slot(
            study=study,
            item=item,
            number=number,
            position=blocks[item.topic_id] * SPAN + chance.randrange(SPAN),
            urgent=item.urgent,
        )
        for item in items
        for row in [counts.get(item.pk, NONE)]
        for number in range(row["highest"] + 1, row["highest"] + 1 + max(votes - row["votes"] - row["open"], 0))
    ]
    refuse_beyond_most(Slot.objects.filter(study=study, number__isnull=False).count() + len(slots))
    Slot.objects.bulk_create(slots, batch_size=2000)
    Item.objects.filter(pk__in=[item.pk for item in items]).update(wanted=votes)
    return len(slots)


def take_away(items: list[Item], votes: int) -> Change:
    """Delete the items' last open slots beyond so many votes. Those that somebody holds or is claiming stay."""
    nobodys = Q(worker__isnull=True) | Q(leased_until__lt=timezone.now())
    work = Slot.objects.filter(item__in=items, number__isnull=False, judged_at__isnull=True)
    free = work.filter(nobodys).select_for_update(of=("self",), skip_locked=True)
    slots = defaultdict(list)
    for slot, key in free.order_by("item", "-number").values_list("pk", "item"):
        slots[key].append(slot)
    gone = {item.pk: slots[item.pk][: item.wanted - votes] for item in items}
    Slot.objects.filter(pk__in=[key for keys in gone.values() for key in keys]).delete()
    fewer = [item for item in items if gone[item.pk]]
    for item in fewer:
        item.wanted -= len(gone[item.pk])
    Item.objects.bulk_update(fewer, ["wanted"], batch_size=2000)
    return Change(len(fewer), -sum(map(len, gone.values())))
