"""Who is warned reads why before they go on; no answer is lost by it, and nobody else pays for it."""

import pytest
from django.urls import reverse

from judging.models import Exclusion, Judgement, Rule, Worker
from judging.work import exclusions
from tests.judging.work.test_judge_page import form_of, judge_url

pytestmark = pytest.mark.django_db
SCRIPT = {"X-Requested-With": "fetch"}


def warn(reason="Many answers came within a second.", rule=None):
    worker = Worker.objects.get()
    return exclusions.exclude(worker, reason=reason, standing=Worker.Standing.WARNED, rule=rule)


def text(response):
    return response.content.decode()


def read(client, link, until):
    return client.post(reverse("warning_read", args=[link.study_id]), {"until": until})


def test_a_warned_worker_reads_why_and_goes_on(joined, link):
    warning = warn()
    page = text(joined.get(judge_url(link)))
    assert "Many answers came within a second." in page
    assert reverse("instructions", args=[link.study_id]) in page
    assert 'class="item"' not in page
    assert read(joined, link, warning.pk).url == judge_url(link)
    warning.refresh_from_db()
    assert (warning.lifted is not None, warning.lifted_by) == (True, None)
    assert Worker.objects.get().standing == Worker.Standing.GOOD
    assert 'class="item"' in text(joined.get(judge_url(link)))


def test_the_page_says_it_in_italian(joined, link, researcher):
    rule = Rule.objects.create(study=link.study, signal="run", threshold=9, least=9, action="warned", created_by=researcher)
    warn("9 answers in a row of the same grade, of 30", rule)
    page = text(joined.get(judge_url(link), headers={"Accept-Language": "it"}))
    assert "Prima di continuare" in page
    assert "<p>9 risposte di seguito con lo stesso voto, su 30</p>" in page
    assert "Before you go on" not in page


def test_only_what_was_shown_counts_as_read(joined, link):
    first = warn("one")
    warn("two")
    read(joined, link, first.pk)
    assert Worker.objects.get().standing == Worker.Standing.WARNED
    page = text(joined.get(judge_url(link)))
    assert "<p>two</p>" in page
    assert "<p>one</p>" not in page


def test_the_answer_to_what_was_on_the_page_is_stored_and_has_a_vote(joined, link):
    form = form_of(joined.get(judge_url(link)))
    warn()
    reply = joined.post(judge_url(link), {**form, "grade": "2"}, headers=SCRIPT)
    assert "data-warned" in text(reply)
    assert Judgement.objects.get().slot is not None
    assert "Before you go on" in text(joined.get(judge_url(link)))


def test_without_a_script_the_next_page_is_the_warning(joined, link):
    form = form_of(joined.get(judge_url(link)))
    warn()
    assert "Before you go on" in text(joined.post(judge_url(link), {**form, "grade": "2"}, follow=True))
    assert Judgement.objects.count() == 1


def test_others_are_told_nothing_and_cost_nothing(joined, link, django_assert_num_queries):
    page = joined.get(judge_url(link))
    with django_assert_num_queries(2):
        joined.get(judge_url(link))
    reply = joined.post(judge_url(link), {**form_of(page), "grade": "2"}, headers=SCRIPT)
    assert "data-warned" not in text(reply)


def test_reading_a_warning_lifts_nothing_else(joined, link, researcher):
    warning = warn()
    blocked = exclusions.exclude(Worker.objects.get(), reason="enough", standing=Worker.Standing.BLOCKED, by=researcher)
    read(joined, link, blocked.pk)
    warning.refresh_from_db()
    assert warning.lifted is not None
    assert Exclusion.objects.get(lifted=None) == blocked
    assert Worker.objects.get().standing == Worker.Standing.BLOCKED


@pytest.mark.parametrize("until", ["", "x", "-1", "9" * 40])
def test_an_odd_form_lifts_nothing(joined, link, until):
    warn()
    assert read(joined, link, until).status_code == 302
    assert Worker.objects.get().standing == Worker.Standing.WARNED
