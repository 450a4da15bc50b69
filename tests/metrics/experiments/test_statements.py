"""An experiment's page says one thing of each question, to its owner and to a reader, in random worlds."""

import json
from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from django.utils import timezone

from ireval.behaviour import Behaviour
from ireval.io.plain import plain
from judging.models import Experiment
from metrics.kinds.interleaving.parts import compared
from metrics.models import Report
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.statements import FLIPPED, WORLDS, expect_the_same_for_both, page_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.slow, pytest.mark.soak(short=True)]


@pytest.mark.parametrize("looks", ["fixed", "always_valid"])
def test_ab(client, researcher, stranger, site, compute, looks):
    site.readers.add(stranger)
    arms = ("control", "new", "newer", "rare")
    metrics = ["ctr", "abandonment", "clicks", "conversion:purchase"]
    experiment = started(
        site, researcher, arms=arms, stopped=True, metrics=metrics, segments=["device"], planned=200, looks=looks
    )  # fmt: skip
    send(site, searches(experiment, {"control": 60, "new": 60, "newer": 60, "rare": 5}, chances=dict.fromkeys(arms, 0.4)))
    report = compute(experiment)
    before, told = json.dumps(report.result), 0
    address = f"/experiments/{experiment.pk}/report/"
    for world in WORLDS:
        result = json.loads(before)
        rng = np.random.default_rng(world)
        behaviour = Behaviour.from_sums(result["behaviour"])
        moved = replace(behaviour, experiment=moved_means(behaviour.experiment, rng))
        Report.objects.filter(pk=report.pk).update(result={**result, "behaviour": moved.as_sums()})
        answers = expect_the_same_for_both(client, researcher, stranger, f"{address}?control=control")
        told += sum(outcome in FLIPPED for outcome in answers.values())
    assert told > 0.4 * len(WORLDS)


def moved_means(sums, rng):
    """The experiment with other means: each arm's are moved by as much as the world has it."""
    size = rng.choice([0.02, 0.2, 0.5])
    metrics = tuple(
        replace(
            metric,
            moments=tuple(
                replace(moments, mean=moments.mean * np.append(1 + rng.normal(0, size), np.ones(len(moments.mean) - 1)))
                for moments in metric.moments
            ),
        )
        for metric in sums.metrics
    )
    return replace(sums, metrics=metrics)


@pytest.mark.parametrize("looks", ["fixed", "always_valid"])
def test_interleaving(client, researcher, stranger, site, compute, looks):
    site.readers.add(stranger)
    arms = ("control", "new", "newer")
    experiment = started(site, researcher, arms=arms, kind="interleaving", stopped=True, planned=60, looks=looks)
    send(site, impressions(experiment, 40, arms=arms))
    report = compute(experiment)
    result, told = report.result, 0
    for world in WORLDS:
        rng = np.random.default_rng(world)
        users = int(rng.integers(8, 60))
        favour = rng.dirichlet(np.full(3, rng.choice([1.0, 20.0])))
        unit = np.sort(rng.integers(0, users, 5 * users))
        chosen = rng.choice(3, size=len(unit), p=favour)
        columns = {f"credit_{place}": (chosen == place).astype(float) for place in range(3)}
        rows = pl.DataFrame({"unit": unit, "query": rng.integers(0, 40, len(unit)), **columns})
        rows = rows.with_columns(pl.col("unit", "query").rank("dense").cast(pl.Int64) - 1)
        Report.objects.filter(pk=report.pk).update(result={**result, "whole": plain(compared(rows, report)), "looks": []})
        answers = expect_the_same_for_both(client, researcher, stranger, f"/experiments/{experiment.pk}/report/")
        told += sum(outcome in FLIPPED for outcome in answers.values())
    assert told > 0.4 * len(WORLDS)


def test_nothing_is_green_in_the_first_hours(client, researcher, site, compute):
    experiment = started(site, researcher, days=0.05, metrics=["ctr"], planned=5000, looks="always_valid")
    send(site, searches(experiment, {"control": 150, "new": 150}, chances={"control": 0.1, "new": 0.9}))
    compute(experiment)
    address = f"/experiments/{experiment.pk}/report/"
    early = page_of(client, researcher, address)
    assert "Not yet: it has run for 1 hour." in early and "new users per day" not in early
    Experiment.objects.filter(pk=experiment.pk).update(started=timezone.now() - timedelta(days=1.2))
    assert "new is better than control: ctr is higher." in page_of(client, researcher, address)
