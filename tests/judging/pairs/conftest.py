"""Three systems over twelve topics, compared side by side."""

import pytest

TOPICS = 12


def ranking(*docnos):
    return [(docno, 10.0 - place) for place, docno in enumerate(docnos)]


@pytest.fixture
def systems(collection, researcher):
    """`gamma` shows what `alpha` shows on the last two topics, and knows nothing of the first one."""
    import polars as pl

    from judging.collections.storage import store_run
    from judging.models import Topic

    for number in range(3, TOPICS + 1):
        Topic.objects.create(collection=collection, number=str(number), title=f"birds of month {number}")
    numbers = [str(number) for number in range(1, TOPICS + 1)]
    shown = {
        "alpha": {number: ranking("d1", "d2", "d4") for number in numbers},
        "beta": {number: ranking("d2", "d6", "d1") if int(number) % 2 else ranking("d5", "d3") for number in numbers},
        "gamma": {number: ranking("d6", "d5") for number in numbers[1:-2]}
        | {number: ranking("d1", "d2", "d4") for number in numbers[-2:]},
    }
    runs = []
    for name, lists in shown.items():
        rows = [(topic, docno, score) for topic, hits in lists.items() for docno, score in hits]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        runs.append(store_run(frame, collection=collection, name=name, by=researcher))
    return runs


@pytest.fixture
def draft(collection, systems, researcher):
    return new_draft(collection, systems, researcher, name="Which birds")


def new_draft(collection, systems, researcher, *, name):
    from judging.models import Comparison, Study

    study = Study.objects.create(
        collection=collection, name=name, kind=Study.Kind.SIDE_BY_SIDE, instructions="Compare **birds**.", depth=3,
        overlap=4, created_by=researcher,
    )  # fmt: skip
    study.runs.set(systems)
    study.members.add(researcher)
    Comparison.objects.create(study=study, mirrored=0.2)
    return study


@pytest.fixture
def comparing(draft):
    from judging.studies.launch import launch

    launch(draft, seed=1)
    return draft


@pytest.fixture
def prefer():
    """Answers a slot: the step is how much better the right list is."""
    from uuid import uuid4

    from judging.work.answers import Answer, record_judgement
    from judging.work.pair_answers import PairAnswer, as_seen

    def answer(worker, slot, step=1, *, ahead=1, key=None, swapped=None, **beside):
        swapped = slot.swapped if swapped is None else swapped
        pair = PairAnswer(swapped=swapped, **beside)
        grade = None if step is None else as_seen(step, swapped=swapped)
        reason = "unclear" if step is None else ""
        reply = Answer(key=key or uuid4(), grade=grade, cannot_judge=reason, milliseconds=9000, pair=pair)
        return record_judgement(worker=worker, item=slot.item, answer=reply, ahead=ahead)

    return answer


@pytest.fixture
def link(comparing, researcher):
    from judging.recruiting import invites

    return invites.invite(comparing, by=researcher)


@pytest.fixture
def judging(joined, link):
    """The address at which the worker in the browser judges."""
    from django.urls import reverse

    return reverse("judge", args=[link.study_id])


@pytest.fixture
def qrels(collection, systems, researcher):
    """Two of the three first results of `alpha` are relevant on each topic, and of `beta` on every other one."""
    import polars as pl

    from judging.collections.storage import store_qrels
    from tests.judging.pairs.known import GRADES

    grades = [(str(number), docno, grade) for number in range(1, TOPICS + 1) for docno, grade in GRADES.items()]
    frame = pl.DataFrame(grades, schema=["topic", "docno", "grade"], orient="row")
    return store_qrels(frame, collection=collection, name="official", by=researcher)


@pytest.fixture
def practised(draft, qrels):
    """A launched study with two pairs in training."""
    from judging.labels import known_pairs
    from judging.models import Item
    from tests.judging.pairs.known import launched

    known_pairs.take_from_qrels(draft, qrels, role=Item.Role.TRAINING, count=2, seed=1)
    return launched(draft)
