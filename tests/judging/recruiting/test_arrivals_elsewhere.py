"""Who comes as a participant who has begun already: their worker is given to their own browser and to a signed link.

Nobody else gets it, since on an unsigned channel the ids are whatever somebody types.
"""

import time
from datetime import timedelta
from uuid import uuid4

import jwt
import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Arrival, AuditEntry, Judgement, Worker
from judging.recruiting import arrivals, channels
from tests.judging.recruiting.participants import PID, SESSION, address, agree, arrive, hidden, judge, text
from tests.judging.recruiting.test_signed_links import KEY, KEYS

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(client, channel):
    """The participant's worker, who has judged one document in the browser `client`."""
    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    return worker


@pytest.fixture
def signed(channel):
    cache.clear()
    yield channels.change_channel(channel, signed_links=True, keys=KEYS)
    cache.clear()


def as_stored():
    return list(Arrival.objects.values())


def judge_page(channel):
    return reverse("judge", args=[channel.study_id])


def token(submission=SESSION, participant=PID, **more):
    claims = {"sub": submission, "exp": time.time() + 120, "prolific": {"PROLIFIC_PID": participant}, **more}
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "k1"})


# Somebody else


@pytest.mark.parametrize("submission", [SESSION, "invented"])
def test_who_knows_a_participants_id_gets_neither_their_worker_nor_their_answers(begun, channel, submission):
    before, thief = as_stored(), Client()
    answer = arrive(thief, channel, submission=submission)
    assert answer.status_code == 409 and "begun in another browser" in text(answer)
    assert f"worker-{channel.study_id}" not in thief.cookies and "arrival" not in thief.cookies
    assert thief.get(judge_page(channel)).status_code == 404
    assert thief.get(reverse("answers", args=[channel.study_id])).status_code == 404
    assert thief.post(reverse("leave", args=[channel.study_id])).status_code == 404
    assert as_stored() == before
    assert answer.redirect_chain[-1][0].endswith("/elsewhere/"), "without the ids"


@pytest.mark.parametrize("submission", [SESSION, "invented"])
def test_another_workers_cookie_opens_only_their_own(begun, channel, submission):
    before, thief = as_stored(), Client()
    agree(thief, channel, participant="thief", submission="thiefs")
    assert arrive(thief, channel, submission=submission).status_code == 409
    own = Arrival.objects.exclude(worker=begun).get().worker
    assert str(own.key) in thief.cookies[f"worker-{channel.study_id}"].value
    assert as_stored()[:1] == before and Worker.objects.count() == 2


@pytest.mark.parametrize("press", [{"agree": "1"}, {"decline": "1"}, {}])
def test_who_waited_at_the_consent_page_for_the_participant_gets_nothing(client, channel, press):
    thief = Client()
    arrive(thief, channel, submission="invented")
    agree(client, channel)
    before = as_stored()
    answer = thief.post(reverse("arrived"), press)
    assert answer.status_code == 409 and "begun in another browser" in text(answer)
    assert f"worker-{channel.study_id}" not in thief.cookies
    assert as_stored() == before and Worker.objects.count() == 1


def test_what_was_returned_is_not_opened_again_by_an_invented_submission(begun, channel):
    arrivals.ended_by_marketplace(channel, SESSION, "returned")
    before = as_stored()
    assert arrive(Client(), channel, submission="invented").status_code == 409
    assert as_stored() == before


def test_a_claim_from_before_links_had_to_be_signed_opens_nothing(client, channel):
    arrive(client, channel)
    channels.change_channel(channel, signed_links=True, keys=KEYS)
    answer = client.post(reverse("arrived"), {"agree": "1"})
    assert answer.status_code == 403
    assert not Arrival.objects.exists()


def test_a_signature_for_ones_own_submission_does_not_prove_that_one_is_another(begun, signed):
    """The marketplace signs the submission; the participant in the address is believed where the token names them."""
    agree(Client(), signed, participant="thief", submission="thiefs", prolific_token=token("thiefs", "thief"))
    before = as_stored()
    nameless = token("thiefs2", prolific=None)
    assert arrive(Client(), signed, submission="thiefs2", prolific_token=nameless).status_code == 409
    named = token("thiefs2", "thief")
    assert arrive(Client(), signed, submission="thiefs2", prolific_token=named).status_code == 403
    assert as_stored() == before


# The participant


def goes_on(client, channel, **ids):
    answer = client.get(address(channel, **ids))
    page = client.get(reverse("answers", args=[channel.study_id]))
    return answer.url == judge_page(channel) and text(page).count("/answers/") > 1


def test_the_same_browser_goes_on_also_in_another_tab_and_after_somebody_tried_to_be_them(client, begun, channel):
    assert goes_on(client, channel)
    arrive(Client(), channel, submission="invented")
    assert goes_on(client, channel)
    assert Worker.objects.count() == 1


