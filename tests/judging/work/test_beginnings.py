"""Where newcomers begin: in topics that others left, so that many who judge a little each finish topics, too.

`python -m benchmarks.beginnings` shows the same at length, and what it costs.
"""

from collections import Counter
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from benchmarks.short_visits import anywhere, finished, judge, launched
from judging.models import Slot, Study, Worker
from judging.models.slot import SPAN
from judging.recruiting.invites import join
from judging.work import assignment, exclusions
from judging.work.beginnings import left_topic
from tests.judging.work.test_assignment import steps

pytestmark = pytest.mark.django_db


@pytest.fixture
def birds(researcher):
    """Eight topics of three documents each, one worker per item."""
    return launched(researcher, topics=8, documents=3)


def somebody_in(study, topic):
    return Worker.objects.create(study=study, start=topic * SPAN)


def leave(study, topic, judged=1):
    """Somebody judges so many documents of a topic and goes."""
    worker = judge(somebody_in(study, topic), judged)
    assignment.give_back(worker)
    return worker


def test_a_newcomer_finishes_what_another_left(birds):
    leave(birds, 5)
    newcomer = join(birds)
    assert newcomer.start == 5 * SPAN
    judge(newcomer, 2)
    assert not Slot.objects.filter(position__gte=5 * SPAN, position__lt=6 * SPAN, judged_at=None).exists()


def test_nobody_is_sent_where_somebody_works(birds):
    judge(somebody_in(birds, 5))
    assert left_topic(birds) is None


def test_who_vanished_has_left_once_the_lease_ran_out(birds):
    judge(somebody_in(birds, 5))
    with time_machine.travel(timezone.now() + timedelta(minutes=birds.lease_minutes + 1)):
        assert left_topic(birds) == 5


def test_topics_that_are_finished_or_not_begun_were_not_left(birds):
    leave(birds, 5, judged=3)
    assert left_topic(birds) is None


def test_who_come_at_once_are_not_all_sent_into_the_last_slot(birds):
    leave(birds, 5, judged=2)
    starts = [join(birds).start // SPAN for _ in range(2)]
    assert starts[0] == 5
    assert left_topic(birds) is None, "somebody is on their way"
    with time_machine.travel(timezone.now() + timedelta(minutes=birds.lease_minutes + 1)):
        assert left_topic(birds) == 5, "they never came"


def test_chance_decides_among_the_topics_that_were_left(birds):
    for topic in (1, 3, 6):
        leave(birds, topic)
    assert set(Counter(left_topic(birds) for _ in range(60))) == {1, 3, 6}


def test_slots_that_votes_brought_about_draw_nobody(birds):
    """Whom grades led to exclude, or where they disagree, must not decide where newcomers begin."""
    exclusions.exclude(leave(birds, 5, judged=3), reason="in doubt")
    assert Slot.objects.filter(study=birds, number=2, judged_at=None).count() == 3
    assert left_topic(birds) is None


def test_with_more_workers_an_item_a_topic_is_left_until_all_have_judged(researcher):
    study = launched(researcher, topics=8, documents=3, overlap=2)
    leave(study, 5, judged=3)
    assert join(study).start == 5 * SPAN
    leave(study, 5, judged=3)
    assert left_topic(study) is None
    assert Slot.objects.filter(study=study, judged_at=None).count() == 7 * 3 * 2


def test_programs_and_comparisons_of_lists_begin_anywhere(birds):
    leave(birds, 5)
    assert len({join(birds, machine="a 1").start for _ in range(40)}) > 1
    birds.kind = Study.Kind.SIDE_BY_SIDE
    assert len({join(birds).start for _ in range(40)}) > 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts its steps")
def test_it_costs_no_more_among_topics_that_are_all_judged_or_not_begun(researcher):
    study = launched(researcher, topics=200, documents=20)
    leave(study, 5)
    before = steps(lambda: left_topic(study))
    worker = Worker.objects.create(study=study)
    judged = Slot.objects.filter(study=study, position__gte=10 * SPAN, position__lt=190 * SPAN)
    judged.update(worker=worker, leased_until=timezone.now(), judged_at=timezone.now())
    assert left_topic(study) == 5
    assert steps(lambda: left_topic(study)) <= before + 4


@pytest.mark.parametrize(("let_in", "least", "most"), [(anywhere, 0, 2), (join, 4, 8)])
def test_many_who_judge_a_little_each_finish_topics(researcher, let_in, least, most):
    """A third of 24 topics of 20 documents: eight topics if nobody were at work, none or one where everybody begins anywhere."""
    study = launched(researcher, topics=24, documents=20)
    assert least <= finished(study, let_in, judgements=8 * 20) <= most
