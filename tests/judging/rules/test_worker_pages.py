"""A worker's page: what they did, setting it aside, taking that back."""

from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Worker
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(running, make_worker):
    worker = make_worker(running)
    record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=2, milliseconds=4000))
    return worker


def address(worker):
    return reverse("study_worker", args=[worker.study_id, worker.pk])


def test_the_list_leads_to_a_worker(rita, worker):
    assert address(worker) in rita.get(reverse("study_workers", args=[worker.study_id])).content.decode()
    page = rita.get(address(worker)).content.decode()
    assert '<span class="value">4.0</span> seconds' in page
    assert "Exclude this worker" in page


def test_set_aside_and_taken_back(rita, worker, researcher):
    page = rita.post(address(worker), {"standing": "excluded", "reason": "all <b>the</b> same"}, follow=True).content.decode()
    assert "all &lt;b&gt;the&lt;/b&gt; same" in page
    assert "Exclude this worker" not in page
    exclusion = worker.exclusions.get()
    assert (exclusion.by, exclusion.standing) == (researcher, "excluded")
    workers = rita.get(reverse("study_workers", args=[worker.study_id])).content.decode()
    assert address(worker) in workers  # no vote is left, but who gave them is there
    lift = reverse("exclusion_lift", args=[worker.study_id, worker.pk, exclusion.pk])
    assert "taken back" in rita.post(lift, follow=True).content.decode()
    worker.refresh_from_db()
    assert worker.standing == Worker.Standing.GOOD


@pytest.mark.parametrize(
    "form", [{}, {"standing": "excluded"}, {"standing": "good", "reason": "x"}, {"standing": "blocked", "reason": " "}]
)
def test_a_reason_and_a_standing_are_asked_for(rita, worker, form):
    assert "has-error" in rita.post(address(worker), form).content.decode()
    assert not worker.exclusions.exists()


def test_who_has_not_judged_has_a_page_too(rita, running, make_worker):
    assert b"Has not judged anything yet" in rita.get(address(make_worker(running))).content


def test_others_workers_are_not_there(client, worker, django_user_model):
    stranger = django_user_model.objects.create(username="stranger", is_researcher=True)
    client.force_login(stranger)
    assert client.get(address(worker)).status_code == 404
    assert client.post(address(worker), {"standing": "excluded", "reason": "x"}).status_code == 404
    assert not worker.exclusions.exists()
