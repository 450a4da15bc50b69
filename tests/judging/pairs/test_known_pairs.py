"""Pairs of which one list is known to be better: made of qrels, asked of every worker, and no evidence of any system."""

import math

import polars as pl
import pytest

from judging.collections.deletion import delete_study
from judging.collections.storage import store_qrels, store_run
from judging.labels import gold_choice, known_pairs, training
from judging.labels.preferences import rows
from judging.labels.results import current
from judging.models import AuditEntry, Comparison, Document, Item, Judgement, Listing, Rule, Slot, Study, Topic, Worker
from judging.rules import enforcement
from judging.rules.reach import met_by_one
from judging.rules.signals import signals
from judging.studies import launch, pair_plan
from judging.work import assignment, checks
from judging.work.progress import progress_of
from tests.judging.pairs.conftest import TOPICS, ranking
from tests.judging.pairs.known import GRADES, docnos, judge_all, launched

pytestmark = pytest.mark.django_db
Role = Item.Role


# Which pairs


def test_a_pair_is_a_runs_list_beside_documents_that_are_not_relevant(draft, qrels):
    assert known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=50, seed=3) == TOPICS
    items = list(Item.objects.filter(study=draft).select_related("topic", "first", "second"))
    assert {item.topic_id for item in items} == set(Topic.objects.values_list("pk", flat=True)), "one of a topic"
    for item in items:
        better = docnos(item.first)
        assert better in (["d1", "d2", "d4"], ["d2", "d6", "d1"])
        # What is not relevant, as the run ranks it; then what it does not have.
        assert docnos(item.second) == (["d4", "d3", "d5"] if better[0] == "d1" else ["d6", "d3", "d4"])
        assert (item.role, item.right, item.wanted) == (Role.GOLD, [1, 2, 3], 0)
        assert item.first.run_id is item.second.run_id is None, "no report can count it for a system"
        assert item.explanation == "Results known to be relevant: 2 of 3 in the better list, none in the other."
    assert {tuple(docnos(item.first)) for item in items} == {("d1", "d2", "d4"), ("d2", "d6", "d1")}, "of several runs"


def test_topics_that_the_study_does_not_compare_come_first(draft, qrels):
    Comparison.objects.filter(study=draft).update(topics="sample", topic_count=8)
    draft = Study.objects.get(pk=draft.pk)
    compared = {pair.topic for pair in pair_plan.plan(draft).items}
    known_pairs.take_from_qrels(draft, qrels, role=Role.TRAINING, count=4)
    assert not compared & set(draft.items.values_list("topic", flat=True))
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=4)
    assert set(draft.items.filter(role=Role.GOLD).values_list("topic", flat=True)) <= compared


def test_what_is_not_clear_is_no_check(draft, collection, researcher, qrels):
    poor = {"d1": 0, "d2": 0, "d4": 1, "d3": 1, "d5": 1, "d6": 0}  # by no run a good list
    few = {"d1": 1, "d2": 1, "d4": 1, "d3": 0, "d5": 0}  # of what is not relevant there is less than a list
    for name, grades in (("poor", poor), ("few", few)):
        frame = pl.DataFrame([("1", *pair) for pair in grades.items()], schema=["topic", "docno", "grade"], orient="row")
        unclear = store_qrels(frame, collection=collection, name=name, by=researcher)
        with pytest.raises(gold_choice.NothingToChoose, match="first 3 results are good by these qrels"):
            known_pairs.take_from_qrels(draft, unclear, role=Role.GOLD, count=1)
    assert not draft.items.exists() and not draft.listings.exists()


