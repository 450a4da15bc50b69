"""The assignment of slots: who judges what next.

A slot is free when nobody holds it or its lease has run out. A transaction that claims or settles locks the worker's row first:
one worker's tabs queue up. Then it takes free slots that no other transaction is looking at: `SKIP LOCKED` on PostgreSQL. On
SQLite every transaction begins IMMEDIATE, so there is only one. `filled_slots.settle_at_once` alone takes no lock and leaves it
to the constraints. Who changes how many slots an item has (`overlap`) locks the item, after the worker.

What runs for every judgement is written out as SQL: building these statements through the ORM took several times
longer than executing them.
"""

import math
import secrets
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.database.rows import Columns, read
from judging.models import Attachment, Document, Item, Judgement, Slot, Study, Topic, Worker
from judging.models.slot import SPAN
from judging.work import checks, machines, mirrors, priority
from judging.work.leases import end_of_lease, runs_out_soon
from judging.work.overlap import balance
from judging.work.tallies import Tally, tally

FREE = """
SELECT free.id FROM judging_slot free
WHERE free.study_id = %(study)s AND free.judged_at IS NULL AND {which}
AND free.position >= {first} AND free.position < {end}
AND (free.worker_id IS NULL OR free.leased_until < %(now)s)
AND NOT EXISTS (SELECT 1 FROM judging_slot mine WHERE mine.item_id = free.item_id AND mine.worker_id = %(worker)s {each})
AND NOT EXISTS (
    SELECT 1 FROM judging_judgement did
    WHERE did.item_id = free.item_id AND did.worker_id = %(worker)s AND did.revises_id IS NULL {each}
)
ORDER BY free.position, free.number LIMIT 1 {skip_locked}"""


@cache
def claim_from(here: str, *, urgent: bool = False) -> str:
    """The statement that takes a free slot: of the topic that position `here` (an expression) lies in, then of the next topics.

    Within the topic it is the first one behind a random `point`, or else before it. So each worker meets its documents in an
    order of their own. Nothing is looked for while the worker holds enough: CASE and coalesce look only where they must. Where
    there are `urgent` slots, all of that is done for them alone before it is done for the others.
    """
    return f"""
UPDATE judging_slot SET worker_id = %(worker)s, leased_until = %(until)s WHERE id = CASE
    WHEN (SELECT count(*) FROM judging_slot holds WHERE holds.worker_id = {{worker}} AND holds.judged_at IS NULL) < %(most)s
    THEN {next_free(here, urgent=urgent)}
END
RETURNING id"""  # noqa: S608  expressions of ours


def next_free(here: str, *, urgent: bool) -> str:
    """The expression for the key of that slot."""
    topic = f"{here} / {SPAN} * {SPAN}"
    parts = [(f"{topic} + %(point)s", f"{topic} + {SPAN}"), (topic, f"{topic} + %(point)s")]
    parts += [(f"{topic} + {SPAN}", str(NO_END)), ("0", topic)]
    work = "free.number IS NOT NULL"
    kinds = ("free.urgent", work) if urgent else (work,)  # urgent ones are work; saying so twice would lead to the other index
    free = ", ".join(
        "(" + FREE.replace("{which}", which).replace("{first}", first).replace("{end}", end) + ")"
        for which in kinds
        for first, end in parts
    )
    return f"coalesce({free})"


NO_END = 2**62

SLOT = Columns(Slot, "slot", "id item position leased_until")
ITEM = Columns(Item, "item", "id topic document role")
TOPIC = Columns(Topic, "topic", "id number title description narrative")
DOCUMENT = Columns(Document, "document", "id collection docno title text url")

DONE = "SELECT count(*) FROM judging_slot WHERE worker_id = {worker} AND judged_at IS NOT NULL"

# Whether there is more to show than topic and text. It is looked up for what is shown, and not for all that is held.
HAS_FILES = """
EXISTS (SELECT 1 FROM judging_markup markup WHERE markup.document_id = document.id)
OR EXISTS (SELECT 1 FROM judging_attachment attached WHERE attached.topic_id = topic.id AND attached.removed IS NULL)
OR EXISTS (SELECT 1 FROM judging_image image WHERE image.collection_id = document.collection_id)"""

