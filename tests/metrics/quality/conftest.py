"""A small crowd over the birds, and its report computed step by step as Celery workers would."""

from uuid import uuid4

import pytest

GRADES = {
    "d1": [3, 3, 3], "d2": [0, 3, 2], "d6": [0, 0, 1], "d3": [2, 2, 2], "d4": [0, 1, 0], "d5": [1, 0, 3],
}  # fmt: skip


@pytest.fixture
def crowd(study, make_worker):
    """The birds judged by three workers, each item by all of them."""
    from judging.studies.launch import launch

    study.overlap = 3
    study.save()
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


@pytest.fixture
def compute():
    """Carry out all steps of a study's report, in one process and in order."""
    from metrics import tasks

    def compute(report):
        tasks.begin_report(report.pk)
        for step in report.parts.values_list("name", flat=True):
            tasks.compute_part(report.pk, step)
        report.refresh_from_db()
        return report

    return compute


@pytest.fixture
def report(crowd, compute):
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.studies import request_study_report

    return compute(request_study_report(QUALITY, crowd))
