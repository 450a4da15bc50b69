"""Items with a known grade: training, the qualification test, and gold among the work. They are asked of every worker.

Their slots are made when they are given out and belong to one worker. Nothing that a worker's browser gets tells them from work.
"""

import hashlib
from collections import Counter
from collections.abc import Collection as Some
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from judging.leases import end_of_lease
from judging.models import Item, Judgement, Slot, Study, Worker
from judging.tallies import Tally

Role = Item.Role
INTRODUCTION = (Role.TRAINING, Role.TEST)  # before any work, in this order
MIXED_IN = (Role.GOLD, Role.ATTENTION)
ASKED = (*INTRODUCTION, *MIXED_IN)
FIRST_POSITION = 10**9  # of items that are no work: behind those of any pool


def designate(items: Some[Item], role: Item.Role, *, right: list[int], explanation: str = "") -> None:
    """Let items of a study be checks, with the grades that are right: nobody new is given their slots as work.

    Judgements that they have keep their votes; open slots that nobody holds go.
    """
    keys = [item.pk for item in items]
    with transaction.atomic():
        list(Item.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
        Item.objects.filter(pk__in=keys).update(role=role, right=sorted(right), explanation=explanation)
        Slot.objects.filter(item__in=keys, number__isnull=False, worker__isnull=True).delete()
        for study in Study.objects.select_for_update(no_key=True).filter(pk__in=Item.objects.filter(pk__in=keys).values("study")):
            count_checks(study)


def count_checks(study: Study) -> None:
    """Note with the study how many checks of each role it has: nobody looks for those that there are none of."""
    counts = Counter(study.items.filter(role__in=ASKED).order_by().values_list("role", flat=True))
    study.pool_counts = {**study.pool_counts, "checks": counts.total(), **{role: counts[role] for role in ASKED}}
    study.save(update_fields=["pool_counts"])


def has_checks(study: Study) -> bool:
    return bool(study.pool_counts.get("checks"))


def ask(worker: Worker, so_far: Tally, *, here: int) -> bool | None:
    """Give the (locked) worker the check that is due. True: given; False: nothing may be given now; None: work is due."""
    for role in INTRODUCTION:
        if so_far.given.get(role, 0) < has(worker.study, role):
            item = not_given(worker, [role]).order_by("position").first()
            if item:
                give(worker, item, position=here)
                return True
        if so_far.open.get(role):
            return False  # the next step depends on the answer
    mixed_in = unforeseen(worker) if is_due(worker, so_far) else None
    if mixed_in is None:
        return None
    give(worker, mixed_in, position=here)
    return True


def has(study: Study, role: Item.Role) -> int:
    return study.pool_counts.get(role, 0)


def not_given(worker: Worker, roles: Some[Item.Role]) -> QuerySet[Item]:
    return Item.objects.filter(study=worker.study_id, role__in=roles).exclude(slots__worker=worker)


def give(worker: Worker, item: Item, *, position: int) -> None:
    """Have the worker hold a slot of the item. It lies where the worker is, so that they do not leave their topic for it."""
    Slot.objects.create(study=worker.study, item=item, position=position, worker=worker, leased_until=end_of_lease(worker.study))


def is_due(worker: Worker, so_far: Tally) -> bool:
    """Whether the next item should be known to us: one in each `gold_every`, at a place that nobody can foresee."""
    every = worker.study.gold_every
    had = sum(so_far.given.get(role, 0) for role in MIXED_IN)
    if not every or had >= sum(has(worker.study, role) for role in MIXED_IN):
        return False
    given = sum(count for role, count in so_far.given.items() if role not in INTRODUCTION)
    block, place = divmod(given, every)
    return place == chance(worker, block) % every


def chance(worker: Worker, block: int) -> int:
    """A number that is random to the worker, and the same each time it is asked for."""
    return int.from_bytes(hashlib.blake2b(b"%d" % block, key=worker.key.bytes, digest_size=8).digest())


def unforeseen(worker: Worker) -> Item | None:
    """Gold that the worker has not had, of the topic that they are at if there is any: a change of topic would stand out."""
    unseen = not_given(worker, MIXED_IN).order_by("?")
    judged = Slot.objects.filter(worker=worker, judged_at__isnull=False).order_by("-judged_at")
    return unseen.filter(topic=judged.values("item__topic")[:1]).first() or unseen.first()


@dataclass(frozen=True)
class Score:
    """How many checks a worker answered, and how many of them rightly."""

    right: int
    answered: int

    def __str__(self) -> str:
        return f"{self.right} of {self.answered} right"

    @property
    def share(self) -> float | None:
        return self.right / self.answered if self.answered else None


def score(worker: Worker, role: Item.Role) -> Score:
    """By the answers that stand. Who says that they can't judge has not given a right grade."""
    stand = Judgement.objects.filter(worker=worker, item__role=role, revised_by__isnull=True)
    answers = stand.values_list("grade", "item__right")
    return Score(right=sum(grade in right for grade, right in answers), answered=len(answers))


def scores(study: Study) -> dict[int, Score]:
    """How many people answered each check of the study, and how many of them rightly, by the item's key."""
    stand = Judgement.objects.filter(
        item__study=study, item__role__in=ASKED, revised_by=None, slot__number=None, worker__machine=""
    )
    found: dict[int, Score] = {}
    for item, grade, right in stand.values_list("item", "grade", "item__right"):
        before = found.get(item, Score(0, 0))
        found[item] = Score(right=before.right + (grade in right), answered=before.answered + 1)
    return found


def is_test(item: int, study: Study) -> bool:
    """Only an answer to the test can fail it: who was let in in spite of it is not shut out again by their work."""
    return bool(has(study, Role.TEST)) and Item.objects.filter(pk=item, role=Role.TEST).exists()


def has_failed(worker: Worker) -> bool:
    """Whether the worker has answered the whole qualification test, and too little of it rightly."""
    found = score(worker, Role.TEST)
    asked = Item.objects.filter(study=worker.study_id, role=Role.TEST).count()
    return found.share is not None and found.answered >= asked and found.share < worker.study.pass_mark
