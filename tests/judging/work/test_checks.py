"""Training, the qualification test and gold: asked of every worker, in an order that gives nothing away."""

from collections import Counter
from itertools import groupby
from statistics import mean
from uuid import UUID, uuid4

import pytest
from django.utils import translation

from judging.labels import gold_choice, results, study_progress
from judging.models import Document, Item, Judgement, Slot, Worker
from judging.models.slot import SPAN
from judging.rules.enforcement import reason_of
from judging.studies import launch
from judging.work import assignment, checks, exclusions
from judging.work.answers import Answer, record_judgement
from judging.work.tallies import tally

pytestmark = pytest.mark.django_db
Role = Item.Role


@pytest.fixture
def items(running):
    """Six items of two topics, the first topic's first."""
    return list(running.items.order_by("position"))


def answer(worker, slot, grade=1):
    return record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def gold_every(study, items):
    study.refresh_from_db()
    study.gold_every = items
    study.save()


def more_documents(study, count):
    return Document.objects.bulk_create(
        Document(collection=study.collection, docno=f"more{number}", text="More.") for number in range(count)
    )


def judge_all(worker, grade=1, most=1):
    judged = []
    while slots := assignment.next_slots(worker, count=most):
        assert len(judged) < 50, "the same again and again"
        judged.append(slots[0].item_id)
        answer(worker, slots[0], grade)
        worker = Worker.objects.select_related("study").get(pk=worker.pk)
    return judged


def test_training_and_the_test_come_before_the_work_and_are_asked_of_everybody(running, items, make_worker):
    checks.designate(items[:1], Role.TRAINING, right=[1], explanation="It says so.")
    checks.designate(items[3:5], Role.TEST, right=[1])
    running.refresh_from_db()
    for _ in range(3):  # more workers than an item has slots
        judged = judge_all(make_worker(running))
        assert judged[:1] == [items[0].pk]
        assert set(judged[1:3]) == {items[3].pk, items[4].pk}
    assert Slot.objects.filter(item=items[0], judged_at__isnull=False, number=None).count() == 3


def test_the_work_waits_for_the_last_answer_of_the_test(running, items, make_worker):
    checks.designate(items[:1], Role.TEST, right=[1])
    running.refresh_from_db()
    assert [slot.item_id for slot in assignment.next_slots(make_worker(running), count=2)] == [items[0].pk]


def test_who_fails_the_test_gets_no_work_and_a_reason_is_kept(running, items, make_worker):
    checks.designate(items[:2], Role.TEST, right=[2, 3])
    running.refresh_from_db()
    worker = make_worker(running)
    assert len(judge_all(worker, grade=0)) == 2
    worker.refresh_from_db()
    assert worker.standing == Worker.Standing.BLOCKED
    exclusion = worker.exclusions.get()
    assert exclusion.reason == "Qualification test: 0 of 2 right"
    with translation.override("it"):
        assert reason_of(exclusion) == "Test di qualificazione: 0 giusti su 2"
    assert not assignment.others_are_finishing(worker)


def test_who_cannot_judge_a_test_has_not_passed_it(running, items, make_worker):
    checks.designate(items[:1], Role.TEST, right=[0])
    running.refresh_from_db()
    worker = make_worker(running)
    (slot,) = assignment.next_slots(worker)
    record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), cannot_judge="unclear"))
    assert checks.score(worker, Role.TEST) == checks.Score(right=0, answered=1)
    assert worker.exclusions.exists()


@pytest.fixture
def many_may_judge(study):
    """The birds, for as many workers as come."""
    study.overlap = 50
    study.save()
    launch.launch(study, seed=1)
    return study


def as_topics(study, judged):
    topics = dict(study.items.values_list("pk", "topic"))
    return [topic for topic, _ in groupby(topics[pk] for pk in judged)]


