"""A verdict is in its reader's language; what is stored is in English, and today's answer is compared with it in English."""

import pytest
from django.urls import reverse
from django.utils import translation

from metrics.kinds.answers import earlier_answer, earlier_answers
from metrics.kinds.verdict.results import VerdictResults
from metrics.kinds.verdict.words import sentence
from metrics.models import Report
from tests.metrics.verdict.test_earlier_answers import fewer_grades

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def german():
    with translation.override("de"):
        yield


def test_the_sentence_is_stored_in_english_and_read_in_german(rita, hypothesis, voted, computed):
    report = computed(hypothesis)
    assert report.result["sentence"] == VerdictResults(report).sentence
    page = rita.get(reverse("verdict", args=[hypothesis.pk]), headers={"Accept-Language": "de"}).content.decode()
    assert "dense ist besser als lexical, nach Noten von Fachleuten und Stimmen Seite an Seite." in page
    assert "Nach Noten von Fachleuten: +" in page
    assert report.result["sentence"] not in page


def test_a_german_reader_keeps_no_answer_in_german(hypothesis, computed, researcher, german):
    report = computed(hypothesis)
    kept = earlier_answer(report)
    assert kept.sentence != sentence(report, researcher)
    with translation.override("en"):
        assert kept.sentence == sentence(report, researcher)


def test_an_answer_that_a_german_reader_sees_again_is_the_same(hypothesis, computed, collection, researcher, german):
    first = computed(hypothesis)
    kept = earlier_answer(first)
    kept.computed = hypothesis.created
    kept.save()
    assert earlier_answers(first, researcher) == []
    fewer_grades(collection, researcher)
    computed(hypothesis)
    (past,) = earlier_answers(Report.objects.get(), researcher)
    assert past.change == "Noten von Fachleuten: 24 → 10 Themen."
