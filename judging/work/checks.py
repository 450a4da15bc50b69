"""Items with a known grade: training, the qualification test, and gold among the work. They are asked of every worker.

Their slots are made when they are given out and belong to one worker. Nothing that a worker's browser gets tells them from work.

Nor does their order. Checks among the work come with work of their own topic alone, as from a shuffled pack. Of all work and
checks of the topic that this worker has left, each is as likely to be the next one. Where others have taken the rest of the work,
the topic ends without another check.

Pairs of lists lie in no order of topics. Of each stretch of a worker's answers one is to a gold pair, at a place that nobody can
foresee. Mirrored pairs come the same way.
"""

import copy
import hashlib
import math
import secrets
from collections import Counter
from collections.abc import Collection as Some
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q, QuerySet

from judging.database.rows import insert
from judging.models import Item, Judgement, Slot, Study, Worker
from judging.models.slot import SPAN
from judging.work.leases import end_of_lease
from judging.work.tallies import Tally

Role = Item.Role
INTRODUCTION = (Role.TRAINING, Role.TEST)  # before any work, in this order
MIXED_IN = (Role.GOLD, Role.ATTENTION)
ASKED = (*INTRODUCTION, *MIXED_IN)
FIRST_POSITION = 10**9  # of items that are no work: behind those of any pool


GOLD_APART = 2**32  # from mirrored pairs
SIDES_APART = 2**33  # from both, in what chance is asked
MOST_DENSELY = 2  # times as often as asked for, where some topics have no checks: more would show, and cost


def designate(items: Some[Item], role: Item.Role, *, right: list[int], explanation: str = "") -> None:
    """Let items of a study be checks, with the grades that are right: nobody new is given their slots as work.

    Judgements that they have keep their votes; open slots that nobody holds go.
    """
    keys = [item.pk for item in items]
    with transaction.atomic():
        mark(keys, role, right=right, explanation=explanation)
        for study in Study.objects.select_for_update(no_key=True).filter(pk__in=Item.objects.filter(pk__in=keys).values("study")):
            count_checks(study)


def mark(keys: list[int], role: Item.Role, *, right: list[int], explanation: str = "") -> None:
    """Mark items as checks, in a transaction of the caller, who recounts the study's checks once all are marked."""
    list(Item.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))
    Item.objects.filter(pk__in=keys).update(role=role, right=sorted(right), explanation=explanation)
    Slot.objects.filter(item__in=keys, number__isnull=False, worker__isnull=True).delete()


class Mix(NamedTuple):
    """How much work a topic has, and how many checks among it."""

    work: int
    gold: int
    attention: int

    @property
    def checks(self) -> int:
        return self.gold + self.attention


Mixes = Counter[Mix]  # how many topics have it


def count_checks(study: Study) -> None:
    """Note with the study how many checks of each role it has, and among how much work: nobody looks for what is not there."""
    roles = study.items.filter(role__in=ASKED).order_by().values_list("role", flat=True)
    study.pool_counts = {**study.pool_counts, **counts_of(roles, mixes_of(study))}
    study.save(update_fields=["pool_counts"])


def counts_of(roles: Iterable[str], mixes: Mixes) -> dict[str, Any]:
    """The counts of checks that a study has noted. Rows of `mixed` are [work, checks, topics]: how many topics have just so much
    work and so many checks among it."""
    counts = Counter(roles)
    mixed: Counter[tuple[int, int]] = Counter()
    for mix, topics in mixes.items():
        if mix.work and mix.checks:
            mixed[mix.work, mix.checks] += topics
    rows = [[work, among, topics] for (work, among), topics in sorted(mixed.items())]
    return {"checks": counts.total(), **{role: counts[role] for role in ASKED}, "mixed": rows}


def mixes_of(study: Study) -> Mixes:
    """The mix of each topic. All pairs of lists are one mix, as they come in any order."""
    of_all = study.items.filter(role__in=[Role.WORK, *MIXED_IN]).order_by().values("study" if study.compares else "topic")
    counts = of_all.annotate(**{role: Count("id", filter=Q(role=role)) for role in (Role.WORK, *MIXED_IN)})
    return Counter(map(Mix._make, counts.values_list(Role.WORK, *MIXED_IN)))


def with_counts(study: Study, counts: dict[str, Any]) -> Study:
    """The study as if it had noted these counts. Nothing is saved."""
    noted = copy.copy(study)
    noted.pool_counts = counts
    return noted


def of_draft(study: Study) -> list[Item]:
    """The checks that a draft has, in their order: it has no other items yet."""
    return [] if study.is_launched or study.pk is None else list(study.items.order_by("position"))


def has_checks(study: Study) -> bool:
    return bool(study.pool_counts.get("checks"))


def introduce(worker: Worker, so_far: Tally, *, here: int) -> bool | None:
    """Give the (locked) worker what comes before work. True: given; False: nothing may be given now; None: work is due."""
    for role in INTRODUCTION:
        if so_far.slots.get(role, 0) < has(worker.study, role):
            item = not_given(worker, [role]).order_by("position").first()
            if item:
                give(worker, item, position=here)
                return True
        if so_far.open.get(role):
            return False  # the next step depends on the answer
    return None


