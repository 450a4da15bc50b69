"""A side-by-side study's page says one thing of each pair, in random worlds."""

import numpy as np
import polars as pl
import pytest
from django.urls import reverse

from ireval.io.tables import parquet_of
from metrics.kinds.preferences.evidence import answers_of, evidence_of
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.models import Table
from tests.metrics.statements import FLIPPED, WORLDS, expect_one_answer, page_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.slow,
    pytest.mark.soak(short=True),
    pytest.mark.usefixtures("judged"),
]


def test_side_by_side(client, researcher, judged, report):
    answers, told = answers_of(report), 0
    keys = dict(judged.runs.values_list("name", "pk"))
    for world in WORLDS:
        draw_votes(report, answers, np.random.default_rng(world))
        address = reverse("study_preferences", args=[judged.pk])
        every = expect_one_answer(page_of(client, researcher, address))
        for first, second in (("alpha", "beta"), ("gamma", "beta"), ("gamma", "alpha")):
            pair = expect_one_answer(page_of(client, researcher, f"{address}?first={keys[first]}&second={keys[second]}"))
            assert pair == every != {}
        told += sum(outcome in FLIPPED for outcome in every.values())
    assert 0.4 < told / len(WORLDS) < 2.6


def draw_votes(report, answers, rng):
    """Have everybody answer anew, for systems and by workers as different as the world has them."""
    strength = dict(zip(["alpha", "beta", "gamma"], rng.normal(0, rng.choice([0.1, 0.5, 1.5]), 3), strict=True))
    workers = dict.fromkeys(answers["worker"].unique().sort())
    tastes = {worker: rng.normal(0, 0.3) for worker in workers}
    winners = []
    for left, right, worker in answers.select("left", "right", "worker").iter_rows():
        apart = strength[left] - strength[right] + tastes[worker] + rng.logistic()
        winners.append("left" if apart > 0.4 else "right" if apart < -0.4 else "tie")
    drawn = answers.with_columns(winner=pl.Series(winners), strength=pl.lit(1))
    Table.objects.filter(report=report, part=None).update(content=parquet_of(drawn))
    evidence = evidence_of(report)
    for name in ("pairs", "systems", "trust"):
        report.parts.filter(name=name).update(result=PREFERENCES.steps[name](evidence).result)
