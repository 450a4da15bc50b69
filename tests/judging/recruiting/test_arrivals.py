"""The way of a marketplace's participant: in by the channel's address, one worker a person, out with a code.

Here links are unsigned; what signed ones prove, and who is kept out, stands in test_arriving_elsewhere.py.
"""

import logging
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import Arrival, Judgement, Slot, Worker
from judging.recruiting import arrivals, channels, invites
from judging.recruiting.arrivals import Claim
from judging.studies import launch
from judging.work import assignment, departure
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db

PID, STUDY_ID, SESSION = "5f8c2a1b3d4e5f6a7b8c9d0e", "60aa11bb22cc33dd44ee55ff", "61bb22cc33dd44ee55ff66aa"
CODES = {
    "completed_code": "CDONE1", "screened_out_code": "CSCREEN", "no_consent_code": "CNOCONS", "failed_check_code": "CFAILED",
}  # fmt: skip
COMPLETE = "https://app.prolific.com/submissions/complete?cc="


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", signed_links=False, **CODES)


@pytest.fixture
def connect(running, researcher):
    redirect = "https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"
    return channels.add_channel(running, by=researcher, source="connect", completed_code=redirect, screened_out_code="SCR")


def address(channel, participant=PID, submission=SESSION, **more):
    names = channels.parameters_of(channel)
    parameters = dict(zip(names, [participant, STUDY_ID, submission], strict=True)) | more
    pairs = "&".join(f"{name}={value}" for name, value in parameters.items() if value is not None)
    return f"{reverse('follow_channel', args=[invites.token_of(channel)])}?{pairs}"


def arrive(client, channel, **ids):
    return client.get(address(channel, **ids), follow=True)


def agree(client, channel, **ids):
    arrive(client, channel, **ids)
    return client.post(reverse("arrived"), {"agree": "1"})


def judge(worker, *, all_of_it=False):
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1, milliseconds=6000))
        if not all_of_it:
            break


def text(response):
    return response.content.decode()


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


def test_a_closed_study_sends_newcomers_back_unrecorded(client, channel):
    arrive(client, channel)
    launch.close(channel.study)
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


def test_all_done_leads_back_with_the_code(client, channel):
    agree(client, channel)
    judge(Worker.objects.get(), all_of_it=True)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "All done" in page
    assert f'<a class="button primary" href="{COMPLETE}CDONE1"' in page and "CDONE1</code>" in page
    assert "http-equiv" not in page, "nothing sends them on before they have read it"
    arrival = Arrival.objects.get()
    assert arrival.outcome == "completed" and arrival.ended
    ended = arrival.ended
    client.get(reverse("judge", args=[channel.study_id]))
    assert Arrival.objects.get().ended == ended


def test_connect_takes_people_back_by_its_own_address(client, connect):
    agree(client, connect)
    worker = Worker.objects.get()
    judge(worker, all_of_it=True)
    page = text(client.get(reverse("judge", args=[connect.study_id])))
    assert 'href="https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"' in page
    assert "Back to CloudResearch Connect" in page and "enter this code" not in page


def test_connect_with_a_code_alone_shows_it_to_be_entered_there(client, connect):
    agree(client, connect)
    departure.leave(Worker.objects.get(), "screened_out")
    page = text(client.get(reverse("judge", args=[connect.study_id])))
    assert "Enter this code there" in page and "SCR</code>" in page and "Go back to CloudResearch" not in page


def test_without_a_code_people_are_asked_to_return_their_submission(client, connect):
    arrive(client, connect)
    assert "return your submission there" in text(client.post("/arrive/", {"decline": "1"}))


def test_a_worker_who_came_by_a_link_sees_nothing_of_marketplaces(client, running, make_worker):
    worker = make_worker(running)
    judge(worker, all_of_it=True)
    assert departure.leave(worker, "completed") is None
    client.cookies[f"worker-{running.pk}"] = signed(worker)
    page = text(client.get(reverse("judge", args=[running.pk])))
    assert "All done" in page and "way-back" not in page


def signed(worker):
    from django.http import HttpRequest, HttpResponse

    from judging.recruiting.identity import remember_worker

    response = HttpResponse()
    remember_worker(HttpRequest(), response, worker)
    return response.cookies[f"worker-{worker.study_id}"].value


def leave(client, channel):
    return client.post(reverse("leave", args=[channel.study_id]), follow=True)