def is_introducing(study: Study, so_far: Tally) -> bool:
    return any(so_far.slots.get(role, 0) < has(study, role) for role in INTRODUCTION)


def has(study: Study, role: Item.Role) -> int:
    return study.pool_counts.get(role, 0)


def not_given(worker: Worker, roles: Some[Item.Role]) -> QuerySet[Item]:
    return Item.objects.filter(study=worker.study_id, role__in=roles).exclude(slots__worker=worker)


def give(worker: Worker, item: Item, *, position: int) -> None:
    """Have the worker hold a slot of the item. It lies where the worker is, so that they do not leave their topic for it."""
    study = worker.study
    # Its first list is the better one. Given back and given again, it stands as it stood: late answers are to what was seen.
    swapped = study.compares and bool(chance(worker, SIDES_APART + item.pk) & 1)
    slot = Slot(study=study, item=item, position=position, swapped=swapped, worker=worker, leased_until=end_of_lease(study))
    insert(slot)


def mixes_in(study: Study) -> bool:
    """Whether there may be checks among the work."""
    return bool(study.gold_every) and any(has(study, role) for role in MIXED_IN)


def is_gold_pair_due(worker: Worker, so_far: Tally) -> bool:
    """Whether the worker should meet a gold pair now: one in each stretch, at a place that nobody can foresee. Gold that is made
    later comes as often, and nobody makes up for what they missed."""
    if not mixes_in(worker.study):
        return False
    passed, place = divmod(after_introduction(so_far), worker.study.gold_every)
    return place == chance(worker, GOLD_APART + passed) % worker.study.gold_every


def give_gold_pair(worker: Worker, *, position: int) -> bool:
    """Give the (locked) worker one of those that they have not had, unless they are withdrawn by now; which one is chance."""
    pairs = list(not_given(worker, [Role.GOLD]).values_list("pk", flat=True))
    if pairs:
        give(worker, Item(pk=secrets.choice(pairs)), position=position)
    return bool(pairs)


def after_introduction(so_far: Tally) -> int:
    """How many slots the worker has been given since the training and the test."""
    return sum(slots for role, slots in so_far.slots.items() if role not in INTRODUCTION)


@dataclass(frozen=True)
class NextPlace:
    """The worker's topic and position, by what they were given last, and those to which the order of work leads next. None:
    nowhere.

    `room`: how much more work the worker may be given at most.
    """

    topic: int | None
    position: int
    next_topic: int | None
    next_position: int | None
    room: float = math.inf


def mix_in(worker: Worker, place: NextPlace) -> bool:
    """Give the (locked) worker a check where work of its topic could come, if one is due there. Whether one was given."""
    packs = packs_of(worker, place)
    here, there = packs.get(place.topic, NOTHING), packs.get(place.next_topic, NOTHING)
    if place.topic != place.next_topic and here.is_due_last():
        return give_one_of(worker, here.checks, position=place.position)
    if place.next_position is not None and there.is_due():
        return give_one_of(worker, there.checks, position=place.next_position)
    return False


def is_due_last(worker: Worker, place: NextPlace) -> bool:
    """Whether there is still a check for the worker behind all work: one that they gave back."""
    return packs_of(worker, place).get(place.topic, NOTHING).is_due_last()


@dataclass(frozen=True)
class Pack:
    """What is left of a topic for one worker: at most `work` items, and the keys of the `checks` that they are to meet."""

    work: float
    checks: list[int]

    def is_due(self) -> bool:
        return bool(self.checks) and secrets.randbelow(round(self.work) + len(self.checks)) < len(self.checks)

    def is_due_last(self) -> bool:
        """Whether a check is due behind the last of the topic's work; none is where others took the rest of that work."""
        return bool(self.checks) and self.work <= 0


NOTHING = Pack(0, [])

OF_TOPICS = """
SELECT item.topic_id, CASE WHEN item.role = 'work' THEN NULL ELSE item.id END AS known,
    count(*), count(coalesce(mine.id, did.id)), count(mine.number)
FROM judging_item item LEFT JOIN judging_slot mine ON mine.item_id = item.id AND mine.worker_id = %(worker)s
LEFT JOIN judging_judgement did ON did.item_id = item.id AND did.worker_id = %(worker)s AND did.revises_id IS NULL
WHERE item.study_id = %(study)s AND item.topic_id IN (%(here)s, %(there)s) AND item.role IN ('work', 'gold', 'attention')
GROUP BY item.topic_id, known"""


