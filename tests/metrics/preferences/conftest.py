"""Three systems over twelve topics, judged by workers whose preferences are known, and the report computed step by step.

What they judged is made once for the tests of a module; `comparing` is another study, of which each test has its own.
"""

import pytest

from tests import conftest, sharing
from tests.judging.pairs import conftest as pairs
from tests.judging.pairs.conftest import comparing, draft  # noqa: F401
from tests.metrics.quality.conftest import compute  # noqa: F401

db = sharing.db
researcher, collection, make_worker = map(sharing.once, (conftest.researcher, conftest.collection, conftest.make_worker))
systems, prefer = map(sharing.once, (pairs.systems, pairs.prefer))

# beta is better on odd topics, where it finds more; gamma is the worst everywhere.
STRENGTH = {"alpha": 2, "beta": 3, "gamma": 1}


def better(topic: str, left: str, right: str, strength=STRENGTH) -> int:
    """The step that a worker answers who sees these two."""
    if {left, right} == {"alpha", "beta"} and int(topic) % 6 == 0:
        return 0
    return 1 if strength[right] > strength[left] else -1


@sharing.once
def judge_everything(prefer):
    """Have a worker answer all there is: `says` gets a topic and what is on the left and right; more is said by `beside`."""
    from judging.work.assignment import next_slots

    def judge(worker, says=better, beside=lambda topic, step: {}):
        while slots := next_slots(worker):
            slot = slots[0]
            lists = [slot.item.first.run.name, slot.item.second.run.name]
            topic = slot.item.topic.number
            step = says(topic, *(lists[::-1] if slot.swapped else lists))
            prefer(worker, slot, step, **beside(topic, step))
        return worker

    return judge


@sharing.once
def judged(collection, systems, researcher, make_worker, judge_everything):
    """Four workers: two say what is better, one now and then the contrary, one favours the left side."""
    from judging.studies.launch import launch

    study = pairs.new_draft(collection, systems, researcher, name="Which birds, judged")
    launch(study, seed=1)

    def contrary(topic, left, right):
        return -better(topic, left, right) if int(topic) % 4 == 0 else better(topic, left, right)

    judge_everything(make_worker(study))
    judge_everything(make_worker(study), beside=reasoned)
    judge_everything(make_worker(study), contrary)
    judge_everything(make_worker(study), lambda topic, left, right: -1 if int(topic) % 2 else better(topic, left, right))
    return study


def reasoned(topic, step):
    """Opens two results of the first list for nine seconds in all, and ticks a reason."""
    done = [[1000, "open", 0, 0], [5000, "close", 0, 0], [6000, "scroll", 1, 2], [7000, "open", 0, 1], [12000, "close", 0, 1]]
    return {"reasons": ["More complete"] if step else [], "interactions": done}


@pytest.fixture
def report(judged, compute):  # noqa: F811
    from metrics.kinds.preferences.parts import PREFERENCES
    from metrics.kinds.studies import request_study_report

    return compute(request_study_report(PREFERENCES, judged))
