"""Lists and the dashboard draw of an experiment what its page draws for the same reader, and nothing else."""

import pytest

from tests.metrics.experiments.worlds import impressions, searches, send, started

pytestmark = pytest.mark.django_db


def ab_test(site, researcher, *, users, planned=50, stopped=True):
    experiment = started(site, researcher, stopped=stopped, metrics=["ctr"], planned=planned)
    send(site, searches(experiment, users))
    return experiment


def interleaving(site, researcher, *, users, planned=50, stopped=True):
    experiment = started(site, researcher, kind="interleaving", stopped=stopped, planned=planned)
    send(site, impressions(experiment, users, texts=[f"birds {number}" for number in range(6)]))
    return experiment


WORLDS = {
    "A/B": (ab_test, {"users": {"control": 60, "new": 60}}, {"researcher": True, "reader": True}),
    "A/B, flawed": (ab_test, {"users": {"control": 200, "new": 60}}, {"researcher": False, "reader": False}),
    "A/B of few": (ab_test, {"users": {"control": 40, "new": 9}, "planned": 10}, {"reader": False}),
    "A/B, early": (ab_test, {"users": {"control": 60, "new": 60}, "planned": 500, "stopped": False}, {"researcher": False}),
    "interleaving": (interleaving, {"users": 60}, {"researcher": True, "reader": True}),
    "interleaving of few": (interleaving, {"users": 9, "planned": 5}, {"researcher": True, "reader": False}),
    "interleaving, early": (interleaving, {"users": 60, "planned": 500, "stopped": False}, {"researcher": False}),
}


@pytest.mark.parametrize("world", WORLDS)
def test_what_lists_draw_is_what_the_page_draws(site, researcher, reader, compute, client, world):
    make, facts, drawn = WORLDS[world]
    experiment = make(site, researcher, **facts)
    compute(experiment)
    for name, user in (("researcher", researcher), ("reader", reader)):
        client.force_login(user)
        on_page = '<table class="compact forests">' in client.get(f"/experiments/{experiment.pk}/report/").content.decode()
        assert on_page is drawn.get(name, on_page)
        for address in ("/experiments/", f"/sites/{site.pk}/experiments/", "/"):
            assert ("glance" in client.get(address).content.decode()) is on_page, (name, address)