def test_a_check_comes_with_work_of_its_topic_alone(many_may_judge, make_worker):
    items = list(many_may_judge.items.order_by("position"))
    checks.designate(items[:1], Role.GOLD, right=[1])
    checks.designate(items[3:4], Role.ATTENTION, right=[0])
    gold_every(many_may_judge, 1)
    for number in range(20):
        judged = judge_all(make_worker(many_may_judge, key=UUID(int=number), start=number % 2 * SPAN), most=2)
        assert len(judged) == len(set(judged)) == 6
        assert len(as_topics(many_may_judge, judged)) == 2


def test_a_check_stands_anywhere_among_its_topics_work(many_may_judge, make_worker):
    items = list(many_may_judge.items.order_by("position"))
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(many_may_judge, 1)
    places = Counter(judge_all(make_worker(many_may_judge)).index(items[0].pk) for _ in range(45))
    assert set(places) == {0, 1, 2}, "also before the first and behind the last"
    assert min(places.values()) >= 6  # 15 each by chance


@pytest.mark.parametrize("gold", [4, 12])
def test_as_much_gold_as_was_asked_for_and_of_some_topics_no_more_than_twice_as_much(many_may_judge, make_worker, gold):
    """Six items of work in two topics, of which one or both have more gold than anybody is to meet: one item in four."""
    more = more_documents(many_may_judge, 12)
    topics = list(many_may_judge.items.order_by("position").values_list("topic", flat=True).distinct())
    for number, document in enumerate(more[:gold]):
        item = gold_choice.new_item(many_may_judge, topics[0 if gold == 4 else number % 2], document.pk)
        checks.designate([item], Role.GOLD, right=[1])
    gold_every(many_may_judge, 4)
    met = [len(judge_all(make_worker(many_may_judge))) - 6 for _ in range(40)]
    assert mean(met) == pytest.approx(2, abs=0.3)
    assert max(met) <= 2 + (gold == 12)


def test_no_check_comes_where_work_is_over(running, items, make_worker):
    checks.designate(items[:1], Role.GOLD, right=[1])
    checks.designate(items[3:4], Role.ATTENTION, right=[1])
    gold_every(running, 2)
    finished = [make_worker(running) for _ in range(2)]
    for worker in finished:
        judge_all(worker)
    for _ in range(20):  # who looks again and again shall not be given one at last
        assert not assignment.next_slots(finished[0], count=2)
        assert not assignment.next_slots(make_worker(running), count=2)


def test_who_is_cut_off_gets_no_check_behind_the_last_of_a_topic(running, items, make_worker):
    """Others have taken the rest: whatever came then could only be a check."""
    running.items.filter(pk__in=[item.pk for item in items[3:]]).delete()
    Slot.objects.filter(item__in=items[1:3], number=2).delete()
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(running, 30_000)
    worker, other = make_worker(running), make_worker(running)
    for judge in (worker, other):
        (slot,) = assignment.next_slots(judge)
        record_judgement(worker=judge, item=slot.item, answer=Answer(key=uuid4(), grade=1))
    gold_every(running, 1)
    worker = Worker.objects.select_related("study").get(pk=worker.pk)
    assert not any(assignment.next_slots(worker, count=2) for _ in range(20))


def test_what_was_given_back_may_come_again_as_work_may(many_may_judge, make_worker):
    """A document that is always the next one again would be known to us."""
    items = list(many_may_judge.items.order_by("position"))
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(many_may_judge, 1)
    worker, again = make_worker(many_may_judge), Counter()
    for _ in range(60):
        (slot,) = assignment.next_slots(Worker.objects.select_related("study").get(pk=worker.pk))
        again[slot.item_id] += 1
        assignment.give_back(worker)
    assert 8 <= again[items[0].pk] <= 35  # 20 of three items by chance


def test_nobody_can_reckon_from_their_cookie_which_checks_they_get(running, make_worker, settings):
    worker = make_worker(running)
    before = [checks.chance(worker, number) for number in range(3)]
    assert before == [checks.chance(worker, number) for number in range(3)]
    settings.SECRET_KEY = "another secret of this server's, of fifty characters or so"
    assert not set(before) & {checks.chance(worker, number) for number in range(3)}


