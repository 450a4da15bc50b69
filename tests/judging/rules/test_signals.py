"""What is said of each worker's answers: against a slow count in plain Python, and what it must not depend on."""

import random
from collections import Counter, defaultdict
from itertools import groupby
from statistics import median
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ireval.agreement.workers import wilson_interval
from judging.models import Document, Item, Judgement, Slot, Worker
from judging.rules import signals
from judging.work import assignment, checks, exclusions
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Role = Item.Role


def answer(worker, item, grade, seconds=10.0):
    fields = {"cannot_judge": "other"} if grade is None else {"grade": grade}
    return record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), milliseconds=round(1000 * seconds), **fields))


def more_items(study, count, role=Role.WORK, right=()):
    """Items that nobody is given, for answers that come unasked."""
    topic = study.items.first().topic
    first = study.items.order_by("-position").first().position + 1
    documents = Document.objects.bulk_create(
        Document(collection=study.collection, docno=f"{role}{first + i}", text="A text.") for i in range(count)
    )
    return Item.objects.bulk_create(
        Item(study=study, topic=topic, document=document, position=first + i, role=role, right=list(right), wanted=3)
        for i, document in enumerate(documents)
    )


def row_of(study, worker):
    return signals.signals(study).row(by_predicate=signals.pl.col("worker") == worker.pk, named=True)


@pytest.fixture
def crowd(running, make_worker):
    """Answers of all kinds by workers of all kinds, in an order in which they take turns."""
    rng = random.Random(5)
    items = more_items(running, 24)
    items += more_items(running, 6, Role.GOLD, [1, 2]) + more_items(running, 3, Role.ATTENTION, [0])
    items += (
        more_items(running, 2, Role.TRAINING, [1])
        + more_items(running, 2, Role.TEST, [1])
        + more_items(running, 1, Role.RETIRED, [1])
    )
    workers = [make_worker(running) for _ in range(7)]
    copied = {item.pk: rng.choice([0, 1, 2, 3]) for item in items}
    acts = [(worker, item) for worker in workers[:6] for item in rng.sample(items, 30)] + [(workers[6], items[-4])]
    rng.shuffle(acts)
    for worker, item in acts:
        grade = copied[item.pk] if worker in workers[:2] else rng.choice([0, 1, 1, 1, 3, None])
        answer(worker, item, grade, rng.choice([0.5, 1.9, 2.0, 7, 30]))
        if rng.random() < 0.1:
            answer(worker, item, rng.choice([0, 1, None]), 0.5)
    exclusions.exclude(workers[5], reason="in doubt")
    return running


def slow(study):
    """The same, one answer after the other."""
    acts = list(Judgement.objects.filter(item__study=study).select_related("item", "worker").order_by("id"))
    first, last, took = {}, {}, Counter()
    for act in acts:
        first.setdefault((act.worker_id, act.item_id), act)
        last[act.worker_id, act.item_id] = act
        took[act.worker_id, act.item_id] += act.milliseconds
    real = {pair: act for pair, act in last.items() if act.item.role not in (Role.TRAINING, Role.TEST, Role.RETIRED)}
    graded = {pair: act for pair, act in real.items() if act.grade is not None}
    return {worker: slow_row(study, worker, first, last, took, real, graded) for worker in {worker for worker, _ in last}}


def slow_row(study, worker, first, last, took, real, graded):
    own = {item: act for (who, item), act in real.items() if who == worker}
    grades = [act.grade for act in own.values() if act.grade is not None]
    checked = [act for (who, _), act in first.items() if who == worker]
    gold = [act.grade in act.item.right for act in checked if act.item.role == Role.GOLD]
    attention = [act.grade for act in checked if act.item.role == Role.ATTENTION]
    says = [
        share for item, act in own.items() if act.grade is not None and (share := slow_lead(graded, worker, item)) is not None
    ]
    seconds = [took[worker, item] / 1000 for item in own]
    acts = [act for (who, _), act in last.items() if who == worker and act.item.role not in (Role.TRAINING, Role.RETIRED)]
    row = {
        "answered": len(acts),
        "gold": sum(gold) / len(gold) if gold else None,
        "gold_answered": len(gold),
        "attention": sum(grade not in (None, 0) for grade in attention),
        "attention_answered": len(attention),
        "agreement": sum(says) / len(says) if says else None,
        "compared": len(says),
        "seconds": median(seconds) if seconds else None,
        "hasty": sum(duration < study.least_seconds for duration in seconds) / len(seconds) if seconds else None,
        "run": max((len(list(run)) for _, run in groupby(grades)), default=0),
        "commonest": max(Counter(grades).values()) / len(grades) if grades else None,
        "cannot": sum(act.grade is None for act in own.values()) / len(own) if own else None,
    }
    return row | slow_twin(graded, worker)


def slow_lead(graded, worker, item):
    others = Counter(
        act.grade
        for (who, what), act in graded.items()
        if what == item and who != worker and act.worker.standing != Worker.Standing.EXCLUDED
    )
    leading = [grade for grade, count in others.items() if count == max(others.values())]
    return (graded[worker, item].grade in leading) / len(leading) if others else None


