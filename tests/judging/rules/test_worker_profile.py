"""One worker's page in numbers: signals beside the study's, and which grades they confuse."""

import html
import re
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Item
from judging.rules import worker_profile
from judging.rules.signals import signals
from judging.work import exclusions
from judging.work.answers import Answer, record_judgement
from judging.work.checks import designate, give

pytestmark = pytest.mark.django_db

GRADES = {"d1": [3, 3, 3], "d2": [0, 3, 2], "d3": [2, 2, 2], "d4": [0, 1, 0]}


def judge(worker, item, grade):
    return record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade, milliseconds=9000))


@pytest.fixture
def crowd(study, make_worker):
    from judging.studies.launch import launch

    study.overlap = 3
    study.save()
    launch(study, seed=1)
    workers = [make_worker(study) for _ in range(3)]
    for item in study.items.filter(document__docno__in=GRADES).select_related("document"):
        for worker, grade in zip(workers, GRADES[item.document.docno], strict=True):
            judge(worker, item, grade)
    return workers


def table(comparison):
    return {grade: [cell.count for cell in cells] for grade, cells, _ in comparison.rows}


def test_the_table_counts_their_grades_under_what_the_others_said(crowd):
    comparison = worker_profile.against_others(crowd[0])
    # d1: 3 under 3; d2: 0 under 3 and 2, which tie; d3: 2 under 2; d4: 0 under 1 and 0
    assert table(comparison) == {0: [0.5, 0, 0, 0], 1: [0.5, 0, 0, 0], 2: [0.5, 0, 1, 0], 3: [0.5, 0, 0, 1]}
    assert (comparison.items, comparison.same) == (4, 2.5 / 4)


def test_its_diagonal_is_the_agreement_that_the_signals_tell(crowd):
    shares = dict(signals(crowd[0].study).select("worker", "agreement").iter_rows())
    assert {worker.pk: worker_profile.against_others(worker).same for worker in crowd} == pytest.approx(shares)


def test_who_is_excluded_is_not_among_the_others(crowd):
    exclusions.exclude(crowd[1], reason="x")
    assert table(worker_profile.against_others(crowd[0]))[3] == [0, 0, 0, 1]
    assert worker_profile.against_others(crowd[1]).items == 4  # and can still be looked at
    exclusions.exclude(crowd[2], reason="x")
    assert worker_profile.against_others(crowd[0]) is None


def test_against_gold_counts_what_is_known_to_be_right(crowd, make_worker):
    study = crowd[0].study
    gold = study.items.exclude(document__docno__in=GRADES).first()
    made, vague = study.items.filter(document__docno__in=["d1", "d2"])
    designate([gold], Item.Role.GOLD, right=[2])
    designate([made], Item.Role.GOLD, right=[3])  # chosen by the votes on it
    designate([vague], Item.Role.GOLD, right=[2, 3])
    assert worker_profile.against_gold(crowd[0]) is None
    give(crowd[0], gold, position=0)
    judge(crowd[0], gold, 1)
    comparison = worker_profile.against_gold(crowd[0])
    assert table(comparison) == {2: [0, 1, 0, 0]}
    assert (comparison.items, comparison.same, comparison.is_gold) == (1, 0, True)


def test_the_page_shows_signals_beside_the_study_and_the_table(client, researcher, crowd):
    client.force_login(researcher)
    study = crowd[0].study
    shown = html.unescape(client.get(reverse("study_worker", args=[study.pk, crowd[0].pk])).content.decode())
    lines = {line.signal: line for line in worker_profile.beside_the_study(crowd[0])}
    assert (lines["agreement"].value, lines["agreement"].answers, lines["seconds"].value) == ("62 %", 4, "9.0 s")
    assert lines["gold"].value == lines["gold"].median == "–"
    assert "Agreement with the other workers" in shown
    assert "62 %" in shown
    assert "Against the others" in shown
    assert "Against gold" not in shown
    assert re.search(r'<td class="num heat h4">\s*<strong>1</strong>', shown)  # of 1.5 items that are 3
    assert reverse("study_workers", args=[study.pk]) in shown


def test_of_who_has_not_judged_nothing_is_told(crowd, make_worker):
    idle = make_worker(crowd[0].study)
    assert worker_profile.beside_the_study(idle) == []
    assert worker_profile.against_others(idle) is None
