"""A study in a database of its own, judged by honest and bad workers: `python -m benchmarks.crowd SEED GRADES RULES`, JSON out.

Time is simulated: every worker answers when they are done reading, and the rules are applied once a minute, as the sweep does.
"""

import argparse
import heapq
import json
import random
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import django

django.setup()

import polars as pl  # noqa: E402  Django first
from django.core.management import call_command  # noqa: E402

from benchmarks.real_workers import hit_rates  # noqa: E402
from judging.labels import gold_choice, results  # noqa: E402
from judging.labels.aggregation import labelling_of  # noqa: E402
from judging.models import Collection, Document, Exclusion, Item, Rule, Slot, Study, Topic, User, Worker  # noqa: E402
from judging.rules import enforcement  # noqa: E402
from judging.rules.signals import signals  # noqa: E402
from judging.studies.launch import slots_of  # noqa: E402
from judging.work import assignment  # noqa: E402
from judging.work.answers import Answer, record_judgement  # noqa: E402
from judging.work.beginnings import beginning  # noqa: E402

ITEMS, TOPICS, OVERLAP, GOLD, ATTENTION, MOST = 400, 20, 3, 80, 32, 100
HONEST, SPAMMERS, SPEEDERS, LINERS, PUPPETS = 40, 3, 3, 3, 3
SWEEP, COMING = 60, 300  # seconds between two sweeps, and within which workers come
SHARES = {2: [0.5, 0.5], 4: [0.4, 0.25, 0.2, 0.15]}  # of each grade among the items
# Each rule that is also looked at by itself, where none is in force.
ALONE = (
    *enforcement.SUGGESTED,
    {"signal": "agreement", "threshold": 0.4, "least": 30, "action": "excluded"},
    {"signal": "hasty", "threshold": 0.5, "least": 20, "action": "warned"},
    {"signal": "commonest", "threshold": 0.95, "least": 20, "action": "warned"},
)
READS = 0.98  # how often an honest worker notices that a document belongs to another topic


@dataclass
class Person:
    """A simulated worker: how they choose a grade, how long they take, and when they come."""

    kind: str
    grade: Callable[[Item], int]
    seconds: Callable[[], float]
    comes: float
    worker: Worker | None = None


