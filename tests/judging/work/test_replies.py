"""Replies to further questions: which are accepted, and that they are stored with their judgement, once."""

from uuid import uuid4

import pytest

from judging.models import Judgement, Question
from judging.pay.earnings import earned_of
from judging.work import assignment, replies
from judging.work.answers import Answer, AnswerRefused, record_judgement
from tests.judging.labels.asked import FULL, QUESTIONS, launched

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking(study):
    return launched(study)


@pytest.fixture
def worker(asking, make_worker):
    return make_worker(asking)


@pytest.fixture
def item(worker):
    return assignment.next_slots(worker)[0].item


def test_replies_are_stored_with_the_judgement_once(worker, item):
    answer = Answer(key=uuid4(), grade=2, replies=FULL)
    first = record_judgement(worker=worker, item=item, answer=answer)
    assert record_judgement(worker=worker, item=item, answer=answer).pk == first.pk
    assert Judgement.objects.get().replies == FULL


def test_another_reply_under_the_same_key_is_a_changed_mind_and_stored_once(worker, item):
    key, other = uuid4(), FULL | {"credible": 0}
    record_judgement(worker=worker, item=item, answer=Answer(key=key, grade=2, replies=FULL))
    for _ in range(2):
        record_judgement(worker=worker, item=item, answer=Answer(key=key, grade=2, replies=other))
    assert [row.replies for row in Judgement.objects.all()] == [FULL, other]


@pytest.mark.parametrize(
    "change",
    [
        {"credible": None}, {"credible": 2}, {"credible": -1}, {"credible": True}, {"credible": "1"}, {"credible": 1.0},
        {"credible": {"1": 1}}, {"use": 3}, {"use": []}, {"facts": 1}, {"facts": {"1": 1}}, {"facts": {"1": 1, "2": 0, "3": 1}},
        {"facts": {"1": 1, "2": "0"}}, {"facts": {"1": 1, "2": {"1": 1}}}, {"why": 5}, {"why": ""}, {"why": "x" * 501},
        {"why": "\0"}, {"nobody asked": 1},
    ],
)  # fmt: skip
def test_what_is_no_reply_is_refused_and_nothing_is_stored(worker, item, change):
    with pytest.raises(AnswerRefused):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=2, replies=FULL | change))
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("left_out", ["credible", "facts"])
def test_a_required_question_is_named_that_was_left_out(worker, item, left_out):
    some = {name: reply for name, reply in FULL.items() if name != left_out}
    asked = next(question.text for question in QUESTIONS if question.name == left_out)
    with pytest.raises(AnswerRefused, match=asked.replace("?", r"\?")):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=2, replies=some))


def test_optional_ones_may_be_left_out(worker, item):
    least = {"credible": 0, "facts": {"1": 0, "2": 0}}
    assert record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=0, replies=least)).replies == least


def test_who_cannot_judge_and_machines_need_not_reply(asking, make_worker, worker, item):
    assert record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), cannot_judge="language")).replies == {}
    machine = make_worker(asking, machine="a model")
    slot = assignment.next_slots(machine)[0]
    assert record_judgement(worker=machine, item=slot.item, answer=Answer(key=uuid4(), grade=1)).grade == 1


def test_a_study_that_asks_nothing_takes_no_replies(running, make_worker):
    worker = make_worker(running)
    item = assignment.next_slots(worker)[0].item
    with pytest.raises(AnswerRefused, match="not a question"):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=2, replies={"credible": 1}))


def test_a_form_is_read_back_as_what_was_replied(item):
    form = {"reply-0": "1", "reply-1": "2", "reply-2-1": "1", "reply-3": "  It says so.\0 "}
    assert replies.read(form, QUESTIONS, item) == FULL
    assert replies.read({}, QUESTIONS, item) == {"facts": {"1": 0, "2": 0}}


def test_replies_may_bring_something_on_top(study, make_worker):
    study.pay_a_judgement = "0.10"
    launched(study, [Question(name="a", text="A?", pay="0.05"), Question(name="b", text="B?", pay="0.02")])
    study.refresh_from_db()
    worker = make_worker(study)
    for slot in assignment.next_slots(worker, count=2):
        record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=2, replies={"a": 1, "b": 0}))
    assert str(earned_of(worker).pay) == "0.34"
