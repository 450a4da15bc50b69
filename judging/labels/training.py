"""Practice: items that come before all others, whose right grades a worker is told after each answer."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from judging.audit import Deed, note
from judging.labels.gold_choice import name_of, put_last
from judging.models import Item, Judgement, Slot, Study, User, Worker
from judging.work import checks

Role = Item.Role


@dataclass(frozen=True)
class Practice:
    """Which of a study's items in training one is."""

    number: int
    among: int


def items_of(study: Study) -> QuerySet[Item]:
    """The study's items in training, in the order in which workers get them."""
    return study.items.filter(role=Role.TRAINING).select_related("topic", "document", "first", "second").order_by("position")


def place_of(item: Item) -> Practice:
    training = Item.objects.filter(study=item.study_id, role=Role.TRAINING)
    before = Count("id", filter=Q(position__lte=Item.objects.filter(pk=item.pk).values("position")))
    return Practice(**training.aggregate(number=before, among=Count("id")))


@dataclass(frozen=True)
class Feedback:
    """What a worker is told about an answer in training: the `right` grades, or of two lists which `side` has the better one."""

    is_right: bool
    explanation: str
    right: list[dict] = field(default_factory=list)
    side: str = ""


def feedback(worker: Worker, item: int) -> Feedback | None:
    """Feedback to the worker's answer that stands. None unless they have answered the item and it is in training."""
    answers = Judgement.objects.filter(worker=worker, item=item, item__role=Role.TRAINING).standing()
    answer = answers.select_related("item").first()
    return feedback_on(answer, worker.study) if answer else None


def feedback_on(answer: Judgement, study: Study) -> Feedback:
    is_right, why = answer.grade in answer.item.right, answer.item.explanation
    if study.compares:
        return Feedback(is_right, why, side="right" if answer.preference.swapped else "left")  # the first list is the better one
    return Feedback(is_right, why, right=[step for step in study.scale if step["grade"] in answer.item.right])


def grades_text(right: list[int]) -> str:
    return ", ".join(map(str, sorted(right)))


@transaction.atomic
def explain(item: Item, *, explanation: str, right: list[int] | None = None, by: User | None = None) -> None:
    """Say why something is right, and what is. It holds for answers that were given before, too. Of two lists, the better one
    stays so."""
    right = sorted(item.right if right is None else right)
    Item.objects.filter(pk=item.pk, role=Role.TRAINING).update(right=right, explanation=explanation)
    note(Deed.CHECKED, f"training: {name_of(item)}, right now: {grades_text(right)}", by, item.study)


def move(item: Item, *, up: bool) -> None:
    """Let the item change places with the one before it, or behind it. Items of the pool stay where the pool has them."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=item.study_id)
        order = list(items_of(item.study).filter(position__gte=checks.FIRST_POSITION))
        at = order.index(item) if item in order else -1
        other = at + (-1 if up else 1)
        if at < 0 or not 0 <= other < len(order):
            return
        moved, neighbour = order[at], order[other]
        put_last(moved)  # no two may share a place, not even for a moment
        Item.objects.filter(pk=neighbour.pk).update(position=moved.position)
        Item.objects.filter(pk=moved.pk).update(position=neighbour.position)


def answer_counts(study: Study) -> dict[int, int]:
    """The number of workers who answered each item in training, by the item's key."""
    judged = Slot.objects.filter(item__study=study, item__role=Role.TRAINING, judged_at__isnull=False)
    return dict(judged.order_by().values_list("item").annotate(Count("id")))