def prepare(study_name: str, grades: int, chance: random.Random) -> tuple[Study, dict[int, int]]:
    """A running study with gold and attention checks, and the true grade of each of its items."""
    user, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
    collection = Collection.objects.create(name=study_name, owner=user)
    topics = Topic.objects.bulk_create(Topic(collection=collection, number=str(i), title="swallows") for i in range(TOPICS))
    documents = Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{i}", text="Swallows leave.") for i in range(ITEMS + GOLD)
    )
    study = Study.objects.create(
        collection=collection, name=study_name, instructions="Judge.", overlap=OVERLAP, gold_every=5, created_by=user,
        most_judgements=MOST, state=Study.State.RUNNING, pool_counts={"items": ITEMS, "topics": TOPICS},
        scale=[{"grade": grade, "label": str(grade), "help": ""} for grade in range(grades)],
    )  # fmt: skip
    items = Item.objects.bulk_create(
        Item(study=study, topic=topics[i * TOPICS // ITEMS], document=documents[i], position=i, wanted=OVERLAP)
        for i in range(ITEMS)
    )
    Slot.objects.bulk_create(slots_of(items, OVERLAP, chance))
    truth = {item.pk: chance.choices(range(grades), SHARES[grades])[0] for item in items}
    for i in range(GOLD):
        item = gold_choice.new_item(study, topics[i % TOPICS].pk, documents[ITEMS + i].pk)
        truth[item.pk] = chance.choices(range(grades), SHARES[grades])[0]
        gold_choice.checks.designate([item], Item.Role.GOLD, right=[truth[item.pk]])
    gold_choice.attention(study, count=ATTENTION, seed=1)
    return Study.objects.get(pk=study.pk), truth


def honest_grade(truth: dict[int, int], grades: int, rates: tuple[float, float], chance: random.Random) -> Callable[[Item], int]:
    """A grade: right as often as a real worker was for such a document, otherwise a near grade more often than a far one."""

    def grade(item: Item) -> int:
        if item.pk not in truth:
            return 0 if chance.random() < READS else chance.randrange(1, grades)
        right = truth[item.pk]
        if chance.random() < rates[right >= grades / 2]:
            return right
        others = [other for other in range(grades) if other != right]
        return chance.choices(others, [1 / abs(other - right) for other in others])[0]

    return grade


def people(truth: dict[int, int], grades: int, chance: random.Random, data: Path) -> list[Person]:
    rates = hit_rates(data)

    def reading(median: float, least: float) -> Callable[[], float]:
        return lambda: max(chance.lognormvariate(0, 0.6) * median, least)

    def honest() -> Callable[[Item], int]:
        return honest_grade(truth, grades, chance.choice(rates), chance)

    def halfway() -> Callable[[Item], int]:
        """Looks at the title only: as good as an honest worker in half of the answers, else a guess."""
        able = honest()
        return lambda item: able(item) if chance.random() < 0.5 else chance.randrange(grades)

    def coming() -> float:
        return chance.uniform(0, COMING)

    def copied() -> Callable[[Item], int]:
        """One person's notes: each account answers what the first one answered, but for a slip now and then."""
        able, notes = honest(), dict[int, int]()
        return lambda item: chance.randrange(grades) if chance.random() < 0.02 else notes.setdefault(item.pk, able(item))

    everybody = [Person("honest", honest(), reading(chance.uniform(8, 25), 1.5), coming()) for _ in range(HONEST)]
    everybody += [
        Person("spammer", lambda _: chance.randrange(grades), reading(chance.uniform(3, 8), 1), coming()) for _ in range(SPAMMERS)
    ]
    everybody += [Person("speeder", halfway(), reading(1, 0.3), coming()) for _ in range(SPEEDERS)]
    for _ in range(LINERS):
        always = chance.choices(range(grades), SHARES[grades])[0]
        everybody.append(Person("straight-liner", partial(same, always), reading(5, 1), coming()))
    notes, comes = copied(), coming()
    everybody += [Person("puppet", notes, reading(6, 1), comes) for _ in range(PUPPETS)]
    return everybody


def same(grade: int, _: Item) -> int:
    return grade


def work(study: Study, everybody: list[Person], sweep: Callable[[], object]) -> None:
    """Until nobody is given anything any more."""
    queue = [(person.comes, place) for place, person in enumerate(everybody)]
    heapq.heapify(queue)
    swept = 0.0
    while queue:
        now, place = heapq.heappop(queue)
        if now - swept >= SWEEP:
            sweep()
            swept = now
        person = everybody[place]
        if took := answer(study, person):
            heapq.heappush(queue, (now + took, place))
    sweep()


class Watch:
    """Who would have been caught by each rule alone, at any time: by how the rule reads, workers."""

    def __init__(self, study: Study):
        self.study = study
        self.rules = [Rule(study=study, **suggested) for suggested in ALONE]
        self.caught: dict[str, set[int]] = {enforcement.rule_sentence(rule): set() for rule in self.rules}

    def look(self) -> None:
        frame = signals(self.study)
        for rule in self.rules:
            self.caught[enforcement.rule_sentence(rule)] |= {case.worker for case in enforcement.violations_of(rule, frame)}

    def by_kind(self, everybody: list[Person]) -> dict[str, dict[str, int]]:
        kinds = {person.worker.pk: person.kind for person in everybody if person.worker}
        return {rule: dict(Counter(kinds[worker] for worker in workers)) for rule, workers in self.caught.items()}


def answer(study: Study, person: Person) -> float:
    """One answer of theirs, and how long it took; 0 where they get nothing."""
    if person.worker is None:
        person.worker = Worker.objects.create(study=study, start=beginning(study), simulated=True)
    worker = Worker.objects.select_related("study").get(pk=person.worker.pk)
    slots = assignment.next_slots(worker)
    if not slots:
        return 0
    seconds = person.seconds()
    judgement = Answer(key=uuid.uuid4(), grade=person.grade(slots[0].item), milliseconds=round(1000 * seconds))
    record_judgement(worker=worker, item=slots[0].item, answer=judgement)
    return seconds


def outcome(study: Study, truth: dict[int, int], everybody: list[Person]) -> dict:
    """The outcome of a study: who was caught by which rule, how good the labels are, and how much was judged anew."""
    acts = Exclusion.objects.filter(worker__study=study, rule__isnull=False).values_list("worker", "rule__signal", "standing")
    by_worker: dict[int, list] = {}
    for worker, signal, standing in acts:
        by_worker.setdefault(worker, []).append((signal, standing))
    votes = results.votes(study)
    work = study.items.filter(role=Item.Role.WORK).values_list("topic__number", "document__docno", "pk")
    right = pl.DataFrame(
        [(topic, docno, truth[pk]) for topic, docno, pk in work], schema=["topic", "docno", "truth"], orient="row"
    )
    return {
        "caught": [{"kind": person.kind, "acts": by_worker.get(person.worker.pk, [])} for person in everybody if person.worker],
        "accuracy": {method: accuracy(votes, study, right, method) for method in ("majority", "dawid-skene")},
        "anew": Slot.objects.filter(study=study, number__gt=OVERLAP, judged_at__isnull=False).count(),
        "open": Slot.objects.filter(study=study, number__isnull=False, judged_at__isnull=True).count(),
        "judged": dict(
            Counter(person.kind for person in everybody for _ in range(assignment.done(person.worker) if person.worker else 0))
        ),
    }


def accuracy(votes: pl.DataFrame, study: Study, right: pl.DataFrame, method: str) -> float:
    """The share of the items with a label whose label is the true one."""
    labels = labelling_of(votes, study.grades, method).frame.join(right, on=["topic", "docno"])
    return float((labels["grade"] == labels["truth"]).mean())  # type: ignore[arg-type]


def run(seed: int, grades: int, data: Path, *, rules: bool) -> dict:
    call_command("migrate", verbosity=0)
    chance = random.Random(seed)
    study, truth = prepare(f"{seed} {grades} {rules} {uuid.uuid4().hex[:6]}", grades, chance)
    everybody = people(truth, grades, chance, data)
    if rules:
        for rule in enforcement.SUGGESTED:
            enforcement.make(Rule(study=study, **rule), by=study.created_by)
        work(study, everybody, lambda: enforcement.apply(study))
        return outcome(study, truth, everybody)
    watch = Watch(study)
    work(study, everybody, watch.look)
    return outcome(study, truth, everybody) | {"alone": watch.by_kind(everybody)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("grades", type=int, choices=sorted(SHARES))
    parser.add_argument("rules", type=int, choices=[0, 1])
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    print(json.dumps(run(options.seed, options.grades, options.data, rules=bool(options.rules))))
