"""Intervals where items share topics: whole topics are drawn, and what is said where there are few of them."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import special, stats

from benchmarks.coverage.agreement import simulated, truth_of
from ireval.agreement import (
    Resampling,
    agreement_of,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    mean_cohen_kappa,
    percent_agreement,
)
from ireval.labels import labels_of
from tests.ireval.label_builders import frame_of, labels_from

FEW = Resampling(resamples=200)
COEFFICIENTS = [percent_agreement, fleiss_kappa, krippendorff_alpha, mean_cohen_kappa]


def study(topics=12, seed=1):
    return simulated(np.random.default_rng(seed), topics, "even")


def two_workers(labels):
    kept = labels.worker < 2
    parts = {name: getattr(labels, name)[kept] for name in ("item", "worker", "label")}
    return replace(labels, **parts, workers=labels.workers[:2])


def copied(labels, times):
    """The same labels with every item so many times over, each a document of the same topic."""
    frame = frame_of(labels).with_columns(topic=labels.topic[labels.item])
    copies = [frame.with_columns(item=pl.format("{} {}", "item", pl.lit(copy))) for copy in range(times)]
    return labels_of(pl.concat(copies), values=labels.values)


def test_the_interval_is_that_of_topics_drawn_one_by_one():
    labels, rng = study(), np.random.default_rng(5)
    frame = frame_of(labels).with_columns(topic=labels.topic[labels.item])
    by_topic = [part.drop("topic") for part in frame.partition_by("topic")]
    values = []
    for _ in range(400):
        drawn = [by_topic[topic].with_columns(item=pl.format("{} {}", "item", pl.lit(place)))
                 for place, topic in enumerate(rng.integers(0, 12, 12))]  # fmt: skip
        values.append(percent_agreement(labels_of(pl.concat(drawn)), Resampling(resamples=1)).value)
    tail = stats.norm.cdf(math.sqrt(12 / 11) * special.stdtrit(11, 0.05))
    agreement = percent_agreement(labels, Resampling(resamples=4000, confidence=0.9))
    assert agreement.topics == 12
    assert (agreement.low, agreement.high) == pytest.approx(np.quantile(values, [tail, 1 - tail]), abs=0.012)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_topics_of_one_document_each_are_items(coefficient):
    labels = study()
    items = coefficient(replace(labels, topic=None), resampling=FEW)
    topics = coefficient(replace(labels, topic=np.arange(len(labels.items))), resampling=FEW)
    assert (items.topics, topics.topics) == (0, len(labels.items))
    assert items._replace(topics=0) == topics._replace(topics=0)


@pytest.mark.parametrize("coefficient", [percent_agreement, fleiss_kappa, krippendorff_alpha, mean_cohen_kappa])
def test_the_same_documents_again_say_nothing_new(coefficient):
    """Of documents that are there four times items would be twice as sure; topics are as sure as before."""
    labels, again = study(), copied(study(), 4)
    once, more = coefficient(labels, resampling=FEW), coefficient(again, resampling=FEW)
    assert more.high - more.low == pytest.approx(once.high - once.low, rel=0.05)
    items = [coefficient(replace(some, topic=None), resampling=FEW) for some in (labels, again)]
    assert items[1].high - items[1].low == pytest.approx((items[0].high - items[0].low) / 2, rel=0.15)


def test_cohens_kappa_draws_topics():
    labels = two_workers(study())
    topics, items = (cohen_kappa(some, resampling=FEW) for some in (labels, replace(labels, topic=None)))
    assert (topics.topics, topics.value) == (12, items.value)
    assert topics.high - topics.low > items.high - items.low


def test_only_topics_with_something_to_compare_are_drawn():
    labels = labels_from("0 1 0 1", "0 1 1 .")
    labels = replace(labels, topic=np.array([0, 1, 1, 2]))
    assert [agreement.topics for agreement in agreement_of(labels) if not agreement.undefined] == [2, 2, 2]


def test_nine_in_ten_intervals_and_more_hold_the_agreement_on_all_topics():
    """Of 200 studies of 30 topics; of intervals over items hardly half do. `benchmarks.coverage` counts 2,000."""
    resampling = Resampling(resamples=300)
    truth = truth_of("even", "α, ordinal", times=1)
    held = np.zeros(2)
    for seed in range(200):
        labels = study(topics=30, seed=seed)
        alphas = [krippendorff_alpha(some, "ordinal", resampling) for some in (labels, replace(labels, topic=None))]
        held += [alpha.low <= truth <= alpha.high for alpha in alphas]
    assert held[0] >= 180
    assert held[1] <= 140


@pytest.mark.parametrize(
    ("topics", "caution"),
    [
        (1, "a single topic has no interval"),
        (29, "with 29 topics the interval may be too narrow: 30 are needed"),
        (30, ""),
    ],
)
def test_few_topics_are_told(topics, caution):
    for coefficient in COEFFICIENTS:
        agreement = coefficient(study(topics), resampling=FEW)
        assert (agreement.caution, agreement.topics) == (caution, topics)
        assert math.isnan(agreement.low) == (topics == 1)


def test_few_items_are_told():
    assert percent_agreement(labels_from("0 1", "0 0")).caution == "with 2 items the interval may be too narrow: 30 are needed"


def test_topics_of_uneven_size_count_as_fewer():
    """Of 40 topics one has as many documents as the others together: they say as much as (78²) / (39² + 39) of equal size."""
    grades = np.random.default_rng(1).integers(0, 2, (78, 2))
    labels = labels_from(*(" ".join(map(str, column)) for column in grades.T))
    uneven = percent_agreement(replace(labels, topic=np.maximum(np.arange(78) - 38, 0)), FEW)
    assert uneven.topics == 40
    assert uneven.caution.startswith("with 40 topics, which say as much as 4 of equal size, the interval may be too narrow")
