"""A click report in one sentence, in the list of all."""

from types import SimpleNamespace

import pytest

from ireval.significance import decide
from ireval.significance.decision import Estimate
from judging.logs.intake import receive
from judging.models import User
from metrics.kinds.clicks.words import foresight
from metrics.kinds.overview import sentence, with_sentences
from metrics.models import Report
from tests.metrics.logs.clicked_log import computed, search

pytestmark = pytest.mark.django_db


def sentence_of(report, user) -> str:
    return sentence(with_sentences(Report.objects.all()).get(pk=report.pk), user)


@pytest.fixture
def reader(site):
    user = User.objects.create_user("reed", is_researcher=True)
    site.readers.add(user)
    return user


def test_it_says_how_often_people_click(site, researcher, reader):
    for number in range(30):
        receive(site, search(number, clicked="b" if number % 3 else ""))
    summary = sentence_of(computed(site), researcher)
    assert summary == (
        "67 % (95 % interval 49 to 85 %) of 30 impressions to 30 users have a click on the first 10 results, of all that is kept."
    )
    assert sentence_of(Report.objects.get(), reader) == summary


def test_readers_learn_nothing_of_few(site, researcher, reader):
    for number in range(9):
        receive(site, search(number, clicked="b"))
    report = computed(site)
    assert sentence_of(report, reader) == "Too few users to show: readers see what 10 users or more did."
    assert sentence_of(report, researcher).startswith("100 % of 9 impressions to 9 users")


def test_of_a_time_without_searches_it_says_so(site, researcher):
    receive(site, search(1))
    report = computed(site)
    Report.objects.update(result={**report.result, "impressions": 0})
    assert sentence_of(report, researcher) == "No search in this time says what it showed."


def test_a_model_that_surely_foresees_is_named_though_another_gains_more():
    decisions = decide([Estimate(0.05, 0.03, 200), Estimate(0.02, 0.003, 200)])
    rows = [{"title": title, "decision": decision} for title, decision in zip(("first", "second"), decisions, strict=True)]
    assert foresight(SimpleNamespace(held_out=rows)).startswith("The second foresees clicks better than")
    assert foresight(SimpleNamespace(held_out=rows[:1])).startswith("No model was found to foresee")