def test_what_was_answered_too_late_as_work_is_not_asked_as_a_check(many_may_judge, make_worker):
    worker = make_worker(many_may_judge)
    items = list(many_may_judge.items.order_by("position"))
    record_judgement(worker=worker, item=items[0], answer=Answer(key=uuid4(), grade=1))
    Judgement.objects.update(slot=None)  # surplus, as if all places had been taken
    Slot.objects.filter(worker=worker).delete()
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(many_may_judge, 1)
    assert sorted(judge_all(worker)) == sorted(item.pk for item in items[1:])


def test_gold_is_not_work_and_its_judgements_are_no_votes(running, items, make_worker):
    checks.designate(items[:1], Role.GOLD, right=[1])
    gold_every(running, 1)
    for _ in range(2):
        judge_all(make_worker(running))
    docnos = {label.docno for label in results.labels(running)}
    assert items[0].document.docno not in docnos
    assert len(docnos) == 5
    assert study_progress.progress(running).slots == 10


def test_gold_made_of_what_workers_agreed_on_keeps_its_votes(running, items, make_worker):
    for _ in range(2):
        judge_all(make_worker(running), grade=3)
    checks.designate(items[:1], Role.GOLD, right=[3])
    gold_every(running, 1)
    judge_all(make_worker(running), grade=0)
    label = next(label for label in results.labels(running) if label.docno == items[0].document.docno)
    assert label.votes == (3, 3)


def test_nothing_that_a_worker_gets_tells_gold_from_work(running, items, make_worker):
    from django.test import RequestFactory

    from judging.views.item_page import with_slot

    worker = make_worker(running)
    request = RequestFactory().get("/")
    slots = {slot.item_id: slot for slot in assignment.next_slots(worker, count=6)}
    as_work = with_slot("judging/judge.html", request, worker, slots[items[0].pk])
    checks.designate(items[:1], Role.GOLD, right=[1], explanation="secret")
    again = next(slot for slot in assignment.held_slots(worker, most=6) if slot.item_id == items[0].pk)
    as_gold = with_slot("judging/judge.html", request, worker, again)
    assert len(as_work) == len(as_gold)
    assert "secret" not in as_gold


def test_giving_back_takes_a_check_away_and_it_is_asked_again(running, items, make_worker):
    checks.designate(items[:1], Role.TRAINING, right=[1])
    running.refresh_from_db()
    worker = make_worker(running)
    assert assignment.next_slots(worker)
    assert assignment.give_back(worker) == 1
    assert not Slot.objects.filter(item=items[0], number=None).exists()
    assert [slot.item_id for slot in assignment.next_slots(worker)] == [items[0].pk]


@pytest.mark.parametrize("role", checks.ASKED)
def test_an_answer_after_giving_back_is_the_answer_and_it_is_not_asked_again(running, items, make_worker, role):
    checks.designate(items[:1], role, right=[1])
    gold_every(running, 2)
    worker = make_worker(running)
    held = []
    while not held or held[-1].item_id != items[0].pk:
        held = assignment.next_slots(worker)
        if held[-1].item_id != items[0].pk:
            answer(worker, held[0])
    assert assignment.give_back(worker) == 1
    answer(worker, held[0])
    judged = Slot.objects.get(item=items[0], worker=worker)
    assert (judged.number, judged.judgements.count()) == (None, 1)
    assert items[0].pk not in judge_all(worker)
    gold_choice.withdraw(Item.objects.get(pk=items[0].pk))


def test_who_was_asked_again_before_that_goes_on_with_the_next_answer(running, items, make_worker):
    checks.designate(items[:1], Role.TRAINING, right=[1])
    running.refresh_from_db()
    worker = make_worker(running)
    (held,) = assignment.next_slots(worker)
    assignment.give_back(worker)
    answer(worker, held)
    Judgement.objects.update(slot=None)
    Slot.objects.filter(worker=worker).delete()
    assert [slot.item_id for slot in assignment.next_slots(worker)] == [items[0].pk]
    assert judge_all(worker)[0] == items[0].pk
    assert Slot.objects.filter(worker=worker, judged_at__isnull=False).count() == 6


