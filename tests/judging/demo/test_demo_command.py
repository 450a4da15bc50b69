"""manage.py load_demo: everything for five minutes of judging and searching, and nothing that pretends to be people's work."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.access import collections_for, qrels_for
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Arm, Collection, Hypothesis, Invite, Judgement, Outbox, Qrels, Query, Slot, Study, User, Worker
from judging.recruiting.invites import find_invite, invite, token_of
from judging.tasks import send_demo_votes
from tests import sharing
from tests.judging.stored import everything_stored

db = sharing.db
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


@sharing.once
def demo(db):
    call_command("load_demo")
    return Collection.objects.get()


def test_the_collection(demo):
    assert demo.documents.count() == 938
    assert demo.topics.count() == 50
    assert demo.runs.count() == 4
    assert "MITRE" in demo.notice
    assert demo.shared
    for run in demo.runs.all():
        assert run.unknown_documents == 0
        assert set(run_frame(run)["topic"]) <= set(demo.topics.values_list("number", flat=True))


def test_the_mappings_are_marked_for_what_they_are(demo):
    qrels = demo.qrels.get()
    assert qrels.sparse
    assert qrels.binary
    assert "MITRE" in qrels.name
    assert qrels.study is None
    known = set(demo.documents.values_list("docno", flat=True))
    assert set(qrels_frame(qrels)["docno"]) <= known


def test_the_study_is_ready_and_nobody_has_judged(demo):
    study = Study.objects.get(kind="graded")
    assert study.state == Study.State.RUNNING
    assert 50 <= Slot.objects.filter(study=study).count() <= 200
    assert not Judgement.objects.exists()
    assert not Worker.objects.exists()
    assert find_invite(token_of(Invite.objects.get())) is not None


def test_its_search_sites_visitors_come_later(demo):
    assert Outbox.objects.get(task="judging.tasks.send_demo_visitors").arguments == {"site": demo.sites.get().pk}
    assert not Query.objects.exists()


def test_simulated_workers_vote_later_once_and_are_marked(demo):
    study = Study.objects.get(kind="side_by_side")
    assert Outbox.objects.get(task="judging.tasks.send_demo_votes").arguments == {"study": study.pk}
    for _ in range(2):
        send_demo_votes(study.pk)
    study.refresh_from_db()
    assert study.state == Study.State.CLOSED
    items = study.items.filter(role="work")
    assert 30 < items.count() <= 50
    assert Judgement.objects.count() == 3 * items.count()
    assert set(Worker.objects.values_list("study", "simulated")) == {(study.pk, True)}


def test_it_asks_which_of_two_systems_is_better(demo):
    question = Hypothesis.objects.get()
    assert (question.a.name, question.b.name) == ("bm25-words", "bm25-4grams")
    assert question.created > Qrels.objects.get().created  # the demo does not claim to have asked before
    systems = dict(Arm.objects.values_list("name", "version__system__name"))
    assert systems == {"words": "bm25-words", "four-letters": "bm25-4grams", "titles": "bm25-title"}


def test_the_demo_user_has_no_password_and_no_power(demo):
    user = User.objects.get()
    assert user.may_research
    assert not user.is_admin
    assert not user.has_usable_password()


def test_other_researchers_see_it_and_cannot_change_it(demo, client, stranger):
    assert demo in collections_for(stranger)
    assert qrels_for(stranger).exists()
    client.force_login(stranger)
    assert client.get(reverse("collection_edit", args=[demo.pk])).status_code == 404


def test_again_changes_nothing(demo):
    before = everything_stored(), Outbox.objects.count(), Invite.objects.count()
    call_command("load_demo")
    assert (everything_stored(), Outbox.objects.count(), Invite.objects.count()) == before
    assert Collection.objects.count() == User.objects.count() == 1
    assert Study.objects.count() == 2


def test_a_worker_finds_the_first_document(demo, client):
    link = reverse("follow_invite", args=[token_of(Invite.objects.get())])
    client.get(link)
    page = client.post(reverse("join"), {"agree": "1"}, follow=True)
    assert page.status_code == 200
    assert b"Exactly this" in page.content


def test_the_front_page_leads_to_the_demos_study_whatever_else_runs(demo, client, settings):
    settings.DEMO = True
    own = Invite.objects.get()
    user = User.objects.get(username="demo")
    another = Study.objects.create(collection=demo, name="A newcomer's", created_by=user, state="running", instructions="Judge.")
    another.members.add(user)
    invite(another, by=user)
    assert reverse("follow_invite", args=[token_of(own)]) in client.get("/").content.decode()