def packs_of(worker: Worker, place: NextPlace) -> dict[int | None, Pack]:
    """The packs of the topic where the worker is and of the next one.

    All of it is one query, whatever will be given: an answer that takes longer must not tell that a check comes with it.
    """
    cursor = connection.cursor()
    about = {"worker": worker.pk, "study": worker.study_id, "here": place.topic, "there": place.next_topic}
    cursor.execute(OF_TOPICS, about)
    rows: dict[int | None, list[tuple]] = {}
    for topic, *row in cursor.fetchall():
        rows.setdefault(topic, []).append(tuple(row))
    return {topic: pack(worker, topic, place.room, of_topic) for topic, of_topic in rows.items() if topic is not None}


def pack(worker: Worker, topic: int, room: float, rows: list[tuple]) -> Pack:
    """The pack of one topic, from its rows (check, items, slots, as work). The row without a check is the work: how much there
    is, and how much the worker was given. `as_work` says that a check was given as work, which it is no longer."""
    items, done = next(((items, done) for check, items, done, _ in rows if check is None), (0, 0))
    as_work = sum(as_work for check, *_, as_work in rows if check is not None)
    had = sum(slots - as_work for check, _, slots, as_work in rows if check is not None)
    unseen = sorted((check for check, _, slots, _ in rows if check is not None and not slots), key=partial(chance, worker))
    left = min(items - done, room)
    wanted = min(density(worker.study) * (left + done + as_work), len(unseen) + had)
    lot = chance(worker, topic) / 2**64  # part of a check is one check for part of the workers
    return Pack(left, unseen[: max(math.floor(wanted + lot) - had, 0)])


def density(study: Study) -> float:
    """How many checks there should be for one item of work, in topics that have checks."""
    every = study.gold_every * unmirrored(study)
    if every <= 1:
        return math.inf
    covered = sum(work * topics for work, _, topics in study.pool_counts.get("mixed", []))
    more = study.pool_counts.get("items", 0) / covered if covered else 1
    return min(max(more, 1), MOST_DENSELY) / (every - 1)


def answers_a_check(study: Study) -> float | None:
    """How many answers there are to one answer to a check, on average over the study. None without checks among the work."""
    items = study.pool_counts.get("items", 0)
    met = expected(study, items)
    return (items + met) / unmirrored(study) / met if met else None


def unmirrored(study: Study) -> float:
    """The share of answers that go to no mirrored pair."""
    return 1 - study.comparison.mirrored if study.compares else 1.0


def expected(study: Study, work: int) -> float:
    """How many checks a worker meets on average on so much work."""
    items = study.pool_counts.get("items", 0)
    if not (mixes_in(study) and items and work):
        return 0.0
    rows = study.pool_counts.get("mixed", [])
    met = sum(topics * work_of_topic * met_with(study, work_of_topic, checks) for work_of_topic, checks, topics in rows)
    return work * met / items


def met_with(study: Study, work: int, checks: int) -> float:
    """How many of a topic's checks come with one item of its work on average."""
    most = min(work, study.most_judgements or work)
    return min(density(study) * most, checks) / most


def give_one_of(worker: Worker, checks: list[int], *, position: int) -> bool:
    """Any of these: what was given back may come again as work may. Its slot lies anywhere in its topic, as those of work do."""
    anywhere = position if worker.machine else position // SPAN * SPAN + secrets.randbelow(SPAN)
    give(worker, Item(pk=secrets.choice(checks)), position=anywhere)
    return True


def chance(worker: Worker, number: int) -> int:
    """64 bits that are random to the worker, who knows the key that their cookie carries, and the same each time."""
    secret = hashlib.blake2b(b"chance" + worker.key.bytes, key=settings.SECRET_KEY.encode()[:64]).digest()
    return int.from_bytes(hashlib.blake2b(b"%d" % number, key=secret, digest_size=8).digest())


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
    """The worker's score by first answers: who comes to suspect a check must not be able to mend it. “Can't judge” is no right
    grade."""
    first = Judgement.objects.filter(worker=worker, item__role=role, revises__isnull=True)
    answers = first.values_list("grade", "item__right")
    return Score(right=sum(grade in right for grade, right in answers), answered=len(answers))


def scores(study: Study) -> dict[int, Score]:
    """How many people answered each check of the study, and how many of them rightly at first, by the item's key."""
    first = Judgement.objects.filter(item__study=study, item__role__in=ASKED, revises=None, slot__number=None, worker__machine="")
    by_item: dict[int, Score] = {}
    for item, grade, right in first.values_list("item", "grade", "item__right"):
        before = by_item.get(item, Score(0, 0))
        by_item[item] = Score(right=before.right + (grade in right), answered=before.answered + 1)
    return by_item


def is_test(item: int, study: Study) -> bool:
    """Whether an item is of the test. Only an answer to the test can fail it: who was let in in spite of it is not shut out
    again by their work."""
    return bool(has(study, Role.TEST)) and Item.objects.filter(pk=item, role=Role.TEST).exists()


def has_failed(worker: Worker) -> bool:
    """Whether the worker has answered the whole qualification test, and too little of it rightly."""
    result = score(worker, Role.TEST)
    questions = Item.objects.filter(study=worker.study_id, role=Role.TEST).count()
    return result.share is not None and result.answered >= questions and result.share < worker.study.pass_mark
