"""What Prolific tells about submissions: signed, fresh, heard once."""

import base64
import hashlib
import hmac
import json
import time

import pytest
from django.urls import reverse

from judging.models import Arrival, Channel, Notice, Slot
from judging.recruiting import arrivals, channels
from judging.recruiting.arrivals import Claim
from judging.work import assignment, departure

pytestmark = pytest.mark.django_db

SECRET = "a secret that Prolific made"


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", webhook_secret=SECRET)


@pytest.fixture
def arrival(channel):
    arrival = arrivals.consent(channel, Claim("p1", "s1"))
    assignment.next_slots(arrival.worker, count=2)
    return arrival


def send(client, channel, body, *, secret=SECRET, event="e1", at=None, later=0, signature=None, **headers):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    timestamp = str(int(time.time()) + later if at is None else at)
    digest = hmac.new(secret.encode(), timestamp.encode() + raw, hashlib.sha256).digest()
    sent = {
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Prolific-Request-Signature": base64.b64encode(digest).decode() if signature is None else signature,
        "X-Event-ID": event,
        **headers,
    }
    return client.post(reverse("hear", args=[channel.pk]), raw, content_type="application/json", headers=sent)


def status(name, submission="s1", **more):
    return {"event_type": "submission.status.change", "resource_id": submission, "participant_id": "p1", "status": name, **more}


def held():
    return Slot.objects.filter(worker__isnull=False, judged_at__isnull=True).count()


@pytest.mark.parametrize(("name", "outcome"), [("RETURNED", "returned"), ("TIMED-OUT", "timed_out"), ("REJECTED", "rejected")])
def test_a_submission_that_ended_there_frees_its_documents(client, channel, arrival, name, outcome):
    assert held() == 2
    answer = send(client, channel, status(name))
    assert (answer.status_code, answer.content) == (200, b"noted")
    after = Arrival.objects.get()
    assert (after.outcome, held()) == (outcome, 0)
    assert after.ended


def test_prolifics_own_spelling_of_timed_out(client, channel, arrival):
    send(client, channel, status("TIMED OUT"))
    assert Arrival.objects.get().outcome == "timed_out"


def test_the_same_message_again_does_nothing(client, channel, arrival):
    send(client, channel, status("RETURNED"))
    for submission in ("s2", "s1"):  # and back: the same submission works again
        arrivals.consent(channel, Claim("p1", submission), here=arrival.worker)
    again = send(client, channel, status("RETURNED"), at=int(time.time()) + 1)
    assert (again.status_code, again.content) == (200, b"nothing to do")
    assert Arrival.objects.get().outcome == "working"
    assert Notice.objects.count() == 1


def test_a_message_replayed_under_another_event_id_does_nothing(client, channel, arrival):
    at = int(time.time())
    send(client, channel, status("RETURNED"), at=at)
    again = send(client, channel, status("RETURNED"), at=at, event="e2")
    assert again.content == b"nothing to do"
    assert Notice.objects.count() == 1