HELD = f"""
SELECT {SLOT}, {ITEM}, {TOPIC}, {DOCUMENT}, {HAS_FILES}, ({DONE})
FROM (
    SELECT * FROM judging_slot WHERE worker_id = {{worker}} AND judged_at IS NULL ORDER BY leased_until, position LIMIT {{most}}
) slot
JOIN judging_item item ON item.id = slot.item_id
JOIN judging_topic topic ON topic.id = item.topic_id
JOIN judging_document document ON document.id = item.document_id
ORDER BY slot.leased_until, slot.position"""  # noqa: S608  columns of ours

STANDING = "SELECT standing FROM judging_worker WHERE id = %(worker)s "

LAST_POSITION = """
SELECT position FROM judging_slot WHERE worker_id = %(worker)s AND judged_at IS NOT NULL ORDER BY judged_at DESC LIMIT 1"""


def lock(worker: Worker) -> None:
    """Hold the worker's row until the transaction ends; their standing may have changed since it was read."""
    for_update = "FOR NO KEY UPDATE" if connection.features.has_select_for_update else ""
    (worker.standing,) = execute(STANDING + for_update, worker).fetchone()


def held_slots(worker: Worker, *, most: int = 1) -> list[Slot]:
    """Slots that wait for this worker's answer, with topic and document, the one to show first in front.

    Each is annotated with `done`, how many slots the worker has filled: whoever shows the one shows the other.
    """
    if worker.study.compares:
        return held_pairs(worker, most)
    rows = execute(HELD, worker, most=most).fetchall()
    return [slot_of(row, worker) for row in rows]


def held_pairs(worker: Worker, most: int) -> list[Slot]:
    """`held_slots` of a study that compares lists: with topic and both lists."""
    mine = Slot.objects.filter(worker=worker)
    filled = mine.filter(judged_at__isnull=False).order_by().values("worker").annotate(filled=Count("id")).values("filled")
    waiting = mine.filter(judged_at__isnull=True).select_related("item__topic", "item__first", "item__second")
    attached = Exists(Attachment.objects.filter(topic=OuterRef("item__topic"), removed=None))
    annotated = waiting.annotate(done=Coalesce(Subquery(filled), 0), has_files=attached)
    slots = annotated.order_by("leased_until", "position")[:most]
    for slot in slots:
        item: Any = slot.item
        slot.worker, slot.study, item.study, item.has_files = worker, worker.study, worker.study, slot.has_files
    return [*slots]


def slot_of(row: tuple, worker: Worker) -> Slot:
    """The models behind a row of HELD."""
    slot, item, topic, document = read(row, SLOT, ITEM, TOPIC, DOCUMENT)
    slot.worker, slot.study, (*_, item.has_files, slot.done) = worker, worker.study, row  # both: annotations
    slot.item, item.study, item.topic, item.document = item, worker.study, topic, document
    return slot


def done(worker: Worker) -> int:
    """How many slots the worker has filled."""
    return execute(DONE, worker).fetchone()[0]


def next_slots(worker: Worker, *, count: int = 1) -> list[Slot]:
    """What the worker should judge now: what they hold, topped up to `count` where the study still has work.

    Asking twice gives the same slots. Reads only, unless there is something to claim or a lease to renew.
    """
    slots = held_slots(worker, most=count)
    soon = [slot.pk for slot in slots if runs_out_soon(slot)]
    if len(slots) == count and not soon:
        return slots
    with transaction.atomic():
        lock(worker)
        Slot.objects.filter(pk__in=soon, worker=worker, judged_at__isnull=True).update(leased_until=end_of_lease(worker.study))
        top_up(worker, count=count)
    return held_slots(worker, most=count)


def top_up(worker: Worker, *, count: int, here: int | None = None) -> None:
    """Claim for the (locked) worker until they hold `count`: in the topic of `here`, or where they are, then onward."""
    if not gets_work(worker):
        return
    if here is None:
        here = position(worker)
    if worker.machine or not is_usual(worker.study):
        return fill_up(worker, here=here, most=count)
    for _ in range(count):
        if not claim(worker, here=here, most=count):
            break


def gets_work(worker: Worker) -> bool:
    return worker.study.state == Study.State.RUNNING and worker.may_work


def fill_up(worker: Worker, *, here: int, most: int) -> None:
    """Give slots one by one, where checks, mirrors or a limit come in between, or for a machine."""
    so_far = tally(worker)
    for lacking in reversed(range(most - so_far.held)):
        if not give_one(worker, so_far, here=here, most=most):
            break
        if lacking:
            so_far = tally(worker)


