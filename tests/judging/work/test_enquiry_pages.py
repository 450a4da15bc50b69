"""Pages of questions: a worker asks and reads, a researcher replies, nobody else sees either."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from judging.models import Enquiry, Worker
from judging.work import enquiries
from judging.work.tickets import ticket

pytestmark = pytest.mark.django_db


def text(response):
    return response.content.decode()


@pytest.fixture
def page(running):
    return reverse("enquiries", args=[running.pk])


@pytest.fixture
def worker(joined):
    return Worker.objects.get()


@pytest.fixture
def enquiry(worker):
    return enquiries.ask(worker=worker, text="Which sense of <b>owl</b>?", item=worker.study.items.first())


@pytest.fixture
def desk(researcher):
    """The browser of the researcher, beside the worker's."""
    client = Client()
    client.force_login(researcher)
    return client


def reply_address(enquiry):
    return reverse("enquiry_reply", args=[enquiry.worker.study_id, enquiry.pk])


def test_a_question_is_sent_and_listed(joined, page):
    response = joined.post(page, {"text": " Which sense?\r\nA bird? "}, follow=True)
    assert "Which sense?<br>A bird?" in text(response)
    assert "no reply yet" in text(response)
    assert Enquiry.objects.get().text == "Which sense?\nA bird?"


def test_the_judge_page_names_what_the_question_is_about(joined, page, worker):
    address = re.search(rf'href="({page}\?item=[^"]+)"', text(joined.get(reverse("judge", args=[worker.study_id]))))[1]
    held = worker.slots.get().item
    assert f"About “{held.document.title}” for “{held.topic.title}”" in text(joined.get(address))
    joined.post(address, {"text": "Which sense?"})
    assert Enquiry.objects.get().item == held


def test_only_own_tickets_name_an_item(joined, page, worker, make_worker):
    others = ticket(make_worker(worker.study), worker.study.items.first().pk)
    for name in (others, "x", str(worker.study.items.first().pk)):
        joined.post(f"{page}?item={name}", {"text": f"About {name}?"})
    assert not Enquiry.objects.filter(item__isnull=False).exists()


@pytest.mark.parametrize(("words", "why"), [(" ", "Write your question first."), ("x" * 2001, "at most 2000 characters")])
def test_what_is_refused_stays_in_the_form(joined, page, words, why):
    response = joined.post(page, {"text": words})
    assert response.status_code == 422
    assert why in text(response)
    assert words.strip() in text(response)
    assert not Enquiry.objects.exists()


def test_a_line_break_counts_once(joined, page):
    assert joined.post(page, {"text": "x" * 999 + "\r\n" + "x" * 1000}).status_code == 302


def test_one_question_too_many_stays_in_the_form(joined, page, worker):
    for n in range(20):
        enquiries.ask(worker=worker, text=f"question {n}")
    response = joined.post(page, {"text": "and another"})
    assert response.status_code == 422
    assert "Twenty of your questions" in text(response)
    assert "and another</textarea>" in text(response)


def test_the_way_of_a_question(joined, page, enquiry, desk):
    study_page = reverse("study", args=[enquiry.worker.study_id])
    assert "1 open" in text(desk.get(study_page))
    asked = text(desk.get(reverse("study_enquiries", args=[enquiry.worker.study_id])))
    assert "Which sense of &lt;b&gt;owl&lt;/b&gt;?" in asked
    for address in (
        reverse("study_worker", args=[enquiry.worker.study_id, enquiry.worker_id]),
        reverse("topic", args=[enquiry.item.topic_id]),
        reverse("document", args=[enquiry.item.document_id]),
    ):
        assert f'href="{address}"' in asked
    sent = desk.post(reply_address(enquiry), {"reply": "The <i>broad</i> one."}, follow=True)
    assert f"Sent. {enquiry.worker} can read it now." in text(sent)
    assert "not read yet" in text(sent)
    assert " open</span>" not in text(desk.get(study_page))
    assert "The &lt;i&gt;broad&lt;/i&gt; one." in text(joined.get(page))
    assert "not read yet" not in text(desk.get(reverse("study_enquiries", args=[enquiry.worker.study_id])))


NOTICE = r'<a class="reply" href="[^"]+">You have a message</a>'


