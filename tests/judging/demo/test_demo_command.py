"""manage.py load_demo: everything for five minutes of judging and searching, and nothing that pretends to be people's work."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.access import collections_for, qrels_for
from judging.collections.storage import qrels_frame, run_frame
from judging.demo import SEED
from judging.models import Arm, Collection, Hypothesis, Invite, Judgement, Outbox, Qrels, Query, Slot, Study, User, Worker
from judging.recruiting.invites import find_invite, invite, token_of
from tests import sharing
from tests.judging.stored import everything_stored

db = sharing.db
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tips")]


@sharing.once
def tips(db):
    call_command("load_demo")
    return Collection.objects.get(name="Demo: household tips")


@pytest.fixture
def weaknesses():
    return Collection.objects.get(name__startswith="Demo: software weaknesses")


def open_study():
    return Study.objects.get(invites__isnull=False)


def test_the_collections(tips, weaknesses):
    for collection, documents, topics, runs in ((tips, 164, 20, 3), (weaknesses, 938, 50, 4)):
        assert collection.documents.count() == documents
        assert collection.topics.count() == topics
        assert collection.runs.count() == runs
        assert collection.shared
        for run in collection.runs.all():
            assert run.unknown_documents == 0
            assert set(run_frame(run)["topic"]) <= set(collection.topics.values_list("number", flat=True))
    assert "MITRE" in weaknesses.notice
    assert "licence of ireval" in tips.notice


def test_pages_say_that_people_are_simulated_and_from_which_seed(client, admin, tips):
    client.force_login(admin)
    experiments = [reverse("experiment", args=[experiment.pk]) for experiment in tips.sites.get().experiments.all()]
    assert len(experiments) == 2
    for address in (reverse("collection", args=[tips.pk]), *experiments):
        assert re.search(rf"simulated,? from seed {SEED}\b", client.get(address).content.decode()), address


def test_the_mappings_are_marked_for_what_they_are(weaknesses):
    qrels = weaknesses.qrels.get()
    assert qrels.sparse
    assert qrels.binary
    assert "MITRE" in qrels.name
    assert qrels.study is None
    known = set(weaknesses.documents.values_list("docno", flat=True))
    assert set(qrels_frame(qrels)["docno"]) <= known


def test_the_author_graded_every_page_for_every_query(tips):
    qrels = tips.qrels.get()
    assert not qrels.sparse
    assert qrels_frame(qrels).height == 164 * 20


def test_a_study_is_ready_and_nobody_has_judged():
    study = open_study()
    assert study.state == Study.State.RUNNING
    assert study.open_call
    assert 30 <= Slot.objects.filter(study=study).count() <= 100
    assert not Judgement.objects.exists()
    assert not Worker.objects.exists()
    assert find_invite(token_of(Invite.objects.get())) is not None


def test_simulated_people_come_later(tips):
    assert Outbox.objects.get(task="judging.tasks.simulate_demo").arguments == {"collection": tips.pk}
    assert not Query.objects.exists()


def test_it_asks_which_of_two_systems_is_better():
    question = Hypothesis.objects.get()
    assert (question.a.name, question.b.name) == ("bm25-words", "bm25-4grams")
    assert question.created > Qrels.objects.latest("created").created  # the demo does not claim to have asked before
    systems = set(Arm.objects.values_list("name", "version__system__name"))
    assert systems == {("words", "bm25-words"), ("four-letters", "bm25-4grams")}


def test_the_demo_user_has_no_password_and_no_power():
    user = User.objects.get()
    assert user.may_research
    assert not user.is_admin
    assert not user.has_usable_password()


def test_other_researchers_see_it_and_cannot_change_it(tips, client, stranger):
    assert tips in collections_for(stranger)
    assert qrels_for(stranger).exists()
    client.force_login(stranger)
    assert client.get(reverse("collection_edit", args=[tips.pk])).status_code == 404


def test_again_changes_nothing():
    before = everything_stored(), Outbox.objects.count(), Invite.objects.count()
    call_command("load_demo")
    assert (everything_stored(), Outbox.objects.count(), Invite.objects.count()) == before
    assert Collection.objects.count() == 2
    assert User.objects.count() == 1
    assert Study.objects.count() == 3


def test_a_worker_finds_the_first_document(client):
    link = reverse("follow_invite", args=[token_of(Invite.objects.get())])
    client.get(link)
    page = client.post(reverse("join"), {"agree": "1"}, follow=True)
    assert page.status_code == 200
    assert b"Exactly this" in page.content


def test_the_front_page_leads_to_the_demos_study_whatever_else_runs(tips, client, settings):
    settings.DEMO = True
    own = Invite.objects.get()
    user = User.objects.get(username="demo")
    another = Study.objects.create(collection=tips, name="A newcomer's", created_by=user, state="running", instructions="Judge.")
    another.members.add(user)
    invite(another, by=user)
    assert reverse("follow_invite", args=[token_of(own)]) in client.get("/").content.decode()
