"""Simulated workers of the demo's finished graded study: five who read and err a little, and one who presses keys at random.

The sixth is caught by the rule on gold, as a person would be, and what they took is judged by the others. Those judge every item,
so that the settled grades follow from the study and SEED alone. Sent again, each answer is a duplicate.
"""

import random
import uuid
from decimal import Decimal

from django.db import transaction

from judging.collections.storage import qrels_frame
from judging.demo import SEED
from judging.demo.suggested_study import SuggestedStudy
from judging.labels.gold_choice import take_from_qrels
from judging.labels.settlement import settle_as_qrels
from judging.models import Collection, Item, Qrels, Rule, Study, User, Worker
from judging.pay import bonuses
from judging.rules import enforcement
from judging.studies.launch import close, launch
from judging.work import checks, enquiries
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

NAME = "Household tips, graded (simulated workers)"
DEPTH = 4
CHECKS = {Item.Role.TRAINING: 4, Item.Role.GOLD: 20}
GOLD_EVERY = 6
PAY_AN_HOUR = Decimal("13.50")
CAUGHT = {"signal": Rule.Signal.GOLD, "threshold": 0.4, "least": 8, "action": Worker.Standing.EXCLUDED}
# How much a worker's grade errs, in steps of the scale, and the median of seconds for which they look. The first is the spammer.
ERRS = (None, 0.25, 0.35, 0.45, 0.5, 0.6)
SECONDS = (1.6, 19.0, 24.0, 16.0, 21.0, 14.0)
LOOK_EVERY = 10  # answers of the spammer, after which the rules look
CANNOT = 0.01
NAMESPACE = uuid.UUID("0c9c55b5-52a3-4a51-8b0c-7f0f4dd0ab1e")
QUESTION = "The page says that the jumper cannot be saved. Is that no help, or exactly what was asked?"
REPLY = "Exactly what was asked: whoever knows that it is hopeless has their answer."

Grades = dict[tuple[str, str], int]  # by topic and docno


def open_study(collection: Collection, suggested: SuggestedStudy, user: User) -> Study:
    """Launch the study with its rule, in the caller's transaction; gold and judgements come later, from Celery."""
    study = Study.objects.create(
        collection=collection,
        name=NAME,
        scale=suggested.scale,
        instructions=suggested.instructions,
        consent=suggested.consent,
        depth=DEPTH,
        overlap=len(ERRS) - 1,
        gold_every=GOLD_EVERY,
        pay_an_hour=PAY_AN_HOUR,
        seconds_a_judgement=20,
        created_by=user,
    )
    study.runs.set(collection.runs.all())
    study.members.add(user)
    launch(study, by=user, seed=SEED)
    enforcement.make(Rule(study=study, **CAUGHT), by=user)
    return study


def grade(study: Study) -> None:
    """Have the workers judge all that there is, close the study, and settle its grades."""
    if not checks.has_checks(study):
        for role, count in CHECKS.items():
            take_from_qrels(study, given(study), role=role, count=count, by=study.created_by, seed=SEED)
        study.refresh_from_db()
    known = known_grades(given(study))
    present = list(study.workers.filter(simulated=True).order_by("pk"))
    missing = [Worker.objects.create(study=study, simulated=True) for _ in ERRS[len(present) :]]
    for number, worker in enumerate([*present, *missing]):
        worker.study = study
        while judge(worker, number, known, most=LOOK_EVERY) and ERRS[number] is None:
            enforcement.apply(study)
    with transaction.atomic():
        if study.state != Study.State.CLOSED:
            thank(study)
            close(study)
    settle_as_qrels(study, by=study.created_by)


def judge(worker: Worker, number: int, known: Grades, *, most: int) -> bool:
    """Answer what the worker is given: all of it, or the first answers of a spammer. Whether there was any."""
    done = 0
    while (slots := next_slots(worker)) and not (ERRS[number] is None and done == most):
        item = slots[0].item
        record_judgement(worker=worker, item=item, answer=answer(item, number, known), ahead=1)
        done += 1
    return done > 0


def given(study: Study) -> Qrels:
    """The grades that came with the collection."""
    return study.collection.qrels.earliest("pk")


def known_grades(qrels: Qrels) -> Grades:
    rows = qrels_frame(qrels).select("topic", "docno", "grade").iter_rows()
    return {(topic, docno): grade for topic, docno, grade in rows}


def answer(item: Item, number: int, known: Grades) -> Answer:
    assert item.document is not None
    name = f"{SEED}:{item.topic.number}:{item.document.docno}:{number}"
    chance, errs = random.Random(name), ERRS[number]  # noqa: S311  no secret
    milliseconds = round(1000 * SECONDS[number] * chance.lognormvariate(0, 0.5))
    key = uuid.uuid5(NAMESPACE, f"{item.pk}:{name}")
    if errs is None:
        return Answer(key=key, grade=chance.randrange(4), milliseconds=milliseconds)
    if chance.random() < CANNOT:
        return Answer(key=key, cannot_judge="unclear", milliseconds=milliseconds)
    seen = known[item.topic.number, item.document.docno] + chance.gauss(0, errs)
    return Answer(key=key, grade=min(max(round(seen), 0), 3), milliseconds=milliseconds)


def thank(study: Study) -> None:
    """Give a bonus to the one who errs least, and reply to a question."""
    careful, asking = study.workers.order_by("pk")[1:3]
    bonuses.give(study, [careful], amount=Decimal("2.00"), reason="the most careful reading", by=study.created_by)
    enquiry = enquiries.ask(worker=asking, text=QUESTION)
    enquiries.reply(enquiry, text=REPLY, by=study.created_by, published=True)
