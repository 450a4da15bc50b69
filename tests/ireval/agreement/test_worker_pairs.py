"""Cohen's κ over all pairs of workers, against the definition pair by pair."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from ireval import Resampling, cohen_kappa, labels_of
from ireval.agreement import mean_cohen_kappa

FEW = Resampling(resamples=200)


def crowd(seed=3, items=40, workers=6, values=3):
    """Workers who label about two thirds of the items, mostly rightly."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values, items)
    rows = [
        (f"i{item}", f"w{worker}", int(truth[item] if rng.random() < 0.7 else rng.integers(0, values)))
        for item in range(items)
        for worker in range(workers)
        if rng.random() < 0.66
    ]
    return pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row")


def pair_by_pair(frame, weights, least):
    """Cohen's κ of every two workers with enough items in common, each from a table of their own."""
    kappas = []
    for two in combinations(sorted(frame["worker"].unique()), 2):
        theirs = frame.filter(pl.col("worker").is_in(two))
        both = theirs.filter(pl.len().over("item") == 2)
        if both["item"].n_unique() >= least:
            kappas.append(cohen_kappa(labels_of(both, values=["0", "1", "2"]), weights, FEW).value)
    return kappas


@pytest.mark.parametrize("weights", ["unweighted", "quadratic"])
@pytest.mark.parametrize("least", [1, 10, 20])
def test_it_is_the_mean_of_the_kappas_of_all_pairs_with_enough_in_common(weights, least):
    frame = crowd()
    expected = pair_by_pair(frame, weights, least)
    kappa = mean_cohen_kappa(labels_of(frame, values=["0", "1", "2"]), weights, FEW, least=least)
    assert 1 < len(expected) <= 15
    assert f"{len(expected)} pairs" in kappa.title
    assert kappa.value == pytest.approx(np.mean(expected))
    assert kappa.low < kappa.value < kappa.high


def test_of_two_workers_it_is_cohens_kappa_itself():
    labels = labels_of(crowd(workers=2, items=8))
    assert mean_cohen_kappa(labels, resampling=FEW) == cohen_kappa(labels, resampling=FEW)


def test_pairs_without_enough_in_common_say_nothing():
    rows = [(item, worker, 1) for item in "abc" for worker in "xyz"]
    labels = labels_of(pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row"))
    assert mean_cohen_kappa(labels).undefined == "no two workers have 10 items in common"
    assert mean_cohen_kappa(labels, least=3).undefined == "in each pair of workers both use one label only"


def test_one_worker_has_no_pair():
    assert mean_cohen_kappa(labels_of(crowd(workers=1))).undefined == "no two workers have 10 items in common"


def test_the_interval_covers_what_the_items_were_drawn_from():
    """Of 60 crowds, intervals at 90 % cover the κ of a crowd a hundred times as large about as often as they say."""
    resampling = Resampling(confidence=0.9, resamples=200)
    truth = mean_cohen_kappa(labels_of(crowd(seed=999, items=4000)), resampling=Resampling(resamples=1)).value
    kappas = [mean_cohen_kappa(labels_of(crowd(seed=seed, items=60)), resampling=resampling) for seed in range(60)]
    covered = np.mean([kappa.low <= truth <= kappa.high for kappa in kappas])
    assert 0.8 <= covered <= 0.99