def test_where_only_relevant_documents_are_known_the_other_list_is_the_far_end(draft, collection, researcher):
    """As in many collections of today: one relevant document a topic, and nothing else judged."""
    far = [f"far{place}" for place in range(30)]
    Document.objects.bulk_create(Document(collection=collection, docno=docno, text="Words.") for docno in far)
    lists = {"1": ["d1", *far], "2": [*far, "d1"]}
    rows_ = [(topic, docno, score) for topic, hits in lists.items() for docno, score in ranking(*hits)]
    frame = pl.DataFrame(rows_, schema=["topic", "docno", "score"], orient="row")
    draft.runs.set([store_run(frame, collection=collection, name="deep", by=researcher)])
    sparse = pl.DataFrame({"topic": ["1", "2"], "docno": ["d1", "d1"], "grade": [1, 1]})
    qrels = store_qrels(sparse, collection=collection, name="sparse", by=researcher)
    assert known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=9) == 1, "on topic 2 the run is no good"
    item = Item.objects.select_related("first", "second").get(study=draft)
    assert docnos(item.first) == ["d1", "far0", "far1"]
    assert docnos(item.second) == ["far29", "far28", "far27"]


def test_what_has_no_text_is_not_shown(draft, collection, researcher, qrels):
    lists = {"1": ["gone", "d1", "d2"], "2": ["d1", "d2", "d4", "lost"]}
    rows_ = [(topic, docno, score) for topic, hits in lists.items() for docno, score in ranking(*hits)]
    frame = pl.DataFrame(rows_, schema=["topic", "docno", "score"], orient="row")
    draft.runs.set([store_run(frame, collection=collection, name="odd", by=researcher)])
    grades = [(topic, *pair) for topic in lists for pair in {**GRADES, "lost": 0}.items()]
    frame = pl.DataFrame(grades, schema=["topic", "docno", "grade"], orient="row")
    odd = store_qrels(frame, collection=collection, name="odd", by=researcher)
    assert known_pairs.take_from_qrels(draft, odd, role=Role.GOLD, count=9) == 1
    item = Item.objects.select_related("topic", "first", "second").get(study=draft)
    assert (item.topic.number, docnos(item.second)) == ("2", ["d4", "d3", "d5"])


def test_withdrawing_leaves_nothing_or_what_was_answered(practised, make_worker, prefer):
    worker = make_worker(practised)
    (slot,) = assignment.next_slots(worker)
    prefer(worker, slot)
    for item in practised.items.filter(role=Role.TRAINING):
        gold_choice.withdraw(item)
    assert practised.items.get(first__run=None).role == practised.items.get(pk=slot.item_id).role == Role.RETIRED
    assert practised.listings.filter(run=None).count() == 2
    assert not checks.has_checks(Study.objects.get(pk=practised.pk))
    assert AuditEntry.objects.filter(about__contains="a pair of lists").count() == 2


def test_a_draft_goes_with_its_checks(draft, qrels):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=2)
    delete_study(draft)
    assert not Item.objects.exists() and not Listing.objects.exists()


def test_a_topic_whose_pair_was_answered_and_withdrawn_gives_no_other(practised, qrels, make_worker, prefer):
    worker = make_worker(practised)
    (slot,) = assignment.next_slots(worker)
    prefer(worker, slot)
    gold_choice.withdraw(practised.items.get(pk=slot.item_id))
    known_pairs.take_from_qrels(practised, qrels, role=Role.GOLD, count=TOPICS)
    assert slot.item.topic_id not in practised.items.filter(role=Role.GOLD).values_list("topic", flat=True)


def test_lists_of_another_length_than_the_studys_stop_the_launch(draft, qrels):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=1)
    Study.objects.filter(pk=draft.pk).update(depth=2)
    with pytest.raises(launch.CannotLaunch, match="shows 3 results a list, the study 2"):
        launched(draft)


# What workers meet


