"""Many workers at once on a side-by-side study: overlap exact, and each list as often on the left as on the right."""

from collections import Counter
from uuid import uuid4

import pytest

from judging.models import Item, Judgement, Preference, Slot, Worker
from judging.studies import launch
from judging.work import assignment
from judging.work.answers import Answer, record_judgement
from judging.work.pair_answers import PairAnswer, as_seen
from tests.judging.work.test_races import WORKERS, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def judge_all(key, seed):
    """Until nothing is left, each third answer sent twice, as by a shaky network."""
    worker = Worker.objects.select_related("study__comparison").get(pk=key)
    number = seed
    while slots := assignment.next_slots(worker, count=2):
        slot, number = slots[0], number + 1
        pair = PairAnswer(swapped=slot.swapped, reasons=["More complete"] if number % 2 else [])
        answer = Answer(key=uuid4(), grade=as_seen(number % 5 - 2, swapped=slot.swapped), pair=pair)
        kept = record_judgement(worker=worker, item=slot.item, answer=answer, ahead=2)
        if number % 3 == 0:
            assert record_judgement(worker=worker, item=slot.item, answer=answer).pk == kept.pk


@pytest.mark.parametrize("overlap", [2, 4])
def test_workers_who_race_see_each_side_exactly_as_often(draft, overlap):
    draft.overlap = overlap
    draft.save()
    launch.launch(draft, seed=overlap)
    workers = [Worker.objects.create(study=draft).pk for _ in range(WORKERS)]
    at_once(*(lambda key=key, seed=seed: judge_all(key, seed) for seed, key in enumerate(workers)))
    for key in workers:  # what was held when others asked last is left; whoever comes again gets it
        judge_all(key, 99)
    assert not Slot.objects.filter(judged_at__isnull=True).exists()
    votes = Judgement.objects.filter(item__role=Item.Role.WORK)
    assert not votes.filter(slot__isnull=True).exists()
    seen = Counter(votes.values_list("item", "preference__swapped"))
    work = draft.items.filter(role=Item.Role.WORK).values_list("pk", flat=True)
    assert seen == {(item, swapped): overlap // 2 for item in work for swapped in (True, False)}
    assert Preference.objects.count() == Judgement.objects.count()
    mirrors = Judgement.objects.filter(item__role=Item.Role.MIRROR)
    for mirror in mirrors.select_related("item", "preference"):
        first = Judgement.objects.select_related("preference").get(item=mirror.item.mirrors_id, worker=mirror.worker_id)
        assert first.preference.swapped == mirror.preference.swapped
    assert Counter(Item.objects.filter(role=Item.Role.MIRROR).values_list("mirrors", flat=True)).most_common(1)[0][1] == 1
