"""Questions of workers and the researchers' replies: who may do what, how often, and what is left of them."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judging.collections.deletion import delete_study
from judging.errors import Impossible
from judging.models import AuditEntry, Enquiry, Study
from judging.recruiting.arrivals import Claim, consent, erase
from judging.recruiting.channels import add_channel
from judging.work import enquiries

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(running, make_worker):
    return make_worker(running)


@pytest.fixture
def enquiry(worker):
    return enquiries.ask(worker=worker, text="Which sense of “owl”?", item=worker.study.items.first())


def test_the_same_question_sent_twice_is_kept_once(worker, enquiry):
    assert enquiries.ask(worker=worker, text=enquiry.text, item=enquiry.item) == enquiry
    assert enquiries.ask(worker=worker, text=enquiry.text) != enquiry  # about something else


def test_twenty_questions_may_wait_and_no_more(worker, make_worker, researcher):
    asked = [enquiries.ask(worker=worker, text=f"question {n}") for n in range(20)]
    with pytest.raises(Impossible, match="Twenty"):
        enquiries.ask(worker=worker, text="one more")
    enquiries.ask(worker=make_worker(worker.study), text="somebody else’s")
    enquiries.reply(asked[0], text="Yes.", by=researcher)
    assert enquiries.ask(worker=worker, text="one more")


def test_a_question_is_answered_once(enquiry, researcher, admin):
    enquiries.reply(enquiry, text="The broad one.", by=researcher)
    with pytest.raises(Impossible, match="reply already"):
        enquiries.reply(enquiry, text="The narrow one.", by=admin)
    enquiry.refresh_from_db()
    assert (enquiry.reply, enquiry.replied_by) == ("The broad one.", researcher)


def test_the_audit_says_who_replied_and_none_of_the_words(enquiry, researcher):
    enquiries.reply(enquiry, text="The broad one.", by=researcher, published=True)
    entry = AuditEntry.objects.first()
    assert (entry.deed, entry.by, entry.study) == ("replied", researcher, enquiry.worker.study)
    assert entry.about == f"question {enquiry.pk} of {enquiry.worker}, for all workers"


def test_only_published_replies_are_for_others(enquiry, researcher, make_worker, study):
    other = make_worker(enquiry.worker.study)
    enquiries.reply(enquiry, text="The broad one.", by=researcher)
    assert not enquiries.published_enquiries(other)
    second = enquiries.ask(worker=enquiry.worker, text="And swallows?")
    enquiries.reply(second, text="Both kinds.", by=researcher, published=True)
    assert enquiries.published_enquiries(other).get() == second
    assert not enquiries.published_enquiries(enquiry.worker)
    elsewhere = Study.objects.create(collection=study.collection, name="Other", created_by=researcher, instructions="x")
    assert not enquiries.published_enquiries(make_worker(elsewhere))


def test_a_reply_that_came_meanwhile_is_still_unread(worker, enquiry, researcher):
    shown = list(enquiries.own_enquiries(worker))
    enquiries.reply(enquiry, text="The broad one.", by=researcher)
    enquiries.mark_read(worker, shown)
    assert Enquiry.objects.get().read is None
    enquiries.mark_read(worker, enquiries.own_enquiries(worker))
    assert Enquiry.objects.get().read


def test_who_waited_longest_comes_first_and_replies_last(worker, researcher):
    first, second, third = (enquiries.ask(worker=worker, text=text) for text in "abc")
    enquiries.reply(first, text="Yes.", by=researcher)
    assert list(enquiries.enquiries_of(worker.study)) == [second, third, first]
    assert enquiries.open_enquiries(worker.study) == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"reply": "Yes."},
        {"replied": timezone.now()},
        {"reply": "Yes.", "replied": timezone.now()},
        {"published": True},
        {"read": timezone.now()},
    ],
)
def test_the_database_refuses_what_is_no_question_or_no_reply(worker, fields):
    with pytest.raises(IntegrityError), transaction.atomic():
        Enquiry.objects.create(**{"worker": worker, "text": "Why?"} | fields)


def test_a_study_that_nobody_judged_in_goes_with_its_questions(enquiry):
    delete_study(enquiry.worker.study)
    assert not Enquiry.objects.exists()


def test_who_is_erased_leaves_no_question(running, researcher, enquiry):
    arrival = consent(add_channel(running, by=researcher, source="prolific"), Claim("p1", "s1", key=str(uuid4())))
    enquiries.ask(worker=arrival.worker, text="I am Jo Doe: was I paid?")
    erase(arrival)
    assert Enquiry.objects.get() == enquiry
