"""More judgements where workers disagree: an item whose grade is not certain yet gets another slot, up to the study's most."""

from django.db.models import Count, Q

from ireval.aggregation import StoppingRule, decide
from judging.models import Item, Slot, Study, Worker
from judging.work.overlap import balance

ACCURACY = 0.7  # of a worker of whom nothing is known yet; wrong answers are spread over the other grades


def extend(item_id: int, study: Study) -> None:
    """Want one vote more for an item whose slots are all judged while its grade is uncertain.

    All of it is looked up after every answer, to checks too: how long one takes must not tell these from work.
    """
    item = Item.objects.select_for_update(no_key=True).get(pk=item_id)  # of two who settle at once the second sees both
    set_aside = Q(worker__standing=Worker.Standing.EXCLUDED, judged_at__isnull=False)
    slots = Slot.objects.filter(item=item, number__isnull=False)
    counts = slots.aggregate(used=Count("id", filter=~set_aside), waiting=Count("id", filter=Q(judged_at__isnull=True)))
    votes = votes_on(item)
    if item.role != Item.Role.WORK or counts["waiting"]:
        return
    if counts["used"] < (study.most_overlap or 0) and not is_certain(votes, study):
        item.wanted = counts["used"] + 1
        item.save(update_fields=["wanted"])
        balance([item.pk])


def count_again(item_id: int, study: Study) -> None:
    """Let votes that were set aside decide with those that came in their place, and want one more where these disagree."""
    item = Item.objects.select_for_update(no_key=True).get(pk=item_id)
    votes = min(len(votes_on(item)), study.most_overlap or 0)
    if item.role == Item.Role.WORK and votes > item.wanted:
        item.wanted = votes
        item.save(update_fields=["wanted"])
        balance([item.pk])
    extend(item_id, study)


def votes_on(item: Item) -> list[int]:
    """The grades of all votes on the item, also of those beyond what it wants."""
    return [grade for grade in item.judgements.voting().values_list("grade", flat=True) if grade is not None]


def is_certain(votes: list[int], study: Study) -> bool:
    """Whether the commonest grade is as probable as the study wants it, all grades being equally probable before.

    >>> study = Study(certainty=0.9)  # with four grades
    >>> [is_certain(votes, study) for votes in ([2], [2, 2], [2, 2, 0], [2, 2, 2, 0])]
    [False, True, False, True]
    """
    codes = [study.grades.index(vote) for vote in votes]
    rule = StoppingRule(threshold=study.certainty, minimum=1)
    return bool(votes) and decide(codes, [ACCURACY] * len(codes), len(study.grades), rule).stop
