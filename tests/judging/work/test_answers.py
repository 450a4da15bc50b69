"""What is stored of an answer, however often and however late it comes."""

from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from judging.labels.results import current
from judging.models import Judgement, Slot
from judging.studies import launch
from judging.work import answers, assignment
from judging.work.answers import Answer, AnswerRefused, record_judgement

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(running, make_worker):
    return make_worker(running)


@pytest.fixture
def item(worker):
    return assignment.next_slots(worker)[0].item


def test_the_same_key_again_is_the_same_row(worker, item):
    answer = Answer(key=uuid4(), grade=2, milliseconds=1234)
    first = record_judgement(worker=worker, item=item, answer=answer)
    again = record_judgement(worker=worker, item=item, answer=answer)
    assert first.pk == again.pk
    assert Judgement.objects.count() == 1
    assert (first.grade, first.milliseconds, first.slot.item_id) == (2, 1234, item.pk)


def test_another_grade_under_the_same_key_is_a_changed_mind_and_stored_once(worker, item):
    key = uuid4()
    record_judgement(worker=worker, item=item, answer=Answer(key=key, grade=2))
    for _ in range(2):
        record_judgement(worker=worker, item=item, answer=Answer(key=key, grade=0))
    assert list(Judgement.objects.values_list("grade", flat=True)) == [2, 0]
    assert current(worker.study).get().grade == 0


def test_a_changed_mind_is_a_revision_and_takes_no_other_slot(worker, item):
    first = record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=0))
    second = record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), cannot_judge="language", comment="Finnish?"))
    assert (second.revises, second.slot) == (first, first.slot)
    assert Slot.objects.filter(judged_at__isnull=False).count() == 1
    assert current(worker.study).get() == second


def test_a_late_answer_takes_a_free_slot_of_its_item(running, make_worker, worker, item):
    mine = Slot.objects.get(item=item, worker=worker)
    with time_machine.travel(timezone.now() + timedelta(minutes=running.lease_minutes + 1)):
        other = make_worker(running)
        Slot.objects.filter(pk=mine.pk).update(worker=other, leased_until=timezone.now() + timedelta(minutes=5))
        late = record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1))
    assert late.slot is not None
    assert late.slot.number != mine.number


def test_an_answer_that_finds_every_slot_taken_is_kept_as_surplus(running, make_worker, worker, item):
    for slot in item.slots.all():
        other = make_worker(running)
        Slot.objects.filter(pk=slot.pk).update(worker=other, leased_until=timezone.now(), judged_at=timezone.now())
    late = record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=3))
    assert (late.slot, late.grade) == (None, 3)
    assert item not in [slot.item for slot in assignment.next_slots(worker)]


def test_work_in_hand_is_accepted_after_the_study_is_closed(running, worker, item):
    launch.close(running)
    assert record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1)).slot is not None


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(key=uuid4()), "Choose a grade"),
        (Answer(key=uuid4(), grade=1, cannot_judge="other"), "Choose a grade"),
        (Answer(key=uuid4(), grade=4), "4 is not a grade of this study"),
        (Answer(key=uuid4(), grade=-1), "-1 is not a grade"),
        (Answer(key=uuid4(), cannot_judge="bored"), "not one of the reasons"),
    ],
)
def test_what_is_no_answer_is_refused_and_nothing_is_stored(worker, item, answer, why):
    with pytest.raises(AnswerRefused, match=why):
        record_judgement(worker=worker, item=item, answer=answer)
    assert not Judgement.objects.exists()
    assert not Slot.objects.filter(judged_at__isnull=False).exists()


def test_a_key_used_for_another_item_is_refused(worker):
    first, second = assignment.next_slots(worker, count=2)
    key = uuid4()
    record_judgement(worker=worker, item=first.item, answer=Answer(key=key, grade=1))
    with pytest.raises(AnswerRefused, match="used for another"):
        record_judgement(worker=worker, item=second.item, answer=Answer(key=key, grade=1))


def test_recording_goes_on_to_what_comes_next(worker):
    first, second = assignment.next_slots(worker, count=2)
    judgement = record_judgement(worker=worker, item=first.item, answer=Answer(key=uuid4(), grade=1), ahead=2)
    assert judgement.slot_id == first.pk
    now = assignment.held_slots(worker, most=3)
    assert now[0].pk == second.pk
    assert len(now) == 2


def test_when_one_part_fails_nothing_remains(worker, item, monkeypatch):
    monkeypatch.setattr(answers.filled_slots, "settle_at_once", lambda worker, judgement, **more: False)
    monkeypatch.setattr(answers.assignment, "top_up", lambda worker, **more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1), ahead=1)
    assert not Judgement.objects.exists()
    assert not Slot.objects.filter(judged_at__isnull=False).exists()


def test_another_note_under_the_same_key_is_kept_too(worker, item):
    key = uuid4()
    for comment in ("", "it is a list", "it is a list"):
        record_judgement(worker=worker, item=item, answer=Answer(key=key, grade=1, comment=comment))
    assert list(Judgement.objects.values_list("comment", flat=True)) == ["", "it is a list"]