def slow_twin(graded, worker):
    twins = [(-1.0, 0, 0, 0)]
    by_item = defaultdict(dict)
    for (who, item), act in graded.items():
        by_item[item][who] = act.grade
    agreeing = {item: sum(a == b for a, b in pairs_of(by_worker)) for item, by_worker in by_item.items()}
    pairs = {item: len(pairs_of(by_worker)) for item, by_worker in by_item.items()}
    usual = sum(agreeing.values()) / sum(pairs.values())
    for other in {who for who, _ in graded} - {worker}:
        common = [item for item, by_worker in by_item.items() if worker in by_worker and other in by_worker]
        if len(common) < 10:
            continue
        same = {item: by_item[item][worker] == by_item[item][other] for item in common}
        chances = [(agreeing[item] - same[item] + 2 * usual) / (pairs[item] - 1 + 2) for item in common]
        chance, low = sum(chances) / len(common), float(wilson_interval(sum(same.values()), len(common))[0])
        twins.append((max((low - chance) / (1 - chance), 0), -other, len(common), sum(same.values())))
    share, other, common, same = max(twins)
    values = (share, -other, common, same) if common else (None,) * 4
    return dict(zip(("twin", "twin_worker", "twin_common", "twin_same"), values, strict=True))


def pairs_of(by_worker):
    grades = list(by_worker.values())
    return [(a, b) for place, a in enumerate(grades) for b in grades[:place]]


def test_every_signal_is_what_a_slow_count_says(crowd):
    expected = slow(crowd)
    rows = {row.pop("worker"): row for row in signals.signals(crowd).to_dicts()}
    assert rows.keys() == expected.keys()
    for worker, row in rows.items():
        assert row == pytest.approx(expected[worker]), worker


def test_who_answered_only_training_has_a_row_without_signals(crowd):
    last = signals.signals(crowd).row(-1, named=True)
    assert (last["answered"], last["run"], last["gold_answered"]) == (0, 0, 0)
    assert {last[name] for name in ("gold", "agreement", "seconds", "hasty", "commonest", "cannot", "twin")} == {None}


def test_a_copy_is_found_and_honest_workers_are_no_twins(crowd):
    rows = signals.signals(crowd).sort("worker").to_dicts()
    assert (rows[0]["twin_worker"], rows[1]["twin_worker"]) == (rows[1]["worker"], rows[0]["worker"])
    assert min(rows[0]["twin"], rows[1]["twin"]) > 0.3
    assert all((row["twin"] or 0) < 0.1 for row in rows[2:])


def test_the_order_of_rows_and_the_choice_of_workers_change_nothing(crowd, monkeypatch):
    every = signals.signals(crowd)
    some = every["worker"].to_list()[1:3]
    assert signals.signals(crowd, some).equals(every.filter(signals.pl.col("worker").is_in(some)))
    frame = signals.pl.DataFrame
    monkeypatch.setattr(
        signals.pl, "DataFrame", lambda rows, **schema: frame(rows[::-1] if isinstance(rows, list) else rows, **schema)
    )
    assert signals.signals(crowd).equals(every)


def test_nobody_yet(running):
    frame = signals.signals(running)
    assert frame.is_empty()
    assert frame.schema == signals.COLUMNS


def test_a_fixed_number_of_queries(crowd, running, django_assert_num_queries, make_worker):
    with CaptureQueriesContext(
        connection,
    ) as before:
        signals.signals(crowd)
    for item in more_items(running, 5):
        answer(make_worker(running), item, 1)
    with django_assert_num_queries(len(before)):
        signals.signals(crowd)


def test_votes_that_made_an_item_gold_do_not_count_as_gold(running, make_worker):
    early, late = make_worker(running), make_worker(running)
    item = assignment.next_slots(early)[0].item
    answer(early, item, 2)
    checks.designate([item], Role.GOLD, right=[2])
    running.refresh_from_db()
    Slot.objects.create(study=running, item=item, position=0, worker=late, leased_until="2100-01-01T00:00Z")
    answer(late, item, 2)
    assert (row_of(running, early)["gold"], row_of(running, early)["gold_answered"]) == (None, 0)
    assert (row_of(running, late)["gold"], row_of(running, late)["gold_answered"]) == (1.0, 1)


def test_a_second_look_adds_to_the_time_and_replaces_the_grade(running, make_worker):
    worker = make_worker(running)
    item = running.items.first()
    answer(worker, item, 2, 9)
    answer(worker, item, 3, 1)
    row = row_of(running, worker)
    assert (row["seconds"], row["hasty"], row["answered"]) == (10, 0, 1)


def test_the_excluded_are_compared_with_others_and_nobody_with_them(running, make_worker):
    good, other, bad = (make_worker(running) for _ in range(3))
    for item in running.items.all():
        for worker, grade in ((good, 2), (other, 2), (bad, 0)):
            answer(worker, item, grade)
    exclusions.exclude(bad, reason="zeros")
    assert row_of(running, bad)["agreement"] == 0
    assert row_of(running, good)["agreement"] == 1
    exclusions.exclude(other, reason="as well")
    assert row_of(running, good)["compared"] == 0
    assert (row_of(running, bad)["agreement"], row_of(running, bad)["compared"]) == (0, 6)


def test_machines_are_compared_with_people_and_people_not_with_them(running, make_worker):
    person, machine = make_worker(running), make_worker(running, machine="Oracle 3")
    for item in running.items.all():
        answer(person, item, 2)
        answer(machine, item, 0)
    assert row_of(running, person)["compared"] == 0
    assert (row_of(running, machine)["agreement"], row_of(running, machine)["compared"]) == (0, 6)
