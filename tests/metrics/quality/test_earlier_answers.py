"""What a report on a graded study said before more was judged, and what changed then."""

import pytest
from django.urls import reverse
from django.utils.html import escape
from rest_framework.test import APIClient

from judging.work.exclusions import exclude
from metrics.kinds.answers import earlier_answers
from metrics.kinds.overview import sentence
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.studies import request_study_report
from metrics.models import EarlierAnswer, Report
from tests.metrics.quality.conftest import answer

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def again(crowd, compute):
    return lambda: compute(request_study_report(QUALITY, crowd))


def judge_more(crowd, make_worker):
    answer(make_worker(crowd), crowd.items.get(document__docno="d2"), 3)


def test_the_answer_outlives_its_report(crowd, report, again, make_worker, researcher):
    text = sentence(report, researcher)
    judge_more(crowd, make_worker)
    second = again()
    assert list(Report.objects.all()) == [second]
    (past,) = earlier_answers(second, researcher)
    assert (past.answer.sentence, past.answer.computed) == (text, report.finished)


def test_what_changed_is_told_in_one_sentence(crowd, report, again, make_worker, researcher):
    before = report.parts.get(name="agreement").result["coefficients"][-1]["value"]
    judge_more(crowd, make_worker)
    second = again()
    after = second.parts.get(name="agreement").result["coefficients"][-1]["value"]
    (past,) = earlier_answers(second, researcher)
    told = f"α still {after:.3f}" if f"{after:.3f}" == f"{before:.3f}" else f"α {after:.3f}, was {before:.3f}"
    assert past.change == f"1 judgement more (was 18); {told}."


def test_who_is_excluded_is_a_change(crowd, report, again, researcher):
    exclude(crowd.workers.first(), by=researcher, reason="too fast")
    (past,) = earlier_answers(again(), researcher)
    assert "ther workers are excluded; α" in past.change


def test_page_and_api_list_it(crowd, report, again, make_worker, rita, researcher):
    text = sentence(report, researcher)
    page, api = reverse("study_quality", args=[crowd.pk]), APIClient()
    api.force_authenticate(researcher)
    assert "Earlier answers" not in rita.get(page).content.decode()
    judge_more(crowd, make_worker)
    again()
    html = rita.get(page).content.decode()
    assert "Earlier answers" in html and escape(text) in html and "1 judgement more (was 18)" in html
    (row,) = api.get(f"/api/v1/studies/{crowd.pk}/quality/").json()["earlier"]
    assert row["sentence"] == text
    assert row["change"].startswith("1 judgement more (was 18)")


def test_it_goes_with_its_study(crowd, report, again, make_worker):
    judge_more(crowd, make_worker)
    again()
    assert EarlierAnswer.objects.get().study == crowd
    EarlierAnswer.objects.get().study.reports.all().delete()
    assert EarlierAnswer.objects.exists(), "reports can be computed again, and answers cannot"


@pytest.mark.parametrize("name", ["study_quality", "study_quality_items", "study_quality_workers", "study_systems"])
def test_every_page_asks_again_once_more_was_judged(crowd, report, make_worker, rita, name):
    address = reverse(name, args=[crowd.pk])
    assert "Compute again" not in rita.get(address).content.decode()
    judge_more(crowd, make_worker)
    html = rita.get(address).content.decode()
    assert "1 judgement since" in html and "Compute again" in html
