"""Where checks come from: settled grades and agreement; and the page on which a researcher chooses them."""

import random
from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse

from judging.collections.storage import store_qrels
from judging.labels import gold_choice, result_tables, results
from judging.models import Item, Slot, Study
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement
from tests.judging.studies.test_additions_at_once import in_turns

pytestmark = pytest.mark.django_db
Role = Item.Role
# Of the study's topics 1 and 2 the pool has d1 d2 d6 and d3 d4 d5; topic 9 is not in it.
GRADES = {("1", "d4"): 3, ("1", "d2"): 1, ("1", "d3"): 2, ("1", "d5"): 0, ("2", "d1"): 0, ("9", "d1"): 1, ("1", "none"): 1}
FREE = {("1", "d4"): [3], ("1", "d3"): [2], ("1", "d5"): [0], ("2", "d1"): [0]}


@pytest.fixture
def qrels(running, researcher):
    rows = [(topic, docno, grade) for (topic, docno), grade in GRADES.items()]
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    return store_qrels(frame, collection=running.collection, name="experts", by=researcher)


def pairs(study, role=Role.GOLD):
    return {(item.topic.number, item.document.docno): item.right for item in study.items.filter(role=role)}


def judge_all(worker, grade):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def test_judged_documents_of_the_studys_topics_become_gold_and_the_pool_stays_work(running, qrels, make_worker):
    assert gold_choice.take_from_qrels(running, qrels, role=Role.GOLD, count=99) == 4
    assert pairs(running) == FREE
    running.refresh_from_db()
    assert (running.pool_counts["checks"], running.gold_every) == (4, 10)
    judge_all(make_worker(running), 1)
    assert len(results.labels(running)) == 6
    assert sum(row["items"] for row in result_tables.topic_table(running, [])) == 6
    with pytest.raises(gold_choice.NothingToChoose, match="than its pool has"):
        gold_choice.take_from_qrels(running, qrels, role=Role.GOLD, count=1)


def test_grades_take_turns(running, qrels):
    gold_choice.take_from_qrels(running, qrels, role=Role.TEST, count=3, seed=1)
    assert sorted(pairs(running, Role.TEST).values()) == [[0], [2], [3]]


def test_leeway_stays_on_the_scale(running, qrels):
    gold_choice.take_from_qrels(running, qrels, role=Role.GOLD, count=99, leeway=1)
    assert pairs(running)["1", "d4"] == [2, 3]
    assert pairs(running)["1", "d5"] == [0, 1]


def test_what_all_agree_on_can_be_promoted_and_keeps_its_label(running, make_worker):
    with pytest.raises(gold_choice.NothingToChoose, match="at least two workers agreed"):
        gold_choice.promote(running, count=1)
    judge_all(make_worker(running), 2)
    other = make_worker(running)
    for number, slot in enumerate(assignment.next_slots(other, count=6)):
        record_judgement(worker=other, item=slot.item, answer=Answer(key=uuid4(), grade=2 if number < 4 else 1))
    before = results.labels(running)
    assert len(gold_choice.agreed(running)) == 4
    assert gold_choice.promote(running, count=3) == 3
    assert set(map(tuple, pairs(running).values())) == {(2,)}
    assert results.labels(running) == before


def test_withdrawn_unanswered_it_is_gone(running, qrels):
    gold_choice.take_from_qrels(running, qrels, role=Role.GOLD, count=99)
    for item in running.items.filter(role=Role.GOLD):
        gold_choice.withdraw(item)
    assert set(running.items.values_list("role", flat=True)) == {Role.WORK}
    assert (running.items.count(), Slot.objects.filter(study=running).count()) == (6, 12)
    running.refresh_from_db()
    assert not checks.has_checks(running)


def test_of_the_pool_it_is_work_again_when_withdrawn(running, make_worker):
    item = running.items.first()
    checks.designate([item], Role.GOLD, right=[1])
    assert Slot.objects.filter(study=running).count() == 10
    gold_choice.withdraw(item)
    assert Slot.objects.filter(study=running).count() == 12
    judge_all(make_worker(running), 1)
    assert len(results.labels(running)) == 6


def test_withdrawn_after_it_was_answered_it_is_kept_and_asked_of_nobody(running, qrels, make_worker):
    gold_choice.take_from_qrels(running, qrels, role=Role.TEST, count=99)
    running.refresh_from_db()
    judge_all(make_worker(running), 0)
    item = running.items.get(topic__number="2", document__docno="d1")
    gold_choice.withdraw(item)
    item.refresh_from_db()
    assert (item.role, item.judgements.count()) == (Role.RETIRED, 1)
    assert ("2", "d1") not in {(label.topic, label.docno) for label in results.labels(running)}


def test_a_choice_is_random_and_repeatable(running):
    rows = [(topic, document, 0) for topic in range(5) for document in range(5)]
    chosen = [gold_choice.spread_over_grades(rows, 5, random.Random(seed)) for seed in (1, 1, 2)]
    assert chosen[0] == chosen[1] != chosen[2]


def test_from_the_page_to_a_worker_who_meets_them(rita, running, qrels, make_worker):
    address = reverse("study_checks", args=[running.pk])
    assert b"No item yet on which at least two workers agreed" in rita.get(address).content
    take = {"qrels": qrels.pk, "role": "test", "count": 2, "leeway": 0}
    page = rita.post(reverse("checks_take", args=[running.pk]), take, follow=True).content.decode()
    assert "2 more checks." in page
    assert page.count("Qualification test</td>") == 2
    saved = rita.post(address, {"gold_every": 5, "pass_mark": 0.5}, follow=True).content.decode()
    assert "from now on" in saved
    running.refresh_from_db()
    assert (running.gold_every, running.pass_mark, running.pool_counts["checks"]) == (5, 0.5, 2)
    worker = make_worker(running)
    judge_all(worker, 0)
    page = rita.get(address).content.decode()
    assert page.count('<td class="num">1</td>') >= 2
    item = running.items.filter(role=Role.TEST).first()
    gone = rita.post(reverse("check_withdraw", args=[running.pk, item.pk]), follow=True).content.decode()
    assert "Withdrawn" in gone


@pytest.mark.parametrize("change", [{"count": 0}, {"count": 501}, {"count": "x"}, {"role": "work"}, {"qrels": 0}, {"leeway": -1}])
def test_what_makes_no_sense_is_said(rita, running, qrels, change):
    form = {"qrels": qrels.pk, "role": "gold", "count": 2, "leeway": 0} | change
    assert b"has-error" in rita.post(reverse("checks_take", args=[running.pk]), form).content
    assert not running.items.exclude(role=Role.WORK).exists()


def test_other_studies_items_cannot_be_withdrawn(rita, running, qrels, study):
    item = running.items.first()
    assert rita.post(reverse("check_withdraw", args=[running.pk, item.pk])).status_code == 404  # work is no check


@pytest.mark.django_db(transaction=True)
def test_what_two_note_of_the_checks_at_once_is_kept_of_both(running, make_worker):
    for _ in range(2):
        judge_all(make_worker(running), 2)

    def grow():
        study = Study.objects.select_for_update(no_key=True).get(pk=running.pk)
        study.pool_counts["items"] += 10
        study.save(update_fields=["pool_counts"])

    in_turns(grow, lambda: gold_choice.promote(running, count=2))
    counts = Study.objects.get(pk=running.pk).pool_counts
    assert (counts["items"], counts["checks"]) == (running.pool_counts["items"] + 10, 2)