@pytest.mark.parametrize("name", ["judge", "answers", "my_work"])
def test_the_bar_says_that_a_reply_is_unread(joined, page, enquiry, researcher, name):
    address = reverse(name, args=[enquiry.worker.study_id])
    assert not re.search(NOTICE, text(joined.get(address)))
    enquiries.reply(enquiry, text="Yes.", by=researcher)
    assert re.search(NOTICE, text(joined.get(address)))
    joined.head(page)
    assert re.search(NOTICE, text(joined.get(address)))
    joined.get(page)
    assert not re.search(NOTICE, text(joined.get(address)))


def test_a_message_that_nobody_asked_for_is_read_where_replies_are(joined, page, worker, researcher, desk):
    enquiries.write(worker.study, [worker], text="Thank you <b>all</b>.", by=researcher)
    assert re.search(NOTICE, text(joined.get(reverse("judge", args=[worker.study_id]))))
    read = text(joined.get(page))
    assert "From the researchers" in read and "Thank you &lt;b&gt;all&lt;/b&gt;." in read and "<blockquote>" not in read
    assert not re.search(NOTICE, text(joined.get(reverse("judge", args=[worker.study_id]))))
    listed = text(desk.get(reverse("study_enquiries", args=[worker.study_id])))
    assert "was written to" in listed and "read " in listed


def test_the_script_hears_of_a_reply_with_the_next_document(joined, enquiry, researcher):
    address = reverse("judge_ahead", args=[enquiry.worker.study_id])
    assert 'data-reply=""' in text(joined.get(address))
    enquiries.reply(enquiry, text="Yes.", by=researcher)
    assert 'data-reply="1"' in text(joined.get(address))


def test_a_reply_costs_the_judge_page_no_query(joined, enquiry, researcher, django_assert_max_num_queries):
    enquiries.reply(enquiry, text="Yes.", by=researcher)
    joined.get(reverse("judge", args=[enquiry.worker.study_id]))
    with django_assert_max_num_queries(2):
        joined.get(reverse("judge", args=[enquiry.worker.study_id]))


def test_what_is_published_others_read_without_its_document(joined, page, running, make_worker, desk):
    enquiry = enquiries.ask(worker=make_worker(running), text="Which sense?", item=running.items.first())
    desk.post(reply_address(enquiry), {"reply": "The broad one.", "published": "on"})
    seen = text(joined.get(page))
    assert "What others asked" in seen
    assert "The broad one." in seen
    assert enquiry.item.topic.title not in seen
    assert str(enquiry.worker) not in seen
    assert Enquiry.objects.get().read is None


def test_a_reply_that_is_refused_stays_in_its_form(desk, enquiry):
    response = desk.post(reply_address(enquiry), {"reply": "x" * 2001, "published": "on"})
    assert response.status_code == 422
    assert "x" * 2001 in text(response)
    assert re.search(r'name="published"[^>]* checked', text(response))


def test_a_second_reply_is_refused_and_says_so(desk, enquiry, admin):
    enquiries.reply(enquiry, text="The broad one.", by=admin)
    response = desk.post(reply_address(enquiry), {"reply": "The narrow one."}, follow=True)
    assert "has its reply already" in text(response)
    assert Enquiry.objects.get().reply == "The broad one."


def test_who_reads_the_collection_alone_sees_no_question(client, enquiry, stranger):
    enquiry.worker.study.collection.__class__.objects.update(shared=True)
    client.cookies.clear()
    client.force_login(stranger)
    assert client.get(reverse("study_enquiries", args=[enquiry.worker.study_id])).status_code == 404
    assert client.post(reply_address(enquiry), {"reply": "x"}).status_code == 404


def test_questions_of_another_study_are_not_there(desk, enquiry, collection, researcher):
    from judging.models import Study

    other = Study.objects.create(collection=collection, name="Other", created_by=researcher, instructions="x")
    other.members.add(researcher)
    assert desk.post(reverse("enquiry_reply", args=[other.pk, enquiry.pk]), {"reply": "x"}).status_code == 404


def test_as_many_queries_for_many_questions_as_for_one(desk, enquiry, make_worker, django_assert_max_num_queries):
    for n in range(30):
        enquiries.ask(worker=make_worker(enquiry.worker.study), text=f"{n}?", item=enquiry.item)
    with django_assert_max_num_queries(7):
        desk.get(reverse("study_enquiries", args=[enquiry.worker.study_id]))