def give_one(worker: Worker, so_far: Tally, *, here: int, most: int) -> bool:
    """One more slot for the worker, unless there is none: a check if one is due, else work."""
    study = worker.study
    if checks.has_checks(study) and (introduced := checks.introduce(worker, so_far, here=here)) is not None:
        return introduced
    if study.compares:
        return give_pair(worker, so_far, here=here, most=most)
    if checks.mixes_in(study):
        place = place_of(worker, so_far)
        if checks.mix_in(worker, place):
            return True
        here = place.position
    if worker.machine:
        return machines.give_next(worker)
    return has_room(worker, so_far) and claim(worker, here=here, most=most)


def give_pair(worker: Worker, so_far: Tally, *, here: int, most: int) -> bool:
    """One more pair of lists for the worker: a gold one or a mirrored one if that is due, else work."""
    has_work = checks.is_gold_pair_due(worker, so_far) and place_of(worker, so_far).next_position is not None
    if has_work and checks.give_gold_pair(worker, position=here):
        return True
    if mirrors.ask(worker, so_far, here=here):
        return True
    return has_room(worker, so_far) and claim(worker, here=here, most=most)


def claim(worker: Worker, *, here: int, most: int) -> bool:
    """Have the worker hold one more slot of work, unless they hold enough or there is none."""
    statement = claim_from("CAST(%(here)s AS bigint)", urgent=priority.has_urgent(worker.study))
    return execute(statement, worker, **claiming(worker), here=here, most=most).fetchone() is not None


def place_of(worker: Worker, so_far: Tally) -> checks.NextPlace:
    """The worker's place among the topics, and where work would lead them next."""
    room = remaining(worker, so_far)
    statement = place_from(urgent=priority.has_urgent(worker.study), work=room > 0 and not worker.machine)
    here, topic, role, next_here, next_topic = execute(statement, worker, **claiming(worker), start=worker.start).fetchone()
    if worker.machine and (item := machines.next_item(worker)):
        next_here, next_topic = item.position, item.topic_id
    return checks.NextPlace(
        topic=topic if role not in checks.INTRODUCTION else None,  # its topics are not where the worker is
        position=worker.start if here is None else here,
        next_topic=next_topic,
        next_position=next_here,
        room=room,
    )


@cache
def place_from(*, urgent: bool, work: bool) -> str:
    """The statement for it: what the worker was given last, which they may still hold, and the next free slot of work."""
    following = next_free("CAST(coalesce((SELECT position FROM latest), %(start)s) AS bigint)", urgent=urgent) if work else "NULL"
    of_slot = "FROM judging_slot slot JOIN judging_item item ON item.id = slot.item_id WHERE slot.id ="
    own = "SELECT id FROM judging_slot WHERE worker_id = %(worker)s AND"
    return f"""
WITH latest AS (SELECT slot.position, item.topic_id, item.role {of_slot} coalesce(
    ({own} judged_at IS NULL ORDER BY leased_until DESC, position DESC LIMIT 1),
    ({own} judged_at IS NOT NULL ORDER BY judged_at DESC LIMIT 1))),
following AS (SELECT slot.position, item.topic_id {of_slot} {following.replace("{skip_locked}", "")})
SELECT latest.position, latest.topic_id, latest.role, following.position, following.topic_id
FROM (SELECT 1 AS id) one LEFT JOIN latest ON one.id = 1 LEFT JOIN following ON one.id = 1"""  # noqa: S608  expressions of ours


def is_usual(study: Study) -> bool:
    """Whether everybody is given whatever work there is: no checks or mirrors in between, no limit."""
    return study.most_judgements is None and not checks.has_checks(study) and not study.compares


def has_room(worker: Worker, so_far: Tally) -> bool:
    """Whether the worker may be given more work: a study can limit what one of them judges."""
    return remaining(worker, so_far) > 0


def has_room_now(worker: Worker) -> bool:
    return worker.study.most_judgements is None or has_room(worker, tally(worker))


def remaining(worker: Worker, so_far: Tally) -> float:
    """How much more work the worker may be given; a machine judges all of it."""
    most = worker.study.most_judgements
    return math.inf if most is None or worker.machine else max(most - so_far.work, 0)


