"""An experiment's report in one sentence, in the list of all: what its page says to the same reader."""

import re

import pytest

from metrics.kinds.overview import sentence, with_sentences
from metrics.models import Report
from tests.metrics.experiments.worlds import impressions, searches, send, started

pytestmark = pytest.mark.django_db


def sentence_of(report, user) -> str:
    return sentence(with_sentences(Report.objects.all()).get(pk=report.pk), user)


def test_an_ab_test_says_which_arm_is_better(report, experiment, researcher, reader, read):
    summary = sentence_of(report, researcher)
    assert re.match(
        r"new is better than control: ctr is higher. Difference \+\S+ points \(95 % interval .*\), n = \d+ and", summary
    )
    assert summary == sentence_of(report, reader)
    assert summary in read(experiment, researcher)


def test_what_cannot_be_believed_is_not_told_as_a_result(site, researcher, compute):
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], planned=120)
    send(site, searches(experiment, {"control": 150, "new": 40}))
    summary = sentence_of(compute(experiment), researcher)
    assert "Users are not shared out among the arms as they should be" in summary
    assert "better" not in summary


def test_before_its_time_it_says_that_it_is_too_early(site, researcher, compute):
    experiment = started(site, researcher, metrics=["ctr"], planned=400)
    send(site, searches(experiment, {"control": 30, "new": 30}))
    assert sentence_of(compute(experiment), researcher) == "Not yet: 60 of 400 users have come."


def test_interleaving_says_whom_users_prefer(site, researcher, compute, read):
    experiment = started(site, researcher, kind="interleaving", stopped=True, planned=40)
    send(site, impressions(experiment, 60, texts=[f"query {number}" for number in range(20)]))
    summary = sentence_of(compute(experiment), researcher)
    assert summary.startswith("Users prefer new to control. new gets 84.3 % of votes (95 % interval 76.9 to 91.6 %), n = 127 ")
    assert summary in read(experiment, researcher)


@pytest.mark.parametrize("kind", ["ab", "interleaving"])
def test_readers_learn_nothing_of_few(site, researcher, reader, compute, kind):
    experiment = started(site, researcher, kind=kind, stopped=True, planned=4, **{"metrics": ["ctr"]} if kind == "ab" else {})
    few = searches(experiment, {"control": 4, "new": 4}) if kind == "ab" else impressions(experiment, 6)
    send(site, few)
    report = compute(experiment)
    assert sentence_of(report, reader) == "Too few users to show: readers see what 10 users or more did."
    assert sentence_of(report, researcher) != sentence_of(report, reader)
