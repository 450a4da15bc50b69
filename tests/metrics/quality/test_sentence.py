"""A study's report in one sentence, in the list of all."""

import pytest

from judging.work import exclusions
from metrics.kinds.overview import sentence, with_sentences
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.results import coefficients
from metrics.kinds.studies import request_study_report
from metrics.models import Report

pytestmark = pytest.mark.django_db


def sentence_of(report, user) -> str:
    return sentence(with_sentences(Report.objects.all()).get(pk=report.pk), user)


def test_it_says_the_coefficient_of_the_page_and_of_how_many(report, researcher):
    alpha = coefficients(report)[-1]
    summary = sentence_of(report, researcher)
    assert summary.startswith(f"{alpha.title[0].upper()}{alpha.title[1:]} is {alpha.value:.3f} (95 % interval {alpha.low:.3f} to")
    assert "n = 18 votes by 3 workers on 6 items." in summary
    assert summary.endswith("are needed.")
    assert alpha.name == "alpha-ordinal"


def test_that_no_people_judged_comes_first(crowd, compute, researcher):
    crowd.workers.update(simulated=True)
    summary = sentence_of(compute(request_study_report(QUALITY, crowd)), researcher)
    assert summary.startswith("18 of 18 votes are simulated")


def test_without_a_vote_it_says_why(crowd, compute, researcher):
    for worker in crowd.workers.all():
        exclusions.exclude(worker, reason="x")
    assert sentence_of(compute(request_study_report(QUALITY, crowd)), researcher).startswith("No judgement has a vote")
