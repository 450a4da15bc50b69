"""Simulated workers of the demo's side-by-side study: they prefer the list with more pages that help, and err.

All are marked as simulated. Everything follows from the study and SEED: sent again, each vote is a duplicate.
"""

import math
import random
import uuid
from collections import defaultdict

from django.db import transaction

from judging.collections.storage import qrels_frame
from judging.demo import SEED
from judging.labels.known_pairs import take_from_qrels
from judging.models import Collection, Comparison, Item, Listing, Qrels, Rule, Slot, Study, User, Worker
from judging.rules import enforcement
from judging.studies.launch import close, launch
from judging.work import checks, enquiries
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from judging.work.pair_answers import PairAnswer

NAME, RUNS = "Words or sequences of four letters? (simulated workers)", ("bm25-words", "bm25-4grams")
INSTRUCTIONS = "Which list would you rather have got? Look at its first results most."
DEPTH = 5
QUESTION = "Both lists begin with the same page. Shall I look further down?"
REPLY = "Yes: say which of the first five you would rather get as a whole."
WARNED = {"signal": Rule.Signal.SECONDS, "threshold": 3, "least": 20, "action": Worker.Standing.WARNED}
WORKERS = 5  # each judges every pair
CHECKS = {Item.Role.TRAINING: 2, Item.Role.GOLD: 4}
HELPFUL = 2  # from this grade on a result is worth something
# How much a worker's impression of a list errs, and from which difference on they say better, and much better.
ERRS, BETTER, MUCH_BETTER = 0.6, 0.2, 1.2
OPENS = 0.3  # how often they open the first result of the list that they prefer
# The median time that a worker looks at two lists.
SECONDS = 21.0
NAMESPACE = uuid.UUID("6a1f4f0e-6f4e-4b0e-9f57-2f5f4b1f6d10")


def open_study(collection: Collection, user: User) -> Study:
    """Launch the study in the caller's transaction; its votes come later, from Celery."""
    study = Study.objects.create(
        collection=collection,
        name=NAME,
        kind=Study.Kind.SIDE_BY_SIDE,
        instructions=INSTRUCTIONS,
        depth=DEPTH,
        overlap=WORKERS,
        created_by=user,
    )
    Comparison.objects.create(study=study, mirrored=0)
    study.runs.set(collection.runs.filter(name__in=RUNS))
    study.members.add(user)
    launch(study, by=user, seed=SEED)
    enforcement.make(Rule(study=study, **WARNED), by=user)
    return study


def vote(study: Study) -> None:
    """Have the workers judge all that there is, and close the study."""
    relevant = relevant_documents(study.collection)
    if not checks.has_checks(study):
        for role, count in CHECKS.items():
            take_from_qrels(study, given(study.collection), role=role, count=count, by=study.created_by, seed=SEED)
        study.refresh_from_db()
    present = list(study.workers.filter(simulated=True).order_by("pk"))
    missing = [Worker.objects.create(study=study, simulated=True) for _ in range(WORKERS - len(present))]
    for number, worker in enumerate([*present, *missing]):
        while slots := next_slots(worker):
            item = Item.objects.select_related("first", "second", "topic").get(pk=slots[0].item_id)
            item.study = study
            record_judgement(worker=worker, item=item, answer=answer(slots[0], item, number, relevant[item.topic.number]))
    with transaction.atomic():
        if study.state != Study.State.CLOSED:
            enquiry = enquiries.ask(worker=study.workers.earliest("pk"), text=QUESTION)
            enquiries.reply(enquiry, text=REPLY, by=study.created_by)
            close(study)


def given(collection: Collection) -> Qrels:
    """The grades that came with the collection."""
    return collection.qrels.earliest("pk")


def relevant_documents(collection: Collection) -> dict[str, set[str]]:
    relevant: dict[str, set[str]] = defaultdict(set)
    for topic, docno, grade in qrels_frame(given(collection)).select("topic", "docno", "grade").iter_rows():
        if grade >= HELPFUL:
            relevant[topic].add(docno)
    return relevant


def answer(slot: Slot, item: Item, worker: int, relevant: set[str]) -> Answer:
    assert item.first is not None
    assert item.second is not None
    name = f"{SEED}:{item.topic.number}:{worker}"
    chance = random.Random(name)  # noqa: S311  no secret
    ahead = worth(item.first, relevant) - worth(item.second, relevant) + chance.gauss(0, ERRS)
    step = 0 if abs(ahead) < BETTER else 2 if abs(ahead) >= MUCH_BETTER else 1
    milliseconds = round(1000 * SECONDS * chance.lognormvariate(0, 0.5))
    opened = chance.random() < OPENS
    reasons = item.study.comparison.reasons
    return Answer(
        key=uuid.uuid5(NAMESPACE, f"{item.pk}:{name}"),
        grade=int(math.copysign(step, ahead)),
        milliseconds=milliseconds,
        pair=PairAnswer(
            swapped=slot.swapped,
            reasons=[reasons[0]] if step == 2 else [reasons[2]] if step and opened else [],
            interactions=[[milliseconds // 3, "open", int(ahead < 0), 1]] if opened else [],
        ),
    )


def worth(listing: Listing, relevant: set[str]) -> float:
    """What a list is worth: each relevant result counts less the further down it is."""
    return sum(1 / math.log2(rank + 1) for rank, row in enumerate(listing.results, start=1) if row["docno"] in relevant)
