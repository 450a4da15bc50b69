"""Reports over the birds of the outer conftest: asked for, and computed step by step as Celery workers would."""

import polars as pl
import pytest

GRADES = {"1": {"d1": 2, "d2": 1, "d4": 0}, "2": {"d3": 2, "d5": 0, "d6": -1, "d2": 1}}


@pytest.fixture
def qrels(collection, researcher):
    """Grades of both topics; for the second, one relevant document that no run found."""
    from judging.collections.storage import store_qrels

    rows = [(topic, docno, grade) for topic, grades in GRADES.items() for docno, grade in grades.items()]
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    return store_qrels(frame, collection=collection, name="ornithologists", by=researcher, source_name="birds.qrels")


@pytest.fixture
def ask(collection, runs, qrels, researcher):
    """Ask a question about the birds; what is not named is as usual."""
    from metrics.kinds.runs.question import request_report

    def ask(**question):
        defaults = {"collection": collection, "runs": runs, "qrels": [qrels], "by": researcher}
        return request_report(**defaults | question)

    return ask


@pytest.fixture
def rita(client, researcher):
    """The researcher's browser."""
    client.force_login(researcher)
    return client


@pytest.fixture
def compute():
    """Carry out all steps of a report, in one process and in order."""
    from metrics import tasks

    def compute(report):
        tasks.begin_report(report.pk)
        for run in report.spec["runs"]:
            tasks.compute_part(report.pk, str(run["id"]))
        report.refresh_from_db()
        return report

    return compute


@pytest.fixture
def report(ask, compute):
    return compute(ask())


@pytest.fixture
def settled(running, make_worker, researcher):
    """Qrels frozen from a study of the researcher's: only its members may see them."""
    from uuid import uuid4

    from judging.labels.settlement import settle_as_qrels
    from judging.work.answers import Answer, record_judgement

    item = running.items.get(topic__number="1", document__docno="d1")
    record_judgement(worker=make_worker(running, simulated=True), item=item, answer=Answer(key=uuid4(), grade=3))
    return settle_as_qrels(running, by=researcher)


@pytest.fixture
def many(collection, researcher, compute):
    """A report of four systems, from good to bad, on thirty topics."""
    import numpy as np

    from judging.collections.storage import store_qrels, store_run
    from metrics.kinds.runs.question import request_report

    rng = np.random.default_rng(7)
    topics, documents = [str(number) for number in range(1, 31)], [f"d{number}" for number in range(20)]
    grades = {topic: rng.integers(0, 3, len(documents)) for topic in topics}
    rows = [(topic, docno, int(grade)) for topic in topics for docno, grade in zip(documents, grades[topic], strict=True)]
    judged = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    graded = store_qrels(judged, collection=collection, name="noisy", by=researcher, source_name="noisy.qrels")
    runs = []
    for name, noise in {"good": 0.5, "fair": 0.7, "poor": 3.0, "bad": 9.0}.items():
        scores = [(topic, docno, grade + rng.normal(0, noise)) for topic, docno, grade in rows]
        frame = pl.DataFrame(scores, schema=["topic", "docno", "score"], orient="row")
        runs.append(store_run(frame, collection=collection, name=name, by=researcher, source_name=f"{name}.txt"))
    question = {"collection": collection, "runs": runs, "qrels": [graded], "measures": "nDCG@10 AP", "by": researcher}
    return compute(request_report(**question))
