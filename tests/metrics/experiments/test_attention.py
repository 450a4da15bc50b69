"""Experiments that run although they are over ask for attention."""

import pytest

from metrics.kinds.attention import experiment_concerns
from tests.metrics.experiments.worlds import impressions, searches, send, started

pytestmark = pytest.mark.django_db

OVER = "The planned users have come: stop it and read it once. Each further look is a chance for a false alarm."
DECIDED = "It is decided: stop it, and give everybody what is better."


def said_of(user):
    return [(concern.text, concern.url) for concern in experiment_concerns(user)]


def experiment_of(site, researcher, compute, **settings):
    experiment = started(site, researcher, metrics=["ctr"], **settings)
    send(site, searches(experiment, {"control": 150, "new": 150}))
    compute(experiment)
    return experiment


def interleaved(site, researcher, compute, **settings):
    experiment = started(site, researcher, kind="interleaving", **settings)
    send(site, impressions(experiment, 80, prefers=0.9, texts=[f"bird {number}" for number in range(40)]))
    compute(experiment)
    return experiment


@pytest.mark.parametrize("begun", [experiment_of, interleaved])
def test_one_that_has_all_its_users(begun, site, researcher, compute, stranger):
    experiment = begun(site, researcher, compute, planned=40)
    assert said_of(researcher) == [(OVER, f"/experiments/{experiment.pk}/stop/")]
    assert said_of(stranger) == []


@pytest.mark.parametrize("begun", [experiment_of, interleaved])
def test_one_that_is_decided_and_may_be_read_at_any_time(begun, site, researcher, compute):
    experiment = begun(site, researcher, compute, planned=5000, looks="always_valid")
    assert said_of(researcher) == [(DECIDED, f"/experiments/{experiment.pk}/stop/")]


@pytest.mark.parametrize("begun", [experiment_of, interleaved])
def test_one_at_work_is_no_concern(begun, site, researcher, compute):
    begun(site, researcher, compute, planned=5000)
    assert said_of(researcher) == []