def owes_work(worker: Worker) -> bool:
    """Whether the worker, who holds nothing, has judged less than the study asks of each and could be given more now.

    A study without a limit asks for a single item of work: training, a test and gold are none.
    """
    if not gets_work(worker):
        return False
    so_far = tally(worker)
    return so_far.work < (worker.study.most_judgements or 1) and place_of(worker, so_far).next_position is not None


def claiming(worker: Worker) -> dict[str, Any]:
    """What a claim needs besides where and how many."""
    return {"study": worker.study_id, "until": moment(end_of_lease(worker.study)), "point": secrets.randbelow(SPAN)}


def position(worker: Worker) -> int:
    """The worker's position in the study: that of what they judged last, else the one where they were let in."""
    row = execute(LAST_POSITION, worker).fetchone()
    return row[0] if row else worker.start


# PostgreSQL takes a new worker to hold a single slot, where it sees who it is, and an average number where it does not. So the
# plan for anybody looked dearer than one made anew for each, and every judgement was planned: that took longer than to run it.
UNSEEN = "(SELECT %(worker)s::bigint)"
# Whether a free slot is one for the worker is looked up for each, until there is one. As a join it would read all their slots.
EACH = "OFFSET 0"


def execute(statement: str, worker: Worker, *, seen: str = "", **parameters):
    """Run a statement; in it, {worker} is compared with columns, {each} ends what is asked of each row, and {most} is a limit."""
    skip_locked = "FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    whose, each = (UNSEEN, EACH) if connection.vendor == "postgresql" else ("%(worker)s", "")
    cursor = connection.cursor()
    parameters |= {"worker": worker.pk, "now": moment(timezone.now())}
    most = parameters.get("most")
    cursor.execute(statement.format(skip_locked=skip_locked, seen=seen, worker=whose, each=each, most=most), parameters)
    return cursor


def moment(when: datetime):
    """A time as the database at hand keeps it."""
    return connection.ops.adapt_datetimefield_value(when)


def give_back(worker: Worker) -> int:
    """Free what the worker holds, for somebody else to judge. Returns how many."""
    with transaction.atomic():
        lock(worker)
        freed, surplus = free_slots(worker)
        if surplus:
            balance(surplus)
        return freed


def free_slots(worker: Worker) -> tuple[int, list[int]]:
    """Free what a worker holds who is locked already. A slot that is asked of this worker alone goes, and is made again.

    Returns how many, and the items to balance: slots were opened for votes that were set aside, and perhaps count again.
    """
    first, surplus = free_held(worker)
    then, more = free_held(worker)  # what an answer claimed that the first time waited for
    return first + then, surplus + more


def free_held(worker: Worker) -> tuple[int, list[int]]:
    slots = Slot.objects.filter(worker=worker, judged_at__isnull=True)
    surplus = list(slots.filter(number__gt=F("item__wanted")).values_list("item", flat=True))
    gone, _ = slots.filter(number__isnull=True).delete()
    freed = slots.filter(number__isnull=False).update(worker=None, leased_until=None)
    return gone + freed, surplus


def others_are_finishing(worker: Worker) -> bool:
    """Whether something may yet come free for a worker who got nothing: another holds it, and may not answer."""
    return not worker.machine and gets_work(worker) and may_come_free(worker, tally(worker))


def may_come_free(worker: Worker, so_far: Tally) -> bool:
    """Whether there is work that waits for an answer and could be the worker's."""
    if not has_room(worker, so_far):
        return False
    judged = Judgement.objects.filter(item=OuterRef("item"), worker=worker)
    unjudged = Slot.objects.filter(study=worker.study, judged_at__isnull=True, number__isnull=False)
    return unjudged.filter(~Exists(judged)).exists()


def is_over(worker: Worker) -> bool:
    """Whether nothing will come for the worker any more. A study that takes a break goes on; a closed one does not."""
    if not gets_work(worker):
        return not worker.may_work or worker.study.state != Study.State.PAUSED
    so_far = tally(worker)
    if so_far.held or checks.is_introducing(worker.study, so_far):
        return False
    if machines.next_item(worker) if worker.machine else may_come_free(worker, so_far):
        return False
    if worker.study.compares:
        return True
    return not (checks.mixes_in(worker.study) and checks.is_due_last(worker, place_of(worker, so_far)))
