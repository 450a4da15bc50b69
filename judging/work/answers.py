"""Answers of workers, stored once each."""

from dataclasses import dataclass, field
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils.translation import gettext as _

from judging.database.rows import Columns, adapted_value, insert
from judging.errors import Unacceptable
from judging.models import Arrival, Item, Judgement, Slot, Worker
from judging.text.passages import Passages
from judging.work import adaptive_overlap, assignment, checks, departure, exclusions, filled_slots, overlap, pair_answers, replies
from judging.work.pair_answers import PairAnswer
from judging.work.presence import is_there
from judging.work.replies import Replies

MOST_COMMENT = 2000

JUDGEMENT = Columns(Judgement, "judgement", "id key item worker slot grade cannot_judge comment passages replies")
RELATED = f"""
SELECT {JUDGEMENT} FROM judging_judgement judgement
WHERE judgement.key = %s OR (judgement.item_id = %s AND judgement.worker_id = %s) ORDER BY judgement.id"""  # noqa: S608  columns of ours


class AnswerRefused(Unacceptable):
    """An answer that cannot be stored; the text says why, for the worker."""


class WorkIsGone(AnswerRefused):
    """An answer to a document that was taken out of the study meanwhile."""

    def __init__(self):
        super().__init__(_("This document was taken out of the study meanwhile. What you answered before is kept."))


class SomebodyElses(AnswerRefused):
    """An answer that was kept in this browser by who used it before: only they can give it."""


@dataclass(frozen=True)
class Answer:
    """What came from the page: a grade or a reason why there is none, under a key that the page made.

    `passages` are merged; `replies` are to the study's further questions; `pair` comes with answers about two lists.
    """

    key: UUID
    grade: int | None = None
    cannot_judge: str = ""
    comment: str = ""
    milliseconds: int = 0
    passages: Passages = field(default_factory=list)
    replies: Replies = field(default_factory=dict)
    pair: PairAnswer | None = None


def record_judgement(*, worker: Worker, item: Item, answer: Answer, ahead: int = 0, may_revise: bool = True) -> Judgement:
    """Store the answer once, whatever happens to the network: the same key again returns the same row.

    A second answer to an item revises the first, if it may. One that comes after its lease ran out takes a free slot of the
    item, and is kept as surplus if there is none. In the same transaction, and so with one wait for the disk, the
    worker's slots are topped up to `ahead`. Raises Refused, and stores nothing, if the answer is not one.
    """
    check(answer, worker, item)
    judgement = judgement_of(worker, item, answer)
    if filled_slots.settle_at_once(worker, judgement, ahead=ahead):
        return judgement
    with transaction.atomic():
        assignment.lock(worker)
        judgement, settled = store(worker, judgement, answer, may_revise=may_revise)
        if settled:
            follow(worker, judgement)
        elif judgement.revises_id and worker.study.is_adaptive:
            adaptive_overlap.extend(judgement.item_id, worker.study)
        if ahead:
            assignment.top_up(worker, count=ahead, here=settled.position if settled else None)
    return judgement


def follow(worker: Worker, judgement: Judgement) -> None:
    """What a judgement brings about besides itself."""
    study = worker.study
    if checks.is_test(judgement.item_id, study) and checks.has_failed(worker):
        reason = f"Qualification test: {checks.score(worker, Item.Role.TEST)}"
        exclusions.exclude(worker, standing=Worker.Standing.BLOCKED, reason=reason)
        departure.leave(worker, Arrival.Outcome.SCREENED_OUT)
        worker.standing = Worker.Standing.BLOCKED
    if study.is_adaptive:
        adaptive_overlap.extend(judgement.item_id, study)
    if worker.standing == Worker.Standing.EXCLUDED:
        overlap.balance([judgement.item_id])


