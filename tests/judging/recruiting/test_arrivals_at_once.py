"""Participants who come twice in the same moment: one worker a person, one person a submission."""

from dataclasses import replace

import pytest

from judging.models import Arrival, Notice, Slot, Worker
from judging.recruiting import arrivals, channels
from judging.recruiting.arrivals import BegunElsewhere, Claim, OthersSubmission
from judging.work import assignment, departure
from tests.judging.work.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", webhook_secret="sealed")


def test_a_person_who_agrees_in_six_tabs_is_one_worker(channel):
    seen, claim = [], Claim("p1", "s1")  # one browser's
    at_once(*[lambda: seen.append(arrivals.consent(channel, claim).worker_id)] * 6)
    assert Arrival.objects.count() == Worker.objects.count() == 1
    assert set(seen) == {Worker.objects.get().pk} and len(seen) == 6


def test_who_had_declined_and_agrees_in_two_tabs_is_one_worker(channel):
    claim = Claim("p1", "s1")
    arrivals.decline(channel, claim)
    at_once(*[lambda: arrivals.consent(channel, claim)] * 4)
    assert Worker.objects.count() == 1


@pytest.mark.parametrize("declined", [True, False])
def test_of_browsers_that_come_as_one_participant_one_gets_in(channel, declined):
    if declined:
        arrivals.decline(channel, Claim("p1", "s1"))
    let_in, refused = [], []

    def come():
        try:
            let_in.append(arrivals.consent(channel, Claim("p1", "s1")).worker_id)
        except BegunElsewhere:
            refused.append(1)

    at_once(*[come] * 5)
    assert let_in == [Worker.objects.get().pk] and len(refused) == 4


def test_a_link_that_lets_in_once_does_so_once(channel, researcher):
    arrival = arrivals.consent(channel, Claim("p1", "s1"))
    token, used = arrivals.make_readmission(arrival, by=researcher), []
    readmission = arrivals.find_readmission(token)
    at_once(*[lambda: used.append(arrivals.use_readmission(readmission))] * 4)
    assert sorted(used) == [False, False, False, True]


def test_of_people_with_one_submission_one_gets_in(channel):
    refused = []

    def come(participant):
        try:
            arrivals.consent(channel, Claim(participant, "s1"))
        except OthersSubmission:
            refused.append(participant)

    at_once(*[lambda name=f"p{number}": come(name) for number in range(5)])
    assert len(refused) == 4
    assert Arrival.objects.count() == Worker.objects.count() == 1


def test_agreeing_and_declining_at_once_leaves_one_arrival_that_makes_sense(channel):
    claim = Claim("p1", "s1")
    at_once(*[lambda: arrivals.consent(channel, claim), lambda: arrivals.decline(channel, claim)] * 3)
    arrival = Arrival.objects.get()
    assert (arrival.outcome, Worker.objects.count()) == ("working", 1)


def test_a_submission_that_is_returned_while_its_worker_claims_holds_nothing_in_the_end(channel):
    worker = arrivals.consent(channel, Claim("p1", "s1")).worker
    jobs = [lambda: arrivals.ended_by_marketplace(channel, "s1", "returned"), lambda: departure.leave(worker, "completed")]
    at_once(*jobs, lambda: assignment.next_slots(worker, count=2), *jobs)
    assert Arrival.objects.get().outcome in ("returned", "completed")
    assignment.give_back(worker)
    assert not Slot.objects.filter(worker__isnull=False).exists()


def test_a_message_that_comes_in_two_copies_at_once_is_heard_once(channel):
    import base64
    import hashlib
    import hmac
    import json
    import time

    from judging.recruiting.signatures import receive_message

    arrivals.consent(channel, Claim("p1", "s1"))
    body = json.dumps({"event_type": "submission.status.change", "resource_id": "s1", "status": "RETURNED"}).encode()
    now = str(int(time.time()))
    signature = base64.b64encode(hmac.new(b"sealed", now.encode() + body, hashlib.sha256).digest()).decode()
    headers = {"X-Prolific-Request-Timestamp": now, "X-Prolific-Request-Signature": signature, "X-Event-ID": "e1"}
    heard = []
    at_once(*[lambda: heard.append(receive_message(channel, headers, body))] * 4)
    assert sorted(heard) == [False, False, False, True]
    assert Notice.objects.count() == 1


def test_erasing_while_the_person_comes_again_does_not_bring_them_back(channel):
    claim = Claim("p1", "s1")
    arrival, again = arrivals.consent(channel, claim), replace(claim, submission="s2")
    at_once(lambda: arrivals.erase(arrival), *[lambda: arrivals.recognise(channel, again)] * 3)
    arrival.refresh_from_db()
    assert (arrival.participant, arrival.submission) == ("", "")
