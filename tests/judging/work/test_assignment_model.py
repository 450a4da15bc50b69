"""Assignment against a model: whatever workers do, in whatever order, items get what was ordered and nothing is lost."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from judging.labels import results
from judging.models import Collection, Document, Exclusion, Item, Judgement, Slot, Study, Topic, User, Worker
from judging.models.slot import SPAN
from judging.studies import growth, launch, wanted_votes
from judging.work import assignment, exclusions, overlap
from judging.work.answers import Answer, record_judgement
from tests.conftest import examples

pytestmark = pytest.mark.django_db
OVERLAP, MOST_VOTES, LEASE, MOST_HELD = 2, 4, 30, 2


class Crowd(RuleBasedStateMachine):
    """Workers who come, judge, dawdle, leave, are excluded and let in again; and what each of them was told is stored."""

    workers = Bundle("workers")
    offers = Bundle("offers")  # a worker and an item that they were shown, however long ago
    sent = Bundle("sent")  # an answer with its key, as it went over the network
    bans = Bundle("exclusions")

    @initialize(target=workers, adaptive=st.booleans())
    def launch(self, adaptive):
        self.clock = time_machine.travel(datetime(2026, 1, 1, tzinfo=UTC), tick=False)
        self.now = self.clock.start()
        self.study = small_study(most_overlap=MOST_VOTES if adaptive else None)
        self.acknowledged: dict[tuple[int, int], int] = {}
        self.lifted = False
        return multiple(*(Worker.objects.create(study=self.study).pk for _ in range(4)))

    def teardown(self):
        self.clock.stop()

    def worker(self, pk):
        return Worker.objects.select_related("study").get(pk=pk)

    @rule(target=offers, worker=workers, count=st.integers(1, MOST_HELD))
    def ask(self, worker, count):
        shown = assignment.next_slots(self.worker(worker), count=count)
        assert len({slot.item_id for slot in shown}) == len(shown) <= MOST_HELD
        assert not [slot for slot in shown if (worker, slot.item_id) in self.acknowledged]
        return worker, [slot.item_id for slot in shown]

    @rule(target=sent, offer=offers, which=st.integers(0, 1), grade=st.integers(0, 3), ahead=st.integers(0, MOST_HELD))
    def submit(self, offer, which, grade, ahead):
        worker, items = offer
        if which >= len(items):
            return None
        message = (worker, items[which], Answer(key=uuid4(), grade=grade))
        self.store(message, ahead)
        return message

    @rule(message=sent, ahead=st.integers(0, MOST_HELD))
    def send_again(self, message, ahead):
        """The network had failed, or seemed to: what was stored stays as it is."""
        if message:
            worker, item, answer = message
            judgement = record_judgement(worker=self.worker(worker), item=self.item(item), answer=answer, ahead=ahead)
            assert (judgement.worker_id, judgement.item_id, judgement.grade) == (worker, item, answer.grade)

    def store(self, message, ahead):
        worker, item, answer = message
        record_judgement(worker=self.worker(worker), item=self.item(item), answer=answer, ahead=ahead)
        self.acknowledged[worker, item] = answer.grade

    def item(self, pk):
        return Item(pk=pk, study=self.study)

    @rule(worker=workers, grade=st.integers(0, 3))
    def judge(self, worker, grade):
        """What is most often done: the next item, and at once its grade."""
        for slot in assignment.next_slots(self.worker(worker))[:1]:
            self.store((worker, slot.item_id, Answer(key=uuid4(), grade=grade)), 1)

    @rule(minutes=st.integers(1, 2 * LEASE))
    def wait(self, minutes):
        self.now.shift(timedelta(minutes=minutes))

    @rule(worker=workers)
    def give_back(self, worker):
        assignment.give_back(self.worker(worker))
        assert not Slot.objects.filter(worker=worker, judged_at__isnull=True).exists()
        self.nothing_is_free_beyond_what_lacks()

    @rule(target=bans, worker=workers)
    def exclude(self, worker):
        return exclusions.exclude(self.worker(worker), reason="a model says so").pk

    @rule(exclusion=consumes(bans))
    def lift(self, exclusion):
        """Afterwards nothing more is asked for than lacks; a sweep does the same for what others still held then."""
        exclusions.lift(Exclusion.objects.select_related("worker").get(pk=exclusion), by=self.study.created_by)
        self.lifted = True
        overlap.sweep()
        self.nothing_is_free_beyond_what_lacks()

    def nothing_is_free_beyond_what_lacks(self):
        for item in Item.objects.filter(study=self.study):
            slots = Slot.objects.filter(item=item)
            open_to_all = slots.filter(judged_at=None, worker=None).count()
            others = slots.filter(worker__isnull=False).exclude(worker__standing="excluded", judged_at__isnull=False).count()
            assert others + open_to_all == max(item.wanted, others)

    @rule(topic=st.sampled_from("123"), docno=st.sampled_from("abcde"))
    def grow(self, topic, docno):
        """The study gets a document more, or has it already; both while workers hold slots."""
        there = Item.objects.filter(study=self.study, topic__number=topic, document__docno=docno).exists()
        assert growth.add_items(self.study, [(topic, docno)]) == growth.Growth(added=not there, already=there)

    @rule(topic=st.sampled_from("12"), docno=st.sampled_from("abc"), votes=st.integers(OVERLAP, MOST_VOTES))
    def want(self, topic, docno, votes):
        """More are wanted of some items, and as many again: no vote that counted is lost, and what is held stays."""
        items = Item.objects.filter(study=self.study, topic__number=topic, document__docno=docno)
        if self.study.most_overlap is None:
            before = {item.pk: item.judgements.deciding().count() for item in items}
            wanted_votes.set_votes(self.study, list(before), votes)
            assert all(item.judgements.deciding().count() >= before[item.pk] for item in items)

    @invariant()
    def a_topics_slots_stay_together(self):
        blocks: dict[int, set[int]] = {}
        for topic, position in Slot.objects.filter(study=self.study).values_list("item__topic", "position"):
            blocks.setdefault(topic, set()).add(position // SPAN)
        assert sorted(block for of_topic in blocks.values() for block in of_topic) == list(range(len(blocks)))

    @invariant()
    def every_answer_is_there_and_the_last_one_stands(self):
        current = Judgement.objects.filter(item__study=self.study, revised_by=None).values_list("worker", "item", "grade")
        assert {(worker, item): grade for worker, item, grade in current} == self.acknowledged

    @invariant()
    def items_have_the_votes_and_open_slots_that_they_want(self):
        good = Slot.objects.filter(study=self.study).exclude(worker__standing="excluded", judged_at__isnull=False)
        slots = Counter(good.values_list("item", flat=True))
        for item in Item.objects.filter(study=self.study):
            assert slots[item.pk] >= item.wanted
            assert slots[item.pk] == item.wanted or self.lifted  # who was let in again brings votes that were replaced
            assert item.wanted <= MOST_VOTES

    @invariant()
    def no_more_votes_are_counted_than_wanted(self):
        items = self.study.items.select_related("topic", "document")
        wanted = {(item.topic.number, item.document.docno): item.wanted for item in items}
        assert all(len(label.votes) <= wanted[label.topic, label.docno] for label in results.labels(self.study))

    @invariant()
    def slots_and_judgements_belong_together(self):
        for slot in Slot.objects.filter(study=self.study).prefetch_related("judgements"):
            originals = [judgement for judgement in slot.judgements.all() if judgement.revises_id is None]
            assert len(originals) == (slot.judged_at is not None)
            assert all(judgement.worker_id == slot.worker_id for judgement in originals)

    @invariant()
    def the_excluded_hold_nothing(self):
        assert not Slot.objects.filter(study=self.study, judged_at=None, worker__standing="excluded").exists()


def small_study(most_overlap):
    """Three items of two topics, in a collection of three topics and five documents."""
    user, _ = User.objects.get_or_create(username="model")
    collection = Collection.objects.create(name=uuid4().hex, owner=user)
    topics = [Topic.objects.create(collection=collection, number=number, title="birds") for number in "123"]
    documents = [Document.objects.create(collection=collection, docno=docno, text="") for docno in "abcde"]
    study = Study.objects.create(
        collection=collection, name="model", overlap=OVERLAP, most_overlap=most_overlap, lease_minutes=LEASE, created_by=user,
        state=Study.State.RUNNING, instructions="",
    )  # fmt: skip
    items = [
        Item.objects.create(study=study, topic=topics[place // 2], document=document, position=place, wanted=OVERLAP)
        for place, document in enumerate(documents[:3])
    ]
    Slot.objects.bulk_create(launch.slots_of(items, OVERLAP, random.Random(1)))
    return study


@pytest.mark.last_database
@pytest.mark.slow
@pytest.mark.soak(short=True)
def test_a_crowd_gets_what_was_ordered():
    run_state_machine_as_test(Crowd, settings=settings(max_examples=examples(60), stateful_step_count=40, deadline=None))
