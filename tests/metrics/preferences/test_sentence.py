"""A side-by-side study's report in one sentence, in the list of all."""

import pytest

from metrics.kinds.overview import sentence, with_sentences
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.studies import request_study_report
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def sentence_of(report, user) -> str:
    return sentence(with_sentences(Report.objects.all()).get(pk=report.pk), user)


def test_it_says_who_leads(report, researcher, client):
    summary = sentence_of(report, researcher)
    assert "beta leads the 3 systems" in summary or "beta and alpha lead the 3 systems" in summary
    client.force_login(researcher)
    assert summary.split(".")[0] in client.get(report.get_absolute_url()).content.decode()


def test_without_an_answer_it_says_so(comparing, compute, researcher):
    assert sentence_of(compute(request_study_report(PREFERENCES, comparing)), researcher) == "No answer counts."