def check(answer: Answer, worker: Worker, item: Item) -> None:
    study = worker.study
    if (answer.grade is None) == (not answer.cannot_judge):
        raise AnswerRefused(_("Choose a grade, or say why you can't judge."))
    if study.compares:
        if why := pair_answers.problem(answer.grade, answer.pair, study.comparison):
            raise AnswerRefused(why)
    elif answer.grade is not None and answer.grade not in study.grades:
        raise AnswerRefused(
            _("%(grade)s is not a grade of this study (%(grades)s).")
            % {"grade": answer.grade, "grades": ", ".join(map(str, study.grades))}
        )
    if (study.questions or answer.replies) and (why := problem_with_replies(answer, worker, item)):
        raise AnswerRefused(why)
    if answer.cannot_judge and answer.cannot_judge not in Judgement.CannotJudge.values:
        raise AnswerRefused(_("“%(reason)s” is not one of the reasons.") % {"reason": answer.cannot_judge})


def problem_with_replies(answer: Answer, worker: Worker, item: Item) -> str | None:
    """Why they are no replies. Machines and who can't judge may leave out what they like."""
    complete = answer.grade is not None and not worker.machine
    return replies.problem(answer.replies, worker.study.question_list, item, complete=complete)


def store(worker: Worker, judgement: Judgement, answer: Answer, *, may_revise: bool) -> tuple[Judgement, Slot | None]:
    """The row that holds the answer, and the slot that it filled, if it filled one."""
    rows = related(worker, judgement.item, judgement.key)
    earlier = next((row for row in rows if row.key == judgement.key), None)
    if earlier and (earlier.worker_id, earlier.item_id) != (worker.pk, judgement.item_id):
        raise AnswerRefused(_("This answer's key was used for another one. Reload the page and answer again."))
    if earlier and has_same_content(earlier, answer):
        return earlier, None
    if earlier:
        # The page was answered twice, differently: a changed mind, under a key that is again the same each time.
        beside = answer.replies or (answer.pair and answer.pair.says)
        content = f"{answer.grade} {answer.cannot_judge} {answer.comment} {answer.passages} {beside}"
        judgement.key = uuid5(judgement.key, content)
        return store(worker, judgement, answer, may_revise=may_revise)
    if rows and not may_revise:
        raise AnswerRefused(_("This was answered already: the first answer stands."))
    if rows:
        # It may have been given to them once more after a late answer.
        held = None if rows[-1].slot_id else filled_slots.settle_held(worker, judgement.item)
        judgement.slot_id, judgement.revises = held.pk if held else rows[-1].slot_id, rows[-1]
        store_row(judgement, answer)
        return judgement, None
    settled = filled_slots.settle(worker, judgement.item, swapped=answer.pair.swapped if answer.pair else None)
    if settled is None and not is_there(judgement.item_id):
        raise WorkIsGone
    judgement.slot = settled
    store_row(judgement, answer)
    return judgement, settled


def store_row(judgement: Judgement, answer: Answer) -> None:
    insert(judgement)
    if answer.pair:
        answer.pair.store(judgement)


def related(worker: Worker, item: Item, key: UUID) -> list[Judgement]:
    """What is stored under the key or by the worker for the item, the oldest first."""
    cursor = connection.cursor()
    cursor.execute(RELATED, [adapted_value(Judgement, "key", key), item.pk, worker.pk])
    return [JUDGEMENT.read(row) for row in cursor.fetchall()]


def has_same_content(judgement: Judgement, answer: Answer) -> bool:
    kept = (judgement.grade, judgement.cannot_judge, judgement.comment, judgement.passages, judgement.replies)
    if kept != (answer.grade, answer.cannot_judge, answer.comment[:MOST_COMMENT], answer.passages, answer.replies):
        return False
    return answer.pair is None or pair_answers.stored_details(judgement) == answer.pair.says


def judgement_of(worker: Worker, item: Item, answer: Answer) -> Judgement:
    """The row that is to be stored."""
    return Judgement(
        key=answer.key,
        item=item,
        worker=worker,
        grade=answer.grade,
        cannot_judge=answer.cannot_judge,
        comment=answer.comment[:MOST_COMMENT],
        passages=answer.passages,
        replies=answer.replies,
        milliseconds=min(max(answer.milliseconds, 0), 2**31 - 1),
    )
