"""Attention checks: documents of other topics, mixed in like gold, that change nothing but what is known of a worker."""

from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse

from judging.collections.storage import store_qrels
from judging.labels import exports, gold_choice, results, study_progress
from judging.models import Item, Slot, Worker
from judging.rules import signals
from judging.work import adaptive_overlap, assignment, checks
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Role = Item.Role


def judge_all(worker, grade=1):
    judged = []
    while slots := assignment.next_slots(worker):
        judged.append(slots[0].item_id)
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade), ahead=1)
        worker = Worker.objects.select_related("study").get(pk=worker.pk)
    return judged


def pool(study):
    """The documents of each topic's pool."""
    documents = {}
    for topic, document in study.items.filter(role=Role.WORK).values_list("topic", "document"):
        documents.setdefault(topic, set()).add(document)
    return documents


def test_they_are_documents_of_other_topics_with_the_lowest_grade_right(running):
    pools = pool(running)
    assert gold_choice.attention(running, count=4, seed=1) == 4
    made = list(running.items.filter(role=Role.ATTENTION))
    assert len({item.document_id for item in made}) == 4
    assert {item.topic_id for item in made} == set(pools)
    for item in made:
        assert item.right == [0]
        assert item.document_id not in pools[item.topic_id]
        assert any(item.document_id in documents for topic, documents in pools.items() if topic != item.topic_id)
    running.refresh_from_db()
    assert (running.pool_counts["checks"], running.gold_every) == (4, 10)


def test_no_more_are_made_than_there_are_and_none_twice(running):
    assert gold_choice.attention(running, count=99) == 6  # each document of the pool, once
    with pytest.raises(gold_choice.NothingToChoose, match="used for every topic"):
        Item.objects.filter(study=running, role=Role.WORK).exclude(topic=running.items.first().topic).delete()
        gold_choice.attention(running, count=1)


def test_who_reads_passes_and_who_does_not_fails(running, make_worker):
    gold_choice.attention(running, count=3)
    running.refresh_from_db()
    running.gold_every = 2
    running.save()
    for grade in (0, 3):
        judge_all(make_worker(running), grade)
    rows = signals.signals(running).select("attention", "attention_answered").rows()
    assert rows == [(0, 3), (3, 3)]


@pytest.mark.parametrize("role", [Role.ATTENTION, Role.TRAINING])
def test_they_are_left_out_of_votes_labels_files_progress_and_adaptive_counting(running, make_worker, role):
    running.most_overlap = 4
    running.save()
    gold_choice.attention(running, count=3)
    made = running.items.filter(role=Role.ATTENTION)
    made.update(role=role)
    checks.count_checks(running)
    running.gold_every = 2
    running.save()
    workers = [make_worker(running) for _ in range(2)]
    for worker, grade in zip(workers, (0, 3), strict=True):
        judged = judge_all(worker, grade)
        assert set(running.items.filter(role=role).values_list("pk", flat=True)) <= set(judged)
    known = {(item.topic.number, item.document.docno) for item in running.items.filter(role=role)}
    assert len(known) == 3
    votes = results.votes(running)
    assert not known & set(votes.select("topic", "docno").rows())
    assert not known & {(label.topic, label.docno) for label in results.labels(running)}
    qrels = exports.export(running, "qrels", "csv").getvalue().decode()
    assert not any(f"{topic},{docno}," in qrels for topic, docno in known)
    counted = study_progress.progress(running)
    assert (counted.items, counted.judged) == (6, 12)
    assert counted.slots == 18  # each of six items got a third slot, and nothing else did
    for item in running.items.filter(role=role):
        adaptive_overlap.extend(item.pk, running)
        assert not Slot.objects.filter(item=item, number__isnull=False).exists()


def test_withdrawn_unanswered_they_are_gone_and_answered_they_are_kept(running, make_worker):
    gold_choice.attention(running, count=2)
    running.refresh_from_db()
    running.gold_every = 2
    running.save()
    first, second = running.items.filter(role=Role.ATTENTION)
    gold_choice.withdraw(first)
    judge_all(make_worker(running))
    gold_choice.withdraw(second)
    assert list(running.items.exclude(role=Role.WORK).values_list("role", flat=True)) == [Role.RETIRED]
    assert signals.signals(running)["attention_answered"].to_list() == [0]


def test_from_the_page(client, running, researcher):
    client.force_login(researcher)
    made = client.post(reverse("checks_attention", args=[running.pk]), {"count": 2}, follow=True).content.decode()
    assert "2 more checks." in made
    assert made.count("<td>Attention check</td>") == 2
    refused = client.post(reverse("checks_attention", args=[running.pk]), {"count": 0})
    assert b"has-error" in refused.content
    assert running.items.filter(role=Role.ATTENTION).count() == 2


def test_training_can_be_taken_from_qrels_too(client, running, researcher):
    client.force_login(researcher)
    grades = pl.DataFrame([("1", "d4", 3)], schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    qrels = store_qrels(grades, collection=running.collection, name="experts", by=researcher)
    form = {"qrels": qrels.pk, "role": "training", "count": 1, "leeway": 0}
    assert b"1 more check." in client.post(reverse("checks_take", args=[running.pk]), form, follow=True).content
    assert running.items.get(role=Role.TRAINING).right == [3]
