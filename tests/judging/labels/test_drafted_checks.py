"""Checks that a draft has: from kept grades, or from the researcher's own, who then judges a part of the pool alone."""

import itertools
from datetime import timedelta
from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse

from judging.collections.storage import qrels_frame, store_qrels
from judging.labels import exports, gold_choice, results, settlement
from judging.models import Document, Item, Slot, Study, Topic
from judging.studies import launch
from judging.studies.pool_plan import plan
from judging.work import assignment, checks
from judging.work.answers import Answer, record_judgement
from judging.work.progress import total

pytestmark = pytest.mark.django_db
Role = Item.Role
# The pool of the draft has d1 d2 d6 for topic 1 and d3 d4 d5 for topic 2.
GRADES = {("1", "d4"): 3, ("1", "d2"): 1, ("1", "d3"): 2, ("1", "d5"): 0, ("2", "d1"): 0, ("9", "d1"): 1}


@pytest.fixture
def qrels(study, researcher):
    rows = [(topic, docno, grade) for (topic, docno), grade in GRADES.items()]
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    return store_qrels(frame, collection=study.collection, name="experts", by=researcher)


def grade(study, topic, docno, right, role=Role.GOLD):
    """What the researcher says of a document."""
    topic, document = Topic.objects.get(number=topic), Document.objects.get(docno=docno)
    return gold_choice.add(study, topic=topic, document=document, role=role, right=right)


def fresh(study):
    return Study.objects.get(pk=study.pk)


def pairs(study, role):
    rows = study.items.filter(role=role).values_list("topic__number", "document__docno")
    return sorted(map(" ".join, rows))


def judge_all(worker, grade):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade), ahead=1)


def test_kept_grades_become_checks_of_a_draft_and_its_pool_stays_work(study, qrels):
    assert gold_choice.take_from_qrels(study, qrels, role=Role.GOLD, count=9, grade=0, seed=1) == 2
    assert gold_choice.take_from_qrels(study, qrels, role=Role.TEST, count=9, seed=1) == 2
    assert pairs(study, Role.GOLD) == ["1 d5", "2 d1"]
    assert pairs(study, Role.TEST) == ["1 d3", "1 d4"]
    with pytest.raises(gold_choice.NothingToChoose, match="than its pool has"):
        gold_choice.take_from_qrels(study, qrels, role=Role.GOLD, count=1)
    assert len(plan(fresh(study)).items) == 6
    launch.launch(study, seed=1)
    assert (study.items.filter(role=Role.WORK).count(), Slot.objects.filter(study=study).count()) == (6, 12)
    noted = fresh(study).pool_counts
    checks.count_checks(study)
    assert fresh(study).pool_counts == noted
    assert (noted["gold"], noted["test"], noted["mixed"]) == (2, 2, [[3, 1, 2]])


def test_a_document_that_the_researcher_grades_is_no_work_and_has_this_grade(study, make_worker):
    grade(study, "1", "d1", [3])
    grade(study, "2", "d3", [0], Role.TRAINING)
    planned = plan(fresh(study))
    assert (len(planned.items), planned.judgements, len(planned.known)) == (4, 8, 2)
    launch.launch(study, seed=1)
    study.refresh_from_db()
    assert Slot.objects.filter(study=study).count() == 8
    assert (study.pool_counts["items"], study.pool_counts["known"], study.gold_every) == (4, 2, 10)
    for given in (1, 1):
        judge_all(make_worker(study), given)
    assert {label.grade for label in results.labels(study)} == {1}
    assert sorted((label.topic, label.docno, label.grade) for label in results.known_labels(study)) == [
        ("1", "d1", 3), ("2", "d3", 0),
    ]  # fmt: skip
    kept = settlement.settle_as_qrels(study, by=study.created_by)
    frame = qrels_frame(kept)
    assert (kept.rows, kept.recipe["judgements"], kept.recipe["grades known before"]) == (6, 8, 2)
    assert dict(frame.filter(pl.col("grade") != 1).select("docno", "grade").iter_rows()) == {"d1": 3, "d3": 0}
    assert kept.grades.filter(docno="d1").values_list("votes", "confidence").get() == (None, None)
    assert "2 grades were known before" in kept.description
    assert settlement.settle_as_qrels(study, by=study.created_by) == kept, "the same grades are kept once"
    assert b"1 0 d1 3\n" in exports.export(study, "qrels", "trec").getvalue()