FORGED = {
    "another secret": {"secret": "guessed"},
    "no signature": {"signature": ""},
    "a signature of something else": {"signature": base64.b64encode(b"0" * 32).decode()},
    "a signature in hex": {"signature": "0" * 64},
    "an odd signature": {"signature": "ü"},
    "six minutes ago": {"later": -360},
    "in six minutes": {"later": 360},
    "no time": {"at": ""},
    "no number": {"at": "now"},
    "an endless number": {"at": "9" * 5000},
    "an odd digit": {"at": "²"},
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_or_old_message_is_refused(client, channel, arrival, kind):
    answer = send(client, channel, status("RETURNED"), **FORGED[kind])
    assert answer.status_code == 403
    assert (Arrival.objects.get().outcome, held(), Notice.objects.count()) == ("working", 2, 0)


def test_what_was_changed_on_the_way_is_refused(client, channel, arrival):
    raw = json.dumps(status("RETURNED", submission="s2")).encode()
    timestamp = str(int(time.time()))
    signature = base64.b64encode(hmac.new(SECRET.encode(), timestamp.encode() + raw, hashlib.sha256).digest()).decode()
    answer = send(client, channel, status("RETURNED"), at=timestamp, signature=signature)
    assert answer.status_code == 403


def test_a_channel_without_a_secret_hears_nobody(client, channel, arrival):
    Channel.objects.update(webhook_secret="")
    assert send(client, channel, status("RETURNED"), secret="").status_code == 403


def test_one_channels_secret_does_not_open_another(client, channel, arrival, researcher):
    other = channels.add_channel(channel.study, by=researcher, source="prolific", webhook_secret="another")
    assert send(client, other, status("RETURNED")).status_code == 403


def test_a_changed_secret_of_the_server_refuses_instead_of_failing(client, channel, arrival, settings):
    settings.SECRET_KEY = "changed"
    assert channels.webhook_secret_of(channel) is None
    assert send(client, channel, status("RETURNED")).status_code == 403


def test_the_secret_is_not_stored_as_it_is(channel):
    stored = Channel.objects.values().get()
    assert SECRET not in str(stored)
    assert channels.webhook_secret_of(channel) == SECRET


UNKNOWN = [
    status("ACTIVE"),
    status("AWAITING REVIEW"),
    status("APPROVED"),
    status("SOMETHING NEW"),
    status("RETURNED", submission="of another study"),
    status("RETURNED", submission=""),
    status(["RETURNED"]),
    {"event_type": "submission.status.change"},
    {"event_type": "submission.status.change", "status": "RETURNED", "resource_id": {"$ne": 1}},
    {"event_type": "study.status.change", "resource_id": "s1", "status": "RETURNED"},
    {},
    [],
    None,
    "RETURNED",
    b"",
    b"not json",
    b"\xff\xfe",
    b"[" * 20_000,
]


@pytest.mark.parametrize("body", UNKNOWN)
def test_other_messages_are_acknowledged_and_change_nothing(client, channel, arrival, body):
    answer = send(client, channel, body)
    assert (answer.status_code, answer.content) == (200, b"nothing to do")
    assert (Arrival.objects.get().outcome, held()) == ("working", 2)
    assert not Notice.objects.exists(), "nothing of it is kept"


def test_a_large_message_is_not_read(client, channel):
    assert send(client, channel, b" " * 70_000).status_code == 413


def test_what_we_found_out_outlives_the_return_that_the_code_tells_people_to_make(client, channel, arrival):
    departure.leave(arrival.worker, "screened_out")
    send(client, channel, status("RETURNED"))
    assert Arrival.objects.get().outcome == "screened_out"
    send(client, channel, status("REJECTED"), event="e2")
    assert Arrival.objects.get().outcome == "rejected"


def test_another_studys_channel_of_the_same_workspace_changes_nothing_here(client, channel, arrival, study, researcher):
    from judging.models import Study

    other = Study.objects.create(
        collection=study.collection, name="Other", state="running", instructions="x", created_by=researcher
    )
    theirs = channels.add_channel(other, by=researcher, source="prolific", webhook_secret=SECRET)
    assert send(client, theirs, status("RETURNED")).content == b"nothing to do"
    assert Arrival.objects.get().outcome == "working"


def test_who_did_not_consent_holds_nothing_to_free(client, channel):
    arrivals.decline(channel, Claim("p2", "s2"))
    assert send(client, channel, status("REJECTED", submission="s2")).content == b"nothing to do"
    assert Arrival.objects.get().outcome == "no_consent"


@pytest.mark.parametrize("address", ["/hooks/999999/", "/hooks/0/"])
def test_an_unknown_channel_answers_like_one_whose_secret_nobody_knows(client, channel, address):
    unknown, known = (client.post(hook, b"{}", content_type="application/json") for hook in (address, f"/hooks/{channel.pk}/"))
    assert (unknown.status_code, unknown.content) == (known.status_code, known.content) == (403, known.content)


def test_messages_need_no_token_of_a_form(channel, arrival):
    from django.test import Client

    assert send(Client(enforce_csrf_checks=True), channel, status("RETURNED")).status_code == 200
