"""Two who start at once: nothing starts twice, and of two that want more than is left one is told."""

import pytest

from judging.experiments import drafts, lifecycle
from judging.models import Allotment, AuditEntry, Experiment
from tests.judging.work.test_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def try_to_start(researcher):
    def all_at_once(*experiments):
        refused = []

        def attempt(experiment):
            try:
                lifecycle.start(experiment, by=researcher)
            except lifecycle.CannotStart as error:
                refused.append(str(error))

        at_once(*(lambda draft=draft: attempt(draft) for draft in experiments))
        return refused

    return all_at_once


@pytest.mark.parametrize("attempt", range(3))
def test_of_two_that_want_the_same_parts_one_is_told(draft, try_to_start, attempt):
    refused = try_to_start(*(draft(name=name, group="rankings", traffic=60) for name in "ab"))
    assert len(refused) == 1
    assert "has 40 % of its users left" in refused[0]
    assert Allotment.objects.count() == 60
    assert Experiment.objects.filter(state="running").count() == 1


@pytest.mark.parametrize("attempt", range(3))
def test_one_experiment_starts_once(draft, try_to_start, attempt):
    made = draft(group="rankings", traffic=10)
    assert len(try_to_start(*(Experiment.objects.get(pk=made.pk) for _ in range(3)))) == 2
    assert Allotment.objects.count() == 10
    assert AuditEntry.objects.filter(deed="launched").count() == 1


@pytest.mark.parametrize("attempt", range(3))
def test_a_change_beside_a_start_comes_before_it_or_not_at_all(draft, researcher, attempt):
    made = draft()
    changed = []

    def change():
        try:
            changed.append(drafts.change(Experiment.objects.get(pk=made.pk), traffic=10).traffic)
        except drafts.NotADraft:
            changed.append(100)

    at_once(change, lambda: lifecycle.start(Experiment.objects.get(pk=made.pk), by=researcher))
    made.refresh_from_db()
    assert (made.state, [made.traffic]) == ("running", changed)
