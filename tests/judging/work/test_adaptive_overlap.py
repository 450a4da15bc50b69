"""More judgements where workers disagree, and no more where they do not."""

from uuid import uuid4

import pytest

from judging.models import Slot
from judging.studies import launch
from judging.work import assignment, exclusions
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db


@pytest.fixture
def adaptive(study):
    study.overlap, study.most_overlap, study.certainty = 2, 5, 0.9
    study.save()
    launch.launch(study, seed=1)
    return study


@pytest.fixture
def vote(adaptive, make_worker):
    def give(item, grade, **answer):
        worker = make_worker(adaptive)
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, **answer))
        return worker

    return give


def slots(item):
    item.refresh_from_db()
    return Slot.objects.filter(item=item).count(), Slot.objects.filter(item=item, judged_at__isnull=True).count(), item.wanted


def test_two_who_agree_are_enough(adaptive, vote):
    item = adaptive.items.first()
    vote(item, 2)
    assert slots(item) == (2, 1, 2)
    vote(item, 2)
    assert slots(item) == (2, 0, 2)


def test_who_disagree_get_help_until_it_is_certain(adaptive, vote):
    item = adaptive.items.first()
    for grade, expected in [(2, (2, 1, 2)), (0, (3, 1, 3)), (2, (4, 1, 4)), (2, (4, 0, 4))]:
        vote(item, grade)
        assert slots(item) == expected


def test_at_the_most_it_ends(adaptive, vote):
    item = adaptive.items.first()
    for grade in (0, 1, 2, 3, 0):
        vote(item, grade)
    assert slots(item) == (5, 0, 5)


def test_who_cannot_judge_makes_nothing_certain(adaptive, vote):
    item = adaptive.items.first()
    vote(item, 1)
    vote(item, None, cannot_judge="language")
    assert slots(item) == (3, 1, 3)


def test_an_excluded_worker_is_replaced_and_counts_again(adaptive, vote, researcher):
    item = adaptive.items.first()
    vote(item, 2)
    exclusion = exclusions.exclude(vote(item, 2), reason="a bot", by=researcher)
    assert slots(item) == (3, 1, 2)
    exclusions.lift(exclusion, by=researcher)
    assert slots(item) == (2, 0, 2)


def test_a_changed_mind_calls_for_help(adaptive, vote):
    item = adaptive.items.first()
    vote(item, 2)
    changes = vote(item, 2)
    assert slots(item) == (2, 0, 2)
    record_judgement(worker=changes, item=item, answer=Answer(key=uuid4(), grade=0))
    assert slots(item) == (3, 1, 3)


def test_who_counts_again_votes_with_those_who_came_instead(adaptive, vote, researcher):
    item = adaptive.items.first()
    exclusion = exclusions.exclude(vote(item, 0), reason="a bot", by=researcher)
    vote(item, 2)
    vote(item, 2)
    assert slots(item) == (3, 0, 2)
    exclusions.lift(exclusion, by=researcher)
    assert slots(item) == (4, 1, 4)


def test_workers_judge_an_adaptive_study_to_its_end(adaptive, make_worker):
    for number in range(6):
        worker = make_worker(adaptive)
        while queue := assignment.next_slots(worker):
            record_judgement(worker=worker, item=queue[0].item, answer=Answer(key=uuid4(), grade=number % 4), ahead=1)
    assert not Slot.objects.filter(study=adaptive, judged_at__isnull=True).exists()
    assert {item.wanted for item in adaptive.items.all()} == {5}