def test_a_finished_study_leads_to_its_grades_and_on_to_a_report(rita, study, make_worker):
    grade(study, "1", "d1", [3])
    launch.launch(study, seed=1)
    study.refresh_from_db()
    for _ in range(2):
        judge_all(make_worker(study), 1)
    assert "Settle the grades</a>, then make a report" in rita.get(reverse("study", args=[study.pk])).content.decode()
    page = rita.post(reverse("study_settle", args=[study.pk]), follow=True).content.decode()
    assert "of 6, 1 of them known before the launch" in page
    assert "Make a report" in page
    kept = study.qrels.get()
    page = rita.get(reverse("study", args=[study.pk])).content.decode()
    assert "Settle the grades" not in page
    assert f'href="{reverse("report_new")}?collection={study.collection_id}&amp;qrels={kept.pk}">make a report' in page
    study.qrels.update(created=kept.created - timedelta(days=1))  # somebody has judged since
    assert "Settle the grades</a>, then make a report" in rita.get(reverse("study", args=[study.pk])).content.decode()


def test_what_is_withdrawn_after_the_launch_is_work_again(study, make_worker):
    known = [grade(study, "1", docno, [1]) for docno in ("d1", "d2", "d6")]
    launch.launch(study, seed=1)
    assert study.pool_counts["topics"] == 1
    for check in known:
        check.refresh_from_db()
        gold_choice.withdraw(check)
    study.refresh_from_db()
    assert (study.pool_counts["items"], study.pool_counts["topics"], study.pool_counts["known"]) == (6, 2, 0)
    assert (Slot.objects.filter(study=study).count(), total(study)) == (12, 6)
    worker = make_worker(study)
    judge_all(worker, 1)
    topics = [judgement.item.topic_id for judgement in worker.judgements.order_by("id")]
    assert len(topics) == 6
    assert sum(a != b for a, b in itertools.pairwise(topics)) == 1, "topics stay together"


def test_what_is_withdrawn_from_a_draft_is_as_if_it_had_not_been(study):
    gold_choice.withdraw(grade(study, "1", "d1", [1]))
    assert not study.items.exists()
    assert len(plan(study).items) == 6


def test_the_pool_takes_back_what_has_no_single_grade(study):
    Study.objects.filter(pk=study.pk).update(depth=1)  # then d1, d2 for topic 1 and d3, d4 for topic 2
    study.refresh_from_db()
    grade(study, "1", "d6", [1, 2])
    grade(study, "2", "d5", [0])
    assert plan(study).overtaken == []
    Study.objects.filter(pk=study.pk).update(depth=2)
    planned = plan(fresh(study))
    assert [check.document.docno for check in planned.overtaken] == ["d6"]
    assert [check.document.docno for check in planned.known] == ["d5"]
    launch.launch(study, seed=1)
    assert (pairs(study, Role.GOLD), study.items.filter(role=Role.WORK).count()) == (["2 d5"], 5)
    assert study.items.get(document__docno="d5").position < checks.FIRST_POSITION


def test_attention_checks_of_a_draft_show_what_is_pooled_for_other_topics(study):
    assert gold_choice.attention(study, count=4, seed=1) == 4
    of_others = {"1": {"d3", "d4", "d5"}, "2": {"d1", "d2", "d6"}}
    for item in study.items.select_related("topic", "document"):
        assert item.document.docno in of_others[item.topic.number]


