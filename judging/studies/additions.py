"""Additions: what a launched study was given besides its pool, and how it is taken back.

Judgements stay, and so do their items. An item that somebody holds stays, too, until it comes free. Whoever claims or settles a
slot at this moment keeps it: they have it locked, and what is locked is passed over. Nothing is waited for, and nobody waits.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.database.portions import in_portions
from judging.errors import Impossible
from judging.models import Addition, Enquiry, Item, Judgement, Slot, Study, User
from judging.studies.growth import count, topics_in
from judging.work import checks, priority


class CannotTakeBack(Impossible):
    """Why an addition stays as it is; the text says what to do."""


@dataclass(frozen=True)
class Contents:
    """An addition, how many documents are left of it, and why which of them stay.

    - judged: somebody has judged them
    - held: a worker has them at this moment
    - checks: they became checks since
    """

    addition: Addition
    documents: int
    judged: int
    held: int
    checks: int

    @property
    def free(self) -> int:
        """How many can be taken back."""
        return self.documents - self.judged - self.held - self.checks


def contents_of(additions: Iterable[Addition]) -> list[Contents]:
    """What these additions have, in their order, by one query."""
    additions = list(additions)
    judged, held, work = is_judged(), is_held(), Q(role=Item.Role.WORK)
    rows = (
        Item.objects.filter(addition__in=additions)
        .order_by()
        .values_list("addition")
        .annotate(
            documents=Count("id"),
            judged=Count("id", filter=judged),
            held=Count("id", filter=work & ~judged & held),
            checks=Count("id", filter=~work & ~judged),
        )
    )
    counts = {addition: numbers for addition, *numbers in rows}
    return [Contents(addition, *counts.get(addition.pk, NONE)) for addition in additions]


NONE = (0, 0, 0, 0)


def is_judged() -> Q:
    """Of an item: somebody has judged it, and be it that their judgement has no vote."""
    settled = Slot.objects.filter(item=OuterRef("pk"), judged_at__isnull=False)
    return Q(Exists(Judgement.objects.filter(item=OuterRef("pk")))) | Q(Exists(settled))


def is_held() -> Q:
    """Of an item: a worker has it, person or machine, and their lease has not run out."""
    return Q(Exists(Slot.objects.filter(item=OuterRef("pk"), judged_at__isnull=True, leased_until__gte=timezone.now())))


def take_back(addition: Addition, *, by: User | None = None) -> int:
    """Take back what nobody has judged or holds, as if it had never been added. Returns how many documents: asked again, none.

    A late answer to a document that is gone is refused. Of an answer that arrives meanwhile the database knows, and does not
    commit. Raises CannotTakeBack for a study that is closed or archived.
    """
    try:
        with transaction.atomic():
            study = Study.objects.select_for_update(no_key=True).get(pk=addition.study_id)
            refuse_unless_open(study)
            items = lock_free(addition)
            if not items:
                return 0
            judgements = remove(study, items)
            if not addition.items.exists():
                Addition.objects.filter(pk=addition.pk).delete()
            added = f"added {addition.created:%Y-%m-%d %H:%M} by {addition.by or 'no person'}"
            about = f"{quoted(study)}: {len(items):,} items fewer, {judgements:,} judgements, of those {added}"
            note(Deed.CHANGED, about, by, study)
    except IntegrityError:
        raise CannotTakeBack(_("Somebody has judged one of these documents at this moment. Try again.")) from None
    return len(items)


def refuse_unless_open(study: Study) -> None:
    if reason := why_not(study):
        raise CannotTakeBack(reason)


def why_not(study: Study) -> str:
    """Why nothing is taken back from this study, and what to do; empty if documents can be."""
    if study.archived:
        return _("This study is archived, and what it asked for stays as it was. Restore and resume it first.")
    if study.state == Study.State.CLOSED:
        return _("This study is closed, and what it asked for stays as it was. Resume it first.")
    return ""


def free_items(addition: Addition) -> QuerySet[Item]:
    return addition.items.filter(~is_judged(), ~is_held(), role=Item.Role.WORK)


def lock_free(addition: Addition) -> list[int]:
    """The keys of its free items, locked with all of their slots. Slots come first, as for whoever settles."""
    locked: list[int] = []
    for candidates in in_portions(free_items(addition).values_list("pk", flat=True)):
        slots = Slot.objects.filter(item__in=candidates).order_by()
        ours = Counter(slots.select_for_update(skip_locked=True).values_list("item", flat=True))
        all_slots = Counter(slots.values_list("item", flat=True))
        still = free_items(addition).filter(pk__in=[item for item in candidates if ours[item] == all_slots[item]])
        locked += still.select_for_update(of=("self",), skip_locked=True).values_list("pk", flat=True)
    return locked


def remove(study: Study, items: list[int]) -> int:
    """Remove (locked) items from the (locked) study and its counts. Returns how many judgements they would have had.

    What workers asked about them stays, as asked about the study.
    """
    topics, judgements = set[int](), 0
    for some in in_portions(items):
        removed, slots = Item.objects.filter(pk__in=some), Slot.objects.filter(item__in=some)
        topics.update(removed.values_list("topic", flat=True))
        judgements += slots.filter(number__isnull=False).count()
        Enquiry.objects.filter(item__in=some).update(item=None)
        for rows in (slots, removed):
            rows._raw_delete(rows.db)  # no look at what refers to each: the database refuses if anything does
    pool = study.items.filter(position__lt=checks.FIRST_POSITION)
    gone = topics - topics_in(pool, topics)
    count(study, items=-len(items), topics=-len(gone))
    if priority.has_urgent(study):
        priority.count(study)
    return judgements
