"""The pages on what workers prefer: what they show, and what they say where there is nothing to show."""

import pytest
from django.urls import reverse

from judging import assignment, excluding
from judging.models import Outbox
from metrics.models import StudyReport
from metrics.quality import asking

pytestmark = pytest.mark.django_db


def page(browser, study, name="study_preferences", query="", more=(), **headers):
    response = browser.get(reverse(name, args=[study.pk, *more]) + query, **headers)
    assert response.status_code == 200
    return response.content.decode()


def between(study, first, second):
    keys = dict(study.runs.values_list("name", "pk"))
    return f"?first={keys[first]}&second={keys[second]}"


def test_the_answer_comes_first_in_a_sentence(rita, judged, report):
    shown = page(rita, judged)
    assert "beta leads the 3 systems" in shown
    assert "3 of 3 pairs can be told apart" in shown
    assert "Workers prefer beta to alpha on 10 of 10 decided topics" in shown
    assert "n = 12 topics with 48 votes by 4 workers" in shown


def test_a_pair_is_chosen_by_its_address_and_seen_from_either_side(rita, judged, report):
    shown = page(rita, judged, query=between(judged, "gamma", "alpha"))
    assert "Workers prefer alpha to gamma" in shown
    assert "Score of gamma" in shown
    assert "and 2 topics on which both show the same" in shown
    assert "The same, with 2 identical topics as ties" in shown
    assert "Score of alpha" in page(rita, judged, query=between(judged, "alpha", "gamma"))
    assert "Choose two different systems" in page(rita, judged, query=between(judged, "alpha", "alpha"))


def test_the_first_is_asked_for_by_whoever_opens_the_page(rita, judged, compute):
    shown = page(rita, judged)
    assert 'id="quality-progress"' in shown
    assert f'hx-get="{reverse("study_preferences", args=[judged.pk])}"' in shown
    page(rita, judged)
    assert StudyReport.objects.count() == Outbox.objects.filter(task="metrics.tasks.compute_study_report").count() == 1
    waiting = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "quality-progress"}
    assert "Waiting for a Celery worker" in page(rita, judged, **waiting)
    compute(StudyReport.objects.get())
    assert rita.get(reverse("study_preferences", args=[judged.pk]), **waiting)["HX-Refresh"] == "true"


def test_nobody_has_answered(rita, comparing):
    assert "No answers yet" in page(rita, comparing)
    assert not StudyReport.objects.exists()


def test_what_has_come_since_is_said_and_computed_when_asked(rita, comparing, make_worker, prefer, compute):
    worker = make_worker(comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    compute(asking.request_quality(comparing))
    assert "nothing has changed since" in page(rita, comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    assert "1 answer since" in page(rita, comparing)
    again = rita.post(reverse("study_preferences_again", args=[comparing.pk]), follow=True).content.decode()
    assert 'id="quality-progress"' in again
    compute(asking.unfinished(comparing))
    assert "nothing has changed since" in page(rita, comparing)


def test_an_exclusion_makes_it_out_of_date(rita, judged, report):
    excluding.exclude(judged.workers.first(), reason="x")
    assert "who is excluded, or how many answers are wanted, has changed since" in page(rita, judged)


def test_a_failed_one_says_why_and_can_be_tried_again(rita, judged):
    asking.request_quality(judged)
    StudyReport.objects.update(state="failed", error="The disk is full.")
    assert "The disk is full." in page(rita, judged)
    rita.post(reverse("study_preferences_again", args=[judged.pk]))
    assert 'id="quality-progress"' in page(rita, judged)