def test_a_right_grade_is_on_the_scale(study):
    grade(study, "1", "d1", [3])
    two_grades = [{"grade": 0, "label": "No", "help": ""}, {"grade": 1, "label": "Yes", "help": ""}]
    Study.objects.filter(pk=study.pk).update(scale=two_grades)
    with pytest.raises(launch.CannotLaunch, match="right grade of a check: d1 for topic 1"):
        launch.launch(study)


def test_nothing_is_left_where_all_is_known(study):
    for topic, docnos in {"1": ("d1", "d2", "d6"), "2": ("d3", "d4", "d5")}.items():
        for docno in docnos:
            grade(study, topic, docno, [1])
    with pytest.raises(launch.CannotLaunch, match="nothing is left to judge"):
        launch.launch(study)


def test_the_budget_counts_what_is_left_to_judge(study):
    grade(study, "1", "d1", [3], Role.TEST)
    Study.objects.filter(pk=study.pk).update(judgement_budget=10)
    planned = plan(fresh(study))
    assert (planned.depth, len(planned.items)) == (2, 5)  # with d1 it would be 6 documents, and 12 judgements


def test_a_draft_goes_with_its_checks(rita, study):
    grade(study, "1", "d1", [3])
    rita.post(reverse("study_delete", args=[study.pk]))
    assert not Item.objects.exists()


# On the pages


def test_one_document_after_the_other_is_judged(rita, study):
    address = reverse("check_own", args=[study.pk])
    topics = []
    for given in ("3", "0"):
        page = rita.get(address).content.decode()
        pair = page.split('name="pair" value="')[1].split('"')[0]
        topics.append(pair.split()[0])
        sent = {"pair": pair, "grade": given, "role": "gold", "explanation": ""}
        assert "Kept: d" in rita.post(address, sent, follow=True).content.decode()
    assert topics[0] != topics[1], "the topic that has none comes first"
    assert sorted(item.right for item in study.items.all()) == [[0], [3]]
    draft = rita.get(reverse("study", args=[study.pk])).content.decode()
    assert "2 pooled documents have grades of yours and are no work" in draft
    assert "Whoever judges 4 documents meets about" in draft


def test_a_document_can_be_passed_over(rita, study):
    address = reverse("check_own", args=[study.pk])
    shown = {rita.get(address, {"skipped": number}).content.decode().split('name="pair"')[1][:20] for number in range(6)}
    assert len(shown) == 6
    assert "no other document" in rita.get(address, {"skipped": 6}, follow=True).content.decode()


@pytest.mark.parametrize("change", [{"grade": "9"}, {"grade": ""}, {"role": "work"}, {"explanation": "x" * 5001}])
def test_a_grade_that_makes_no_sense_is_said(rita, study, change):
    address = reverse("check_own", args=[study.pk])
    pair = "{} {}".format(*plan(study).items[0])
    answer = rita.post(address, {"pair": pair, "grade": "1", "role": "gold"} | change)
    assert (answer.status_code, b"has-error" in answer.content) == (422, True)
    assert not study.items.exists()


def test_nobody_grades_what_is_not_in_the_pool_or_is_launched(rita, study):
    address = reverse("check_own", args=[study.pk])
    rita.post(address, {"pair": "1 999", "grade": "1", "role": "gold"})
    assert not study.items.exists()
    pair = "{} {}".format(*plan(study).items[0])
    launch.launch(study, seed=1)
    page = rita.post(address, {"pair": pair, "grade": "1", "role": "gold"}, follow=True).content.decode()
    assert "The study is launched" in page
    assert not study.items.exclude(role=Role.WORK).exists()


def test_from_kept_grades_on_the_page(rita, study, qrels):
    page = rita.get(reverse("study_checks", args=[study.pk])).content.decode()
    assert "Judge documents of the pool" in page
    assert "Promote" not in page
    sent = {"qrels": qrels.pk, "role": "gold", "count": 9, "grade": 2, "leeway": 0}
    assert "1 more check." in rita.post(reverse("checks_take", args=[study.pk]), sent, follow=True).content.decode()
    assert pairs(study, Role.GOLD) == ["1 d3"]