def test_leaving_gives_back_and_leads_back(client, channel):
    agree(client, channel)
    worker = Worker.objects.get()
    judge(worker)
    client.get(reverse("judge", args=[channel.study_id]))
    page = text(leave(client, channel))
    assert f"{COMPLETE}CDONE1" in page and "Go on judging after all" in page
    assert not Slot.objects.filter(worker=worker, judged_at__isnull=True).exists()
    assert Arrival.objects.get().outcome == "completed"


def test_leaving_before_the_judgements_that_are_asked_for_completes_nothing(client, channel):
    channel.study.most_judgements = 2
    channel.study.save()
    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    client.get(reverse("judge", args=[channel.study_id]))
    page = text(leave(client, channel))
    assert "not complete yet" in page and "CDONE1" not in page
    assert Arrival.objects.get().outcome == "working"
    client.get(reverse("judge", args=[channel.study_id]))
    judge(worker)
    assert "CDONE1" in text(client.get(reverse("judge", args=[channel.study_id])))


def test_leaving_without_a_judgement_completes_nothing(client, channel):
    agree(client, channel)
    assert "CDONE1" not in text(leave(client, channel))


def test_who_waits_for_others_may_stop(client, channel, make_worker):
    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    other = make_worker(channel.study)
    waiting = assignment.next_slots(other)[0].item
    Slot.objects.filter(item=waiting, worker=None).delete()
    judge(worker, all_of_it=True)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "Others are finishing" in page and "Stop here and go back" in page and "CDONE1" not in page
    assert "CDONE1" in text(leave(client, channel))


def test_a_paused_study_keeps_the_submission_open_until_the_worker_stops(client, channel):
    agree(client, channel)
    judge(Worker.objects.select_related("study").get())
    assignment.give_back(Worker.objects.get())
    launch.pause(channel.study)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "takes a break" in page and "Stop here and go back" in page and "CDONE1" not in page
    assert Arrival.objects.get().outcome == "working"
    assert "CDONE1" in text(leave(client, channel))


@pytest.mark.parametrize(("outcome", "code"), [("screened_out", "CSCREEN"), ("failed_check", "CFAILED")])
def test_who_may_not_go_on_gets_nothing_more_and_the_code_for_that(client, channel, outcome, code):
    agree(client, channel)
    client.get(reverse("judge", args=[channel.study_id]))
    arrival = departure.leave(Worker.objects.get(), outcome)
    assert arrival.outcome == outcome
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert f"{COMPLETE}{code}" in page and 'name="grade"' not in page
    ahead = client.get(reverse("judge_ahead", args=[channel.study_id]))
    assert 'name="grade"' not in text(ahead)
    assert not Slot.objects.filter(worker__isnull=False).exists()
    assert departure.leave(Worker.objects.get(), "completed").outcome == outcome, "the first outcome stands"


def test_an_answer_that_was_under_way_is_kept_but_brings_no_more_work(client, channel):
    agree(client, channel)
    page = client.get(reverse("judge", args=[channel.study_id]))
    fields = {name: hidden(text(page), name) for name in ("key", "offer")}
    departure.leave(Worker.objects.get(), "screened_out")
    client.post(reverse("judge", args=[channel.study_id]), {**fields, "grade": "1"})
    assert Judgement.objects.count() == 1
    assert not Slot.objects.filter(worker__isnull=False, judged_at__isnull=True).exists()


def hidden(page, name):
    return page.split(f'name="{name}" value="')[1].split('"')[0]


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


def test_who_is_set_aside_for_their_answers_goes_back_with_the_code_for_that(client, channel):
    from judging.work.exclusions import exclude

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    exclude(worker, reason="Answers at random.", standing=Worker.Standing.BLOCKED)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "Your part ends here" in page and f"{COMPLETE}CFAILED" in page and "All done" not in page
    assert Arrival.objects.get().outcome == "failed_check"


def test_who_is_set_aside_afterwards_keeps_what_they_have_completed(client, channel):
    from judging.work.exclusions import exclude

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    leave(client, channel)
    exclude(worker, reason="Answers at random.")
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "CDONE1" in page and "CFAILED" not in page


def test_who_was_sent_back_by_mistake_is_paid_like_others_and_let_in_again(client, channel, researcher):
    from judging.work.exclusions import exclude, lift

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    exclusion = exclude(worker, reason="Answers at random.")
    judging = reverse("judge", args=[channel.study_id])
    client.get(judging)
    lift(exclusion, by=researcher)
    assert Arrival.objects.get().outcome == "completed"
    page = text(client.get(judging))
    assert "CFAILED" not in page and "form" in page
