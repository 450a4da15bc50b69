"""Workers' questions by the API: asked by one program, answered by another."""

import pytest

from judging.models import Enquiry, User
from judging.recruiting.invites import join
from judging.work import enquiries

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(running):
    return join(running, user=User.objects.create_user("wim"))


@pytest.fixture
def enquiry(worker):
    return enquiries.ask(worker=worker, text="Which sense?", item=worker.study.items.get(document__docno="d3"))


def of_the_study(enquiry):
    return f"/api/v1/studies/{enquiry.worker.study_id}/enquiries/"


def test_the_list_says_who_asked_what_about_what(rita, enquiry):
    row = rita.get(of_the_study(enquiry)).json()["results"][0]
    assert (row["worker"], row["topic"], row["docno"], row["text"]) == (str(enquiry.worker), "2", "d3", "Which sense?")
    assert (row["reply"], row["replied"], row["replied_by"]) == ("", None, None)


def test_a_reply_and_what_is_still_open(rita, enquiry):
    open_ones = f"{of_the_study(enquiry)}?open=true"
    assert rita.get(open_ones).json()["count"] == 1
    address = f"{of_the_study(enquiry)}{enquiry.pk}/reply/"
    row = rita.post(address, {"reply": "The broad one.", "published": True}, content_type="application/json").json()
    assert (row["reply"], row["replied_by"], row["published"]) == ("The broad one.", "rita", True)
    assert rita.post(address, {"reply": "No."}, content_type="application/json").status_code == 409
    assert rita.get(open_ones).json()["count"] == 0


@pytest.mark.parametrize("reply", ["", " ", "x" * 2001, None, "\0"])
def test_what_is_no_reply_is_refused(rita, enquiry, reply):
    address = f"{of_the_study(enquiry)}{enquiry.pk}/reply/"
    assert rita.post(address, {"reply": reply}, content_type="application/json").status_code == 400
    assert Enquiry.objects.get().replied is None


def test_a_worker_asks_about_an_item_and_reads_the_reply(client, worker, researcher):
    client.force_login(worker.user)
    work = f"/api/v1/work/{worker.study_id}"
    item = client.post(f"{work}/next/").json()[0]
    question = {"text": "Which sense?", "offer": item["offer"]}
    assert client.post(f"{work}/enquiries/", question, content_type="application/json").status_code == 201
    asked = Enquiry.objects.select_related("item__document").get()
    assert asked.item.document.docno == item["document"]["docno"]
    enquiries.reply(asked, text="The broad one.", by=researcher)
    assert client.get(f"{work}/enquiries/").json()["results"][0]["reply"] == "The broad one."


def test_somebody_elses_offer_names_nothing(client, worker):
    client.force_login(worker.user)
    question = {"text": "Which sense?", "offer": "1-1:abc:def"}
    address = f"/api/v1/work/{worker.study_id}/enquiries/"
    assert client.post(address, question, content_type="application/json").status_code == 400
    assert not Enquiry.objects.exists()