def test_training_comes_first_then_the_test_then_work_with_gold_in_it(draft, qrels, make_worker, prefer):
    for role, count in ((Role.GOLD, 6), (Role.TEST, 2), (Role.TRAINING, 2)):
        known_pairs.take_from_qrels(draft, qrels, role=role, count=count)
    Study.objects.update(gold_every=5)
    study = launched(draft)
    roles = judge_all(make_worker(study), prefer)
    assert roles[:4] == [Role.TRAINING, Role.TRAINING, Role.TEST, Role.TEST]
    work = roles[4:]
    assert work.count(Role.WORK) == study.pool_counts["items"]
    assert work.count(Role.GOLD) == 6
    for stretch in range(6):
        assert work[5 * stretch : 5 * (stretch + 1)].count(Role.GOLD) == 1, "one in each stretch"


def test_gold_that_is_made_later_comes_no_more_often(draft, qrels, make_worker, prefer):
    study = launched(draft)
    worker = make_worker(study)
    for _ in range(20):
        prefer(worker, assignment.next_slots(worker)[0], ahead=0)
    Study.objects.update(gold_every=10)
    known_pairs.take_from_qrels(study, qrels, role=Role.GOLD, count=12)
    roles = judge_all(Worker.objects.get(pk=worker.pk), prefer)
    assert [roles[at : at + 10].count(Role.GOLD) for at in (0, 10)] == [1, 1]


def test_where_gold_comes_says_nothing_of_mirrors_and_differs_from_worker_to_worker(draft, qrels, make_worker, prefer):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=12)
    Study.objects.update(gold_every=5)  # as often as mirrors
    study = launched(draft)
    places = []
    for _ in range(4):
        roles = judge_all(make_worker(study), prefer)
        places.append(tuple(place for place, role in enumerate(roles) if role == Role.GOLD))
    assert len(set(places)) > 1
    assert all(len(of_one) >= 8 for of_one in places)


def test_the_better_list_stands_on_either_side(practised, make_worker):
    sides = set()
    for _ in range(20):
        (slot,) = assignment.next_slots(make_worker(practised))
        sides.add(slot.swapped)
    assert sides == {True, False}


def test_who_fails_the_test_gets_no_work(draft, qrels, make_worker, prefer):
    known_pairs.take_from_qrels(draft, qrels, role=Role.TEST, count=4)
    study = launched(draft)
    good, bad = make_worker(study), make_worker(study)
    assert Role.WORK in judge_all(good, prefer)
    while slots := assignment.next_slots(bad):
        prefer(bad, slots[0], 1 if not slots[0].swapped else -1, ahead=0)
    assert (Judgement.objects.filter(worker=bad).count(), Worker.objects.get(pk=bad.pk).standing) == (4, "blocked")
    assert Worker.objects.get(pk=good.pk).standing == "good"


def test_progress_and_the_plan_say_as_much_as_there_comes(draft, qrels, make_worker, prefer):
    for role, count in ((Role.GOLD, 4), (Role.TEST, 1), (Role.TRAINING, 2)):
        known_pairs.take_from_qrels(draft, qrels, role=role, count=count)
    Study.objects.update(gold_every=10, overlap=2)
    Comparison.objects.update(mirrored=0)
    draft = Study.objects.get(pk=draft.pk)
    planned, before = pair_plan.plan(draft), met_by_one(draft)
    assert len(planned.items) == 32
    assert (planned.gold, planned.answers) == (7, 71)  # two workers meet one for nine pairs
    assert (before.training, before.test, before.work, round(before.gold, 1)) == (2, 1, 32, 3.6)
    study = launched(draft)
    assert met_by_one(study) == before
    assert progress_of(make_worker(study)).items == 2 + 1 + 32 + 4
    roles = judge_all(make_worker(study), prefer)
    assert roles.count(Role.GOLD) in (3, 4)


def test_a_budget_has_room_for_gold(draft, qrels):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=12)
    Comparison.objects.update(pairing="budget", budget=100, mirrored=0.1)
    Study.objects.update(overlap=4, gold_every=10)
    planned = pair_plan.plan(Study.objects.get(pk=draft.pk))
    assert (len(planned.items), planned.judgements, planned.gold, planned.repeats, planned.answers) == (20, 80, 10, 10, 100)


