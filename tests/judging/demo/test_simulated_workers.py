"""The demo's simulated workers: marked, the same each time, and one of them caught by the rule that exists for it."""

import pytest
from django.core.management import call_command

from ireval import evaluate
from judging.audit import Deed
from judging.collections.storage import qrels_frame, run_frame
from judging.demo import graders, simulation, voters
from judging.models import AuditEntry, Collection, Enquiry, Exclusion, Judgement, Study, Worker
from judging.pay.earnings import earnings
from tests import sharing

db = sharing.db
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tips")]


@sharing.once
def tips(db):
    call_command("load_demo")
    collection = Collection.objects.get(name="Demo: household tips")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("judging.demo.visitors.VISITORS", 0)
        simulation.run(collection)
    return collection


@pytest.fixture
def graded(tips):
    return tips.studies.get(name=graders.NAME)


@pytest.fixture
def compared(tips):
    return tips.studies.get(name=voters.NAME)


def test_both_studies_are_finished_and_all_workers_are_marked(graded, compared):
    for study in (graded, compared):
        assert study.state == Study.State.CLOSED
        assert "simulated" in study.name
        assert not study.slots.filter(number__isnull=False, judged_at__isnull=True).exists()
    assert set(Worker.objects.values_list("simulated")) == {(True,)}


def test_the_one_who_presses_keys_is_excluded_by_the_rule_on_gold(graded):
    exclusion = Exclusion.objects.get()
    assert exclusion.worker == graded.workers.earliest("pk")
    assert exclusion.rule.signal == "gold"
    assert exclusion.by is None
    assert "gold items right" in exclusion.reason


def test_the_others_judge_every_item_so_that_the_grades_are_the_same_each_time(graded):
    work = graded.items.filter(role="work")
    for worker in graded.workers.filter(standing="good"):
        assert worker.judgements.filter(item__in=work).count() == work.count()


def test_again_changes_nothing(tips):
    before = Judgement.objects.count(), Enquiry.objects.count(), tips.qrels.count(), AuditEntry.objects.count()
    graders.grade(tips.studies.get(name=graders.NAME))
    voters.vote(tips.studies.get(name=voters.NAME))
    assert (Judgement.objects.count(), Enquiry.objects.count(), tips.qrels.count(), AuditEntry.objects.count()) == before


def test_they_are_paid_and_one_has_a_bonus(graded):
    earned = earnings(graded)
    assert earned.bonuses == 2
    assert 40 < earned.total < 80
    assert AuditEntry.objects.filter(deed=Deed.PAID).count() == 1


def test_their_grades_order_the_systems_as_the_authors_do(tips, graded):
    author, workers = tips.qrels.earliest("pk"), graded.qrels.get()
    assert workers.simulated_judgements > 500
    for qrels in (author, workers):
        frame = qrels_frame(qrels).select("topic", "docno", "grade")
        means = {
            run.name: evaluate(run_frame(run).select("topic", "docno", "score"), frame, ["nDCG@10"]).means()["nDCG@10"]
            for run in tips.runs.all()
        }
        assert means["bm25-4grams"] > means["bm25-words"] + 0.05 > means["bm25-title"] + 0.1, qrels
