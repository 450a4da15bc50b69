"""Two systems of the bird collection, and evidence of every kind on them."""

import numpy as np
import polars as pl
import pytest

from tests.metrics.quality.conftest import compute  # noqa: F401

TOPICS, DOCUMENTS = 24, 12


@pytest.fixture
def birds(collection, researcher):
    """Many topics, and two runs of which dense ranks relevant documents higher."""
    from judging.collections.storage import store_qrels, store_run
    from judging.models import Document, Topic

    rng = np.random.default_rng(1)
    numbers = [str(number) for number in range(100, 100 + TOPICS)]
    Topic.objects.bulk_create(Topic(collection=collection, number=number, title=f"bird {number}") for number in numbers)
    docnos = [f"b{number}" for number in range(DOCUMENTS)]
    Document.objects.bulk_create(Document(collection=collection, docno=docno, text=f"about {docno}") for docno in docnos)
    grades = {topic: rng.integers(0, 3, DOCUMENTS) for topic in numbers}
    qrels = [(topic, docno, int(grade)) for topic in numbers for docno, grade in zip(docnos, grades[topic], strict=True)]
    store_qrels(frame(qrels, ["topic", "docno", "grade"]), collection=collection, name="experts", by=researcher)

    def run(name, sharp):
        rows = [
            (topic, docno, float(score))
            for topic in numbers
            for docno, score in zip(docnos, sharp * grades[topic] + rng.normal(0, 1, DOCUMENTS), strict=True)
        ]
        return store_run(frame(rows, ["topic", "docno", "score"]), collection=collection, name=name, by=researcher)

    return {"lexical-1": run("lexical-1", 0.0), "dense-v2": run("dense-v2", 2.0)}


def frame(rows, names):
    return pl.DataFrame(rows, schema=names, orient="row")


@pytest.fixture
def systems(collection, birds, researcher):
    """lexical and dense, confirmed as they are proposed."""
    from judging.collections.systems import confirm, proposals
    from judging.models import System

    confirm(collection, [(row.thing, row.system, row.version) for row in proposals(collection)], by=researcher)
    return {system.name: system for system in System.objects.all()}


@pytest.fixture
def hypothesis(systems, researcher):
    from judging.collections.hypotheses import ask
    from judging.models.hypothesis import USUAL

    return ask(systems["lexical"], systems["dense"], by=researcher, expectations=USUAL, why="It reads meaning.")


@pytest.fixture
def voted(collection, birds, researcher, make_worker):
    """A side-by-side study in which workers prefer dense."""
    return votes_on(collection, birds, researcher, make_worker, chance=0.85)


def votes_on(collection, birds, researcher, make_worker, *, chance):
    """A side-by-side study of four workers, each of whom prefers dense with that chance."""
    from uuid import uuid4

    from judging.models import Comparison, Study
    from judging.studies.launch import launch
    from judging.work.answers import Answer, record_judgement
    from judging.work.assignment import next_slots
    from judging.work.pair_answers import PairAnswer

    study = Study.objects.create(
        collection=collection, name="Sides", kind="side_by_side", overlap=4, depth=3, created_by=researcher, instructions="x"
    )
    Comparison.objects.create(study=study, mirrored=0)
    study.runs.set(birds.values())
    study.members.add(researcher)
    launch(study, seed=1)
    rng = np.random.default_rng(2)
    for _ in range(4):
        worker = make_worker(study)
        while slots := next_slots(worker):
            item = slots[0].item
            dense_first = item.first.run_id == birds["dense-v2"].pk
            grade = 1 if (rng.random() < chance) == dense_first else -1
            record_judgement(
                worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, pair=PairAnswer(swapped=slots[0].swapped))
            )
    return study


@pytest.fixture
def computed(compute):  # noqa: F811
    def verdict(hypothesis):
        from metrics.kinds.verdict.parts import request_verdict

        return compute(request_verdict(hypothesis))

    return verdict
