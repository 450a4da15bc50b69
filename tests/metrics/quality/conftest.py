"""A small crowd over the birds, made once for the tests of a module; `study` is another one, of which each test has its own."""

from uuid import uuid4

from tests import conftest, sharing
from tests.metrics import conftest as reports

GRADES = {
    "d1": [3, 3, 3], "d2": [0, 3, 2], "d6": [0, 0, 1], "d3": [2, 2, 2], "d4": [0, 1, 0], "d5": [1, 0, 3],
}  # fmt: skip

db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
make_worker, compute = map(sharing.once, (conftest.make_worker, reports.compute))


@sharing.once
def crowd(collection, runs, researcher, make_worker):
    return judged_by_three(conftest.new_study(collection, runs, researcher, name="Bird study, judged", overlap=3), make_worker)


def judged_by_three(study, make_worker):
    """Launch it, and have three workers judge every item."""
    from judging.studies.launch import launch

    launch(study, seed=1)
    workers = [make_worker(study) for _ in range(3)]
    for item in study.items.select_related("document"):
        for worker, grade in zip(workers, GRADES[item.document.docno], strict=True):
            answer(worker, item, grade)
    return study


def answer(worker, item, grade, **more):
    from judging.work.answers import Answer, record_judgement

    more.setdefault("milliseconds", 8000)
    return record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, **more))


@sharing.on_request
def report(crowd, compute):
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.studies import request_study_report

    return compute(request_study_report(QUALITY, crowd))
