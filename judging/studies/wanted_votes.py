"""Wanted votes: some items of a launched study are judged by more workers than all are, and by as many again.

No vote is lost by it: what somebody has judged or holds stays, and an item then wants as many votes as it has places.
"""

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.database.planner import update_statistics
from judging.models import Item, Slot, Study, User
from judging.models.slot import SPAN
from judging.studies.growth import CannotGrow, asked, blocks_of, refuse_beyond_most, refuse_unless_open
from judging.work import priority
from judging.work.overlap import NONE, free_slots, vote_counts

MOST_VOTES = 50  # on one item, as a study's overlap
MOST_ITEMS = 10_000  # at a time
AT_ONCE = 1000  # items, whose slots one statement can name


@dataclass(frozen=True)
class Change:
    """How many items want another number of votes than before, and how many judgements more and fewer are asked for."""

    items: int
    more: int = 0
    fewer: int = 0


def offered_for(study: Study) -> bool:
    """Whether somebody may choose it. A study with adaptive overlap asks for more by itself where workers disagree."""
    return study.is_launched and not study.archived and not study.compares and not study.is_adaptive


def with_more(study: Study) -> int:
    """How many items are judged by more workers than all because somebody chose so."""
    if study.compares or study.is_adaptive:
        return 0
    return study.items.filter(role=Item.Role.WORK, wanted__gt=study.overlap).count()


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
    keys = sorted(set(items))
    if len(keys) > MOST_ITEMS:
        text = _("These are %(count)s documents; %(most)s are taken at a time.")
        raise CannotGrow(text % {"count": f"{len(keys):,}", "most": f"{MOST_ITEMS:,}"})
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    refuse_unless_open(study)
    if study.is_adaptive:
        text = _("This study asks for more judgements by itself where workers disagree, up to %(most)s of an item.")
        raise CannotGrow(text % {"most": study.most_overlap})
    if not study.overlap <= votes <= MOST_VOTES:
        text = _("Choose from %(overlap)s, as many as judge every item of this study, to %(most)s.")
        raise CannotGrow(text % {"overlap": study.overlap, "most": MOST_VOTES})
    chosen = asked_for(Item.objects.filter(study=study, pk__in=keys)).exclude(wanted=votes).values_list("pk", flat=True)
    locked = list(Item.objects.filter(pk__in=list(chosen)).select_for_update(no_key=True).order_by("pk"))
    more = open_more(study, [item for item in locked if item.wanted < votes], votes)
    fewer = take_away([item for item in locked if item.wanted > votes], votes)
    change = Change(more.items + fewer.items, more.more, fewer.fewer)
    if change != NOTHING:
        priority.count(study)
        note(Deed.CHANGED, f"{quoted(study)}: {votes} workers for {change.items:,} items", by, study)
    return change


NOTHING = Change(0)


def open_more(study: Study, items: list[Item], votes: int) -> Change:
    """Open slots for the votes that the items lack, scattered among those of their topics."""
    counts = {row["item"]: row for row in vote_counts([item.pk for item in items])}
    blocks, chance = blocks_of(study, {item.topic_id for item in items}), random.SystemRandom()
    slots = []
    for item in items:
        row, first = counts.get(item.pk, NONE), blocks[item.topic_id] * SPAN
        lacking = range(row["highest"] + 1, row["highest"] + 1 + votes - row["votes"] - row["open"])
        place = {"study": study, "item": item, "urgent": item.urgent}
        slots += [Slot(**place, number=number, position=first + chance.randrange(SPAN)) for number in lacking]
    if slots:
        refuse_beyond_most(asked(study) + len(slots))
    Slot.objects.bulk_create(slots, batch_size=2000)
    Item.objects.filter(pk__in=[item.pk for item in items]).update(wanted=votes)
    update_statistics(Slot, added=len(slots))
    return Change(len(items), more=len(slots))


def take_away(items: list[Item], votes: int) -> Change:
    """Delete the items' last open slots beyond so many votes. Those that somebody holds or is claiming stay.

    An item then wants as many votes as it has and as are on their way; never fewer than those that decided on it before.
    """
    changed = fewer = 0
    for some in (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)):
        counts = {row["item"]: row for row in vote_counts([item.pk for item in some])}
        free, gone, smaller = last_free(some), [], []
        for item in some:
            row = counts.get(item.pk, NONE)
            places = row["votes"] + row["open"]
            last = free[item.pk][: max(places - votes, 0)]
            gone += last
            if (wanted := max(votes, min(item.wanted, places - len(last)))) < item.wanted:
                item.wanted = wanted
                smaller.append(item)
        rows = Slot.objects.filter(pk__in=gone)
        rows._raw_delete(rows.db)  # nobody has judged in them: the database refuses if anybody did
        Item.objects.bulk_update(smaller, ["wanted"], batch_size=AT_ONCE)
        changed, fewer = changed + len(smaller), fewer + len(gone)
    return Change(changed, fewer=fewer)


def last_free(items: list[Item]) -> dict[int, list[int]]:
    """The open slots of each item that nobody holds, the last ones first."""
    free = free_slots(Slot.objects.filter(item__in=items)).order_by("item", "-number")
    slots = defaultdict(list)
    for slot, item in free.values_list("pk", "item"):
        slots[item].append(slot)
    return slots
