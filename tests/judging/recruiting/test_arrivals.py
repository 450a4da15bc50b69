"""The way of a marketplace's participant: in by the channel's address, one worker a person, out with a code.

Here links are unsigned; what signed ones prove, and who is kept out, stands in test_arrivals_elsewhere.py.
"""

import logging

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import Arrival, Judgement, Slot, Worker
from judging.recruiting import arrivals, channels, invites
from judging.recruiting.arrivals import Claim
from judging.studies import launch
from judging.work import departure
from tests.judging.recruiting.participants import (
    COMPLETE,
    PID,
    SESSION,
    STUDY_ID,
    address,
    agree,
    arrive,
    judge,
    text,
)

pytestmark = pytest.mark.django_db


def test_the_ids_leave_the_address_at_once_and_nothing_is_stored_before_consent(client, channel, caplog):
    with caplog.at_level(logging.DEBUG):
        answer = client.get(address(channel))
    assert (answer.status_code, answer.url) == (302, "/arrive/")
    assert "no-store" in answer["Cache-Control"]
    cookie = answer.cookies["arrival"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["max-age"] == 24 * 3600
    page = text(client.get(answer.url))
    assert "I do not consent" in page and "Prolific" in page
    assert PID not in page and SESSION not in page
    assert PID not in caplog.text and SESSION not in caplog.text
    assert not Arrival.objects.exists() and not Worker.objects.exists()


def test_consent_makes_one_worker_without_an_account(client, channel, researcher):
    client.force_login(researcher)  # who tries it out must not turn into a participant with a name
    assert agree(client, channel).url == reverse("judge", args=[channel.study_id])
    arrival = Arrival.objects.get()
    assert (arrival.worker.user, arrival.worker.invite, arrival.outcome) == (None, None, "working")
    assert (arrival.participant, arrival.submission, arrival.their_study) == (PID, SESSION, STUDY_ID)
    assert PID not in arrival.participant_hash and len(arrival.participant_hash) == 64
    assert client.get(reverse("judge", args=[channel.study_id])).status_code == 200


def test_two_tabs_that_agree_one_after_the_other_make_one_worker(client, channel):
    for _ in range(2):
        arrive(client, channel)
    claim = client.cookies["arrival"].value
    for _ in range(2):
        client.cookies["arrival"] = claim
        assert client.post("/arrive/", {"agree": "1"}).status_code == 302
    assert Worker.objects.count() == Arrival.objects.count() == 1


def test_a_person_on_somebody_elses_computer_is_not_them(client, channel):
    agree(client, channel)
    agree(client, channel, participant="other", submission="another")
    assert Worker.objects.count() == 2
    latest = Worker.objects.order_by("-pk").first()
    assert str(latest.key) in client.cookies[f"worker-{channel.study_id}"].value


def test_a_submission_of_two_participants_is_refused(client, channel):
    agree(client, channel)
    answer = arrive(Client(), channel, participant="somebodyelse")
    assert answer.status_code == 409
    assert "belongs to somebody else" in text(answer)
    assert answer.redirect_chain[-1][0].endswith("/others/"), "without the ids"
    assert Arrival.objects.count() == 1


def test_a_submission_that_was_taken_while_another_read_the_page_is_refused(channel):
    slow = Client()
    arrive(slow, channel, participant="slow")
    agree(Client(), channel)
    answer = slow.post("/arrive/", {"agree": "1"})
    assert answer.status_code == 409
    assert Worker.objects.count() == Arrival.objects.count() == 1


def test_swapped_participant_and_submission_are_somebody_else(client, channel):
    agree(client, channel)
    assert arrive(Client(), channel, participant=SESSION, submission=PID).redirect_chain[-1][0] == "/arrive/"
    assert Arrival.objects.count() == 1


BY_HAND = [
    "",
    "?",
    "?PROLIFIC_PID=abc",
    "?SESSION_ID=abc",
    "?PROLIFIC_PID=&SESSION_ID=",
    "?PROLIFIC_PID={{%25PROLIFIC_PID%25}}&STUDY_ID={{%25STUDY_ID%25}}&SESSION_ID={{%25SESSION_ID%25}}",
    "?PROLIFIC_PID=a&PROLIFIC_PID=b&SESSION_ID=c",
    "?PROLIFIC_PID=a&SESSION_ID=c&SESSION_ID=c",
    "?PROLIFIC_PID=a&SESSION_ID=c&STUDY_ID=x&STUDY_ID=y",
    f"?PROLIFIC_PID={'a' * 65}&SESSION_ID=c",
    f"?PROLIFIC_PID={'a' * 50_000}&SESSION_ID={'b' * 50_000}",
    "?PROLIFIC_PID=a%00b&SESSION_ID=c",
    "?PROLIFIC_PID=a%0A&SESSION_ID=c",
    "?PROLIFIC_PID=%3Cscript%3E&SESSION_ID=c",
    "?PROLIFIC_PID=٣&SESSION_ID=c",
    "?participantId=a&assignmentId=b",
]


@pytest.mark.parametrize("query", BY_HAND)
def test_an_address_without_the_marketplaces_ids_says_so_and_records_nothing(client, channel, query):
    at = reverse("follow_channel", args=[invites.token_of(channel)])
    answer = client.get(at + query, follow=True)
    page = text(answer)
    assert answer.redirect_chain == [(f"{at}by-hand/", 302)]
    assert answer.status_code == 400
    assert "Open this study from Prolific" in page and "PROLIFIC_PID" in page
    assert "script" not in page and "aaaa" not in page
    assert "arrival" not in answer.cookies and not Arrival.objects.exists()


def test_parameters_may_have_other_names(client, running, researcher):
    named = channels.add_channel(running, by=researcher, source="prolific", signed_links=False, participant_parameter="pid")
    assert channels.parameters_of(named) == ["pid", "STUDY_ID", "SESSION_ID"]
    agree(client, named)
    assert Arrival.objects.get().participant == PID


def test_an_unknown_address_and_one_of_a_draft_lead_nowhere(client, study, researcher):
    assert client.get("/arrive/abcdef/?PROLIFIC_PID=a&SESSION_ID=b").status_code == 404
    hidden = channels.add_channel(study, by=researcher, source="prolific")
    assert client.get(address(hidden)).status_code == 404


def test_a_forged_cookie_is_none(client, channel):
    client.cookies["arrival"] = f'[{channel.pk}, "{PID}", "{SESSION}", ""]:forged'
    assert client.get("/arrive/").status_code == 404
    assert client.post("/arrive/", {"agree": "1"}).status_code == 404


def test_a_revoked_channel_lets_in_only_whom_it_knows(client, channel):
    agree(client, channel)
    invites.revoke(channel)
    assert client.get(address(channel)).url == reverse("judge", args=[channel.study_id])
    stranger = arrive(Client(), channel, participant="new", submission="new")
    assert "The study is closed" in text(stranger) and "return your submission" in text(stranger)
    assert Arrival.objects.count() == 1


@pytest.mark.parametrize("stop", [launch.pause, launch.close, lambda study: study.slots.all().delete()])
def test_a_study_with_nothing_for_newcomers_sends_them_back_unrecorded(client, channel, stop):
    arrive(client, channel)
    stop(channel.study)
    assert "Nothing about you was recorded" in text(client.post("/arrive/", {"agree": "1"}))
    assert not Arrival.objects.exists()


def test_who_agrees_to_nothing_is_asked_again(client, channel):
    arrive(client, channel)
    answer = client.post("/arrive/", {})
    assert answer.status_code == 400 and "Tick the box" in text(answer)
    assert not Arrival.objects.exists()


def test_no_consent_is_a_button_that_leads_back_and_keeps_no_person(client, channel):
    arrive(client, channel)
    page = text(client.post("/arrive/", {"decline": "1"}))
    assert f'href="{COMPLETE}CNOCONS"' in page and "<code" in page and "CNOCONS</code>" in page
    arrival = Arrival.objects.get()
    assert (arrival.outcome, arrival.worker, arrival.participant, arrival.submission) == ("no_consent", None, "", SESSION)
    assert arrival.ended and not Worker.objects.exists()
    assert client.post("/arrive/", {"decline": "1"}).status_code == 200
    assert Arrival.objects.count() == 1


def test_who_declined_may_think_again(client, channel):
    arrive(client, channel)
    client.post("/arrive/", {"decline": "1"})
    assert "I do not consent" in text(arrive(Client(), channel))
    agree(client, channel)
    arrival = Arrival.objects.get()
    assert (arrival.outcome, arrival.ended, arrival.participant) == ("working", None, PID)


def test_who_works_cannot_decline_any_more(client, channel):
    arrive(client, channel)
    claim = client.cookies["arrival"].value
    client.post("/arrive/", {"agree": "1"})
    client.cookies["arrival"] = claim  # of another tab
    assert client.post("/arrive/", {"decline": "1"}).url == reverse("judge", args=[channel.study_id])
    assert Arrival.objects.get().outcome == "working"


def test_a_new_submission_of_the_same_person_goes_on_with_the_same_worker(client, channel):
    agree(client, channel)
    arrivals.ended_by_marketplace(channel, SESSION, "returned")
    assert "returned it" in text(client.get(reverse("judge", args=[channel.study_id])))
    assert "returned it" in text(arrive(client, channel)), "the same submission does not open again"
    assert arrive(client, channel, submission="second").status_code == 200
    arrival = Arrival.objects.get()
    assert (arrival.outcome, arrival.ended, arrival.submission) == ("working", None, "second")
    assert not arrivals.ended_by_marketplace(channel, SESSION, "returned"), "the old submission is not theirs any more"


def test_a_new_submission_does_not_undo_what_we_found_out(client, channel):
    agree(client, channel)
    departure.leave(Worker.objects.get(), "screened_out")
    page = text(arrive(client, channel, submission="second"))
    assert "CSCREEN" in page
    assert Arrival.objects.get().outcome == "screened_out"


def test_the_same_person_in_two_studies_cannot_be_told_from_their_hashes(channel, study, running):
    claim = Claim(PID, SESSION)
    first = arrivals.participant_hash(channel, claim.participant)
    channel.study_id += 1
    assert arrivals.participant_hash(channel, claim.participant) != first


def test_finding_the_worker_costs_no_more_queries(client, channel, django_assert_num_queries):
    from django.test import RequestFactory

    from judging.recruiting.identity import worker_of

    agree(client, channel)
    request = RequestFactory().get("/")
    request.COOKIES = {name: morsel.value for name, morsel in client.cookies.items()}
    with django_assert_num_queries(1):
        worker = worker_of(request, channel.study_id)
        assert not arrivals.is_over(worker)
        assert worker.arrival.outcome == "working"


def test_erasing_leaves_the_judgements_and_nobody_to_find(client, channel):
    agree(client, channel)
    worker = Worker.objects.get()
    judge(worker)
    client.get(reverse("judge", args=[channel.study_id]))
    before = Arrival.objects.get()
    arrivals.erase(before)
    after = Arrival.objects.get()
    stored = " ".join(str(value) for value in Arrival.objects.values().get().values())
    assert after.erased
    for gone in (PID, SESSION, STUDY_ID, before.participant_hash, before.submission_hash):
        assert gone not in stored
    assert Judgement.objects.filter(worker=worker).count() == 1
    assert not Slot.objects.filter(worker=worker, judged_at__isnull=True).exists()
    assert client.get(reverse("judge", args=[channel.study_id])).status_code == 404, "nor by their own cookie"
    assert arrive(Client(), channel).redirect_chain[-1][0] == "/arrive/", "who comes again is somebody new"
    assert not arrivals.ended_by_marketplace(channel, SESSION, "returned")
    arrivals.erase(after)
    assert Arrival.objects.get().erased == after.erased


def test_a_study_that_nobody_judged_in_goes_with_its_channels(running, channel):
    from judging.collections.deletion import delete_study

    agree(Client(), channel)
    delete_study(running)
    assert not Arrival.objects.exists()