def test_a_check_that_somebody_answered_late_stays_when_it_is_withdrawn(running, make_worker):
    extra = more_documents(running, 1)[0]
    check = gold_choice.add(running, topic=running.items.first().topic, document=extra, role=Role.TRAINING, right=[1])
    running.refresh_from_db()
    worker = make_worker(running)
    (held,) = assignment.next_slots(worker)
    assignment.give_back(worker)
    answer(worker, held)
    Judgement.objects.update(slot=None)
    Slot.objects.filter(worker=worker).delete()
    gold_choice.withdraw(check)
    check.refresh_from_db()
    assert check.role == Role.RETIRED


def test_offers_do_not_lead_beyond_the_limit(running, make_worker):
    running.most_judgements = 1
    running.save()
    worker, shown = make_worker(running), []
    for _ in range(20):
        shown += assignment.next_slots(worker)
        assignment.give_back(worker)
    for slot in {slot.item_id: slot for slot in shown}.values():
        answer(worker, slot)
    judged = Slot.objects.filter(worker=worker, judged_at__isnull=False)
    assert (len({slot.item_id for slot in shown}) > 1, judged.count()) == (True, 1)
    assert Judgement.objects.filter(slot=None).exists()  # kept, and has no vote


def test_answers_that_came_too_late_for_a_slot_use_the_limit_up(running, make_worker):
    running.most_judgements = 1
    running.save()
    worker = make_worker(running)
    (shown,) = assignment.next_slots(worker)
    assignment.give_back(worker)
    for _ in range(running.overlap):
        answer(make_worker(running), shown)
    assert answer(worker, shown).slot is None
    assert tally(worker).work == 1
    assert assignment.next_slots(worker) == []
    assert assignment.is_over(worker)


def test_who_was_blocked_fills_no_slot_by_what_they_were_shown_before(running, make_worker, researcher):
    worker = make_worker(running)
    (held,) = assignment.next_slots(worker)
    exclusions.exclude(worker, reason="too fast", by=researcher, standing=Worker.Standing.BLOCKED)
    assert answer(worker, held).slot is None


def test_a_worker_judges_no_more_than_the_study_lets_them(running, make_worker):
    running.most_judgements = 2
    running.save()
    worker = make_worker(running)
    assert len(judge_all(worker)) == 2
    assert not assignment.others_are_finishing(worker)
    assert len(judge_all(make_worker(running))) == 2


def test_a_marketplaces_worker_who_fails_is_screened_out(running, items, researcher):
    from judging.recruiting import arrivals, channels

    checks.designate(items[:1], Role.TEST, right=[3])
    running.refresh_from_db()
    channel = channels.add_channel(running, by=researcher, source="prolific")
    arrival = arrivals.consent(channel, arrivals.Claim("p1", "s1"))
    judge_all(Worker.objects.select_related("study").get(pk=arrival.worker_id), grade=0)
    arrival.refresh_from_db()
    assert arrival.outcome == "screened_out"
    exclusions.lift(arrival.worker.exclusions.get(), by=researcher)
    arrival.refresh_from_db()
    assert (arrival.outcome, arrival.ended) == ("working", None)


def test_who_is_let_in_in_spite_of_the_test_goes_on(running, items, make_worker, researcher):
    checks.designate(items[:1], Role.TEST, right=[3])
    running.refresh_from_db()
    worker = make_worker(running)
    assert len(judge_all(worker, grade=0)) == 1
    exclusions.lift(worker.exclusions.get(), by=researcher)
    assert len(judge_all(Worker.objects.select_related("study").get(pk=worker.pk), grade=0)) == 5
    assert worker.exclusions.count() == 1