def test_a_new_submission_in_the_same_browser_goes_on(client, begun, channel):
    arrivals.ended_by_marketplace(channel, SESSION, "returned")
    assert goes_on(client, channel, submission="second")
    arrival = Arrival.objects.get()
    assert (arrival.outcome, arrival.submission) == ("working", "second")


def test_agreeing_twice_at_once_in_one_browser_is_no_other_browser(client, channel):
    """The second click's request has no cookie of the worker yet, that the first is still making."""
    arrive(client, channel)
    cookie = client.cookies["arrival"].value
    client.post(reverse("arrived"), {"agree": "1"})
    second = Client()
    second.cookies["arrival"] = cookie
    assert second.post(reverse("arrived"), {"agree": "1"}).url == judge_page(channel)
    assert Worker.objects.count() == 1


def test_a_signed_link_opens_the_worker_in_another_browser(begun, signed):
    assert goes_on(Client(), signed, prolific_token=token())
    assert goes_on(Client(), signed, prolific_token=token(prolific=None)), "for the submission that they came with"
    assert goes_on(Client(), signed, submission="second", prolific_token=token("second"))
    assert Worker.objects.count() == 1


def test_a_signed_claim_is_still_one_at_the_consent_page(signed):
    first, second = Client(), Client()
    for browser in (first, second):
        arrive(browser, signed, prolific_token=token())
    assert first.post(reverse("arrived"), {"agree": "1"}).url == judge_page(signed)
    assert second.post(reverse("arrived"), {"agree": "1"}).url == judge_page(signed)
    assert Worker.objects.count() == 1


# A link that lets in once


@pytest.fixture
def rita(researcher):
    browser = Client()
    browser.force_login(researcher)
    return browser


def make_link(rita, worker):
    page = text(rita.post(reverse("arrival_readmit", args=[worker.study_id, worker.arrival.pk])))
    return "/" + page.split('value="http://testserver/')[1].split('"')[0]


def test_a_researchers_link_lets_a_participant_in_again_in_another_browser_once(rita, begun, channel):
    address, another = make_link(rita, begun), Client()
    page = another.get(address)
    assert page.status_code == 200 and "Go on in this browser" in text(page)
    assert f"worker-{channel.study_id}" not in another.cookies, "who previews links uses none up"
    assert another.post(address).url == judge_page(channel)
    assert goes_on(another, channel)
    assert Worker.objects.count() == 1
    late = Client()
    assert late.get(address).status_code == late.post(address).status_code == 404
    assert f"worker-{channel.study_id}" not in late.cookies


def test_the_browser_where_they_began_goes_on_as_well(client, rita, begun, channel):
    Client().post(make_link(rita, begun))
    assert goes_on(client, channel)


def test_only_the_latest_link_works_and_none_for_who_was_erased(rita, begun):
    first, second = make_link(rita, begun), make_link(rita, begun)
    assert Client().get(first).status_code == 404 and Client().get(second).status_code == 200
    arrivals.erase(begun.arrival)
    assert Client().get(second).status_code == 404
    assert rita.post(reverse("arrival_readmit", args=[begun.study_id, begun.arrival.pk])).status_code == 404


def test_a_link_works_for_a_week(rita, begun):
    address = make_link(rita, begun)
    for days, status in [(6, 200), (8, 404)]:
        with time_machine.travel(timezone.now() + timedelta(days=days)):
            assert Client().get(address).status_code == status


def test_the_link_is_made_on_the_participants_page_and_noted(rita, begun, channel):
    listed = text(rita.get(reverse("study_arrivals", args=[channel.study_id])))
    at = reverse("arrival_readmit", args=[channel.study_id, begun.arrival.pk])
    assert at in listed
    assert "once" in text(rita.get(at)) and "http://testserver" not in text(rita.get(at))
    address = make_link(rita, begun)
    kept = AuditEntry.objects.filter(study=begun.study).latest("pk")
    assert kept.deed == "invited" and f"w{begun.pk}" in kept.about
    assert address.split("/")[-2] not in str(as_stored()), "the database has only its hash"


def test_who_came_first_with_invented_ids_is_erased_and_the_true_participant_comes_in(channel):
    stranger = Client()
    agree(stranger, channel, submission="invented")
    judge(Worker.objects.get())
    assert arrive(Client(), channel).status_code == 409
    arrivals.erase(Arrival.objects.get())
    assert agree(Client(), channel).url == judge_page(channel)
    assert stranger.get(judge_page(channel)).status_code == 404
    assert Judgement.objects.count() == 1


def test_an_answer_of_the_old_browser_cannot_be_sent_by_who_only_knows_the_id(client, begun, channel):
    page = text(client.get(judge_page(channel)))
    form = {name: hidden(page, name) for name in ("key", "offer")} | {"grade": "1"}
    thief = Client()
    arrive(thief, channel)
    assert thief.post(judge_page(channel), {**form, "key": str(uuid4())}).status_code == 404
    assert Judgement.objects.count() == 1
