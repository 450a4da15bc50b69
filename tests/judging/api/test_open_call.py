"""The open call through the API: found, read and joined without a link."""

import pytest

from judging.models import Worker
from judging.studies import launch

V1 = "/api/v1"


@pytest.fixture
def called(running):
    type(running).objects.filter(pk=running.pk).update(open_call=True, language="English")
    return running


def test_found_and_joined(wim, called):
    (study,) = wim.get(f"{V1}/work/open/").json()["results"]
    assert (study["id"], study["name"], study["language"], study["left"]) == (called.pk, "Bird study", "English", 12)
    joined = wim.post(f"{V1}/work/join/", {"study": called.pk, "consent": True})
    assert (joined.status_code, joined.json()["machine"]) == (201, "")
    assert wim.post(f"{V1}/work/join/", {"study": called.pk, "consent": True}).json()["worker"] == joined.json()["worker"]
    assert len(wim.post(f"{V1}/work/{called.pk}/next/").json()) == 2
    worker = Worker.objects.get()
    assert (worker.user.username, worker.invite) == ("wim", None)


@pytest.mark.parametrize("sent", [{}, {"consent": False}])
def test_consent_is_asked_for(wim, called, sent):
    assert wim.post(f"{V1}/work/join/", {"study": called.pk, **sent}).status_code == 400
    assert not Worker.objects.exists()


def test_what_is_not_called_for_is_not_there(wim, running):
    for study in (running.pk, 999, "x", None):
        assert wim.post(f"{V1}/work/join/", {"study": study, "consent": True}).status_code == 400
    assert wim.get(f"{V1}/work/open/").json()["count"] == 0
    type(running).objects.update(open_call=True)
    launch.pause(running)
    assert wim.post(f"{V1}/work/join/", {"study": running.pk, "consent": True}).status_code == 400
    assert not Worker.objects.exists()


def test_a_link_or_a_study_not_both_and_not_none(wim, called, researcher):
    from judging.recruiting.invites import invite, token_of

    both = {"link": token_of(invite(called, by=researcher)), "study": called.pk, "consent": True}
    assert wim.post(f"{V1}/work/join/", both).status_code == 400
    assert set(wim.post(f"{V1}/work/join/", {"consent": True}).json()) == {"link"}