# What comes of it


def test_answers_to_checks_are_no_evidence(draft, qrels, make_worker, prefer):
    for role in (Role.TRAINING, Role.TEST, Role.GOLD):
        known_pairs.take_from_qrels(draft, qrels, role=role, count=2)
    study = launched(draft)
    study.pass_mark = 0
    judge_all(make_worker(study), prefer)
    frame = rows(study)
    assert frame.height == Judgement.objects.filter(item__role__in=[Role.WORK, Role.MIRROR]).count()
    assert set(frame["left"]) | set(frame["right"]) == {"alpha", "beta", "gamma"}
    assert not Judgement.objects.filter(item__first__run=None).voting().exists()


def test_who_has_only_practised_has_no_vote(draft, qrels, make_worker, prefer):
    """A verdict asks for votes, and would fail on a study that has answers without any."""
    known_pairs.take_from_qrels(draft, qrels, role=Role.TRAINING, count=1)
    study = launched(draft)
    worker = make_worker(study)
    (slot,) = assignment.next_slots(worker, count=1)
    prefer(worker, slot, 2)
    assert Judgement.objects.filter(item__role=Role.TRAINING).exists() and not current(study).able().exists()
    judge_all(worker, prefer)
    assert current(study).able().count() == rows(study).filter(pl.col("votes"), ~pl.col("mirrored")).height > 0


def test_a_check_given_back_comes_again_as_it_stood(draft, qrels, make_worker):
    known_pairs.take_from_qrels(draft, qrels, role=Role.TRAINING, count=1)
    study = launched(draft)
    for worker in (make_worker(study) for _ in range(8)):
        sides = set()
        for _ in range(4):
            (slot,) = assignment.next_slots(worker, count=1)
            sides.add(slot.swapped)
            Slot.objects.filter(pk=slot.pk).delete()
        assert len(sides) == 1
    assert Item.objects.filter(role=Role.TRAINING).count() == 1


def test_a_rule_on_gold_catches_who_always_takes_the_left_list(draft, qrels, make_worker, prefer, researcher):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=12)
    Study.objects.update(gold_every=2)
    study = launched(draft)
    honest, lazy = make_worker(study), make_worker(study)
    judge_all(honest, prefer)
    judge_all(lazy, prefer, step=-1)
    shares = {row["worker"]: (row["gold"], row["gold_answered"]) for row in signals(study).iter_rows(named=True)}
    assert shares[honest.pk] == (1.0, 12)
    sides = Slot.objects.filter(worker=lazy, item__role=Role.GOLD).values_list("swapped", flat=True)
    assert shares[lazy.pk] == (sum(not swapped for swapped in sides) / 12, 12)
    (suggestion,) = [rule for rule in enforcement.suggested(study) if rule["signal"] == "gold"]
    enforcement.make(Rule(study=study, **{**suggestion, "threshold": 1.0}), by=researcher)
    assert [exclusion.worker_id for exclusion in enforcement.apply(study)] == ([lazy.pk] if shares[lazy.pk][0] < 1 else [])


def test_the_suggested_rule_catches_whom_the_documentation_says():
    rule = enforcement.suggested(Study(kind=Study.Kind.SIDE_BY_SIDE))[0]
    assert (rule["signal"], rule["least"], rule["threshold"]) == ("gold", 10, 0.7)

    def caught(right):
        return sum(math.comb(10, count) * right**count * (1 - right) ** (10 - count) for count in range(7))

    assert (round(caught(0.5), 2), round(caught(0.95), 3)) == (0.83, 0.001)


def test_both_are_bad_is_not_right(practised, make_worker, prefer):
    worker = make_worker(practised)
    (slot,) = assignment.next_slots(worker)
    prefer(worker, slot, 0, both_bad=True)
    assert not training.feedback(worker, slot.item_id).is_right
