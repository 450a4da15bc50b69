"""Graded labels: which method errs least, of large crowds and of small ones, and what the models learn of workers."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.labels import confidence, web_search
from ireval.aggregation import aggregate, default_method, ordinal
from ireval.labels import Labels, labels_of
from tests.ireval.label_builders import frame_of, labels_from, world


def test_on_grades_the_ordinal_model_errs_least():
    rates = {method: [] for method in ("majority", "median", "dawid-skene", "ordinal")}
    for seed in range(6):
        labels, (truth, *_) = world(np.random.default_rng(seed))
        for method, errors in rates.items():
            errors.append(aggregate(labels, method, ties="split").error_rate(truth))
    mean = {method: np.mean(errors) for method, errors in rates.items()}
    assert mean["ordinal"] < 0.85 * mean["dawid-skene"] < 0.8 * mean["median"] < 0.8 * mean["majority"]


@pytest.mark.parametrize("grades", [4, 5])
def test_uneven_grades_and_lazy_workers_do_not_mislead_the_ordinal_model(grades):
    """Crowds like those of web search; with evenly spaced true grades its errors were more than a majority's in some."""
    crowds = [web_search(seed, grades) for seed in range(4)]
    rates = {
        method: np.array([aggregate(labels, method).error_rate(truth) for labels, truth in crowds])
        for method in ("majority", "dawid-skene", "ordinal")
    }
    mean = {method: errors.mean() for method, errors in rates.items()}
    assert (rates["ordinal"] < 0.8 * rates["majority"]).all()
    assert mean["ordinal"] < 0.95 * mean["dawid-skene"] and mean["ordinal"] < 0.16
    for labels, truth in crowds:
        _, surer, calibration = confidence(ordinal(labels), truth)
        assert surer > 0.95 and calibration < 0.08


def test_of_few_items_those_on_which_all_agree_are_believed():
    """Six items by three workers, who agree on two of them; 60 such small crowds err less than by majority."""
    labels = labels_of(frame_of(labels_from("3 0 0 2 0 1", "3 3 0 2 1 0", "3 2 1 2 0 3")), values=list("0123"))
    assert ordinal(labels).label[[0, 3]].tolist() == [3, 2]
    small_crowds = [web_search(seed, 4, items=30, workers=4, overlap=3) for seed in range(60)]
    rates = [[aggregate(some, method).error_rate(truth) for some, truth in small_crowds] for method in ("ordinal", "majority")]
    assert np.mean(rates[0]) < 0.95 * np.mean(rates[1])


def test_single_labels_are_taken_as_they_are_if_nothing_else_is_said():
    labels, _ = web_search(0, 4, items=40, workers=4, overlap=2)
    _, first = np.unique(labels.item, return_index=True)
    single = Labels(labels.item[first], labels.worker[first], labels.label[first], *names_of(labels), ordered=True)
    assert (default_method(single), default_method(labels)) == ("majority", "ordinal")
    assert aggregate(single).label.tolist() == labels.label[first].tolist()


def names_of(labels):
    return labels.items, labels.workers, labels.values


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("items", [1, 2, 5, 20])
@pytest.mark.parametrize("grade", range(4))
def test_where_all_labels_are_alike_they_mean_what_they_say(items, workers, grade):
    """Nothing says what such workers confuse; without a reading to begin with, any grade would do."""
    labels = labels_of(frame_of(labels_from(*[" ".join([str(grade)] * items)] * workers)), values=list("0123"))
    assert ordinal(labels).label.tolist() == [grade] * items


@pytest.mark.parametrize(
    ("items", "workers", "overlap", "least"), [(10, 3, 3, 1.0), (20, 4, 3, 0.95), (50, 5, 3, 0.9), (60, 4, 2, 0.9)]
)
def test_small_crowds_err_less_than_by_majority(items, workers, overlap, least):
    crowds = [web_search(seed, 4, items=items, workers=workers, overlap=overlap) for seed in range(40)]
    rates = [[aggregate(some, method).error_rate(truth) for some, truth in crowds] for method in ("ordinal", "majority")]
    assert np.mean(rates[0]) < least * np.mean(rates[1])


def test_workers_have_habits_that_thresholds_cannot_say():
    """Who takes the middle grade for either end can only be told with a table of their own."""
    labels, truth = web_search(1, 5, habits=2.0)
    scale = ordinal(labels, smoothing=1e6)
    assert ordinal(labels).error_rate(truth) < 0.8 * scale.error_rate(truth)


def test_the_ordinal_model_finds_the_able_and_the_lenient():
    labels, (_, noise, lenience, spam) = world(np.random.default_rng(3), items=1500)
    aggregation = ordinal(labels)
    order = np.array([int(worker) for worker in labels.workers])
    noise, lenience, spam = noise[order], lenience[order], spam[order]
    assert np.corrcoef(aggregation.parameters["leniency"][~spam], lenience[~spam])[0, 1] > 0.8
    assert stats.spearmanr(aggregation.parameters["ability"][~spam], -noise[~spam]).statistic > 0.8
    assert aggregation.parameters["ability"][spam].max(initial=0) < 0.5
    assert np.corrcoef(aggregation.accuracy[~spam], -noise[~spam])[0, 1] > 0.6


def test_models_learn_workers_from_gold():
    """With gold for half of the items the others come out better than without."""
    rates: dict[str, list] = {"dawid-skene": [], "ordinal": []}
    for seed in range(4):
        labels, (truth, *_) = world(np.random.default_rng(seed), items=300, overlap=3)
        order = np.array([int(item) for item in labels.items])
        gold = np.where(order < 150, truth[order], -1)
        rest = np.where(order < 150, -1, truth[order])
        for method, pairs in rates.items():
            pairs.append([aggregate(labels, method, known).error_rate(rest) for known in (gold, None)])
    for pairs in rates.values():
        with_gold, without = np.mean(pairs, axis=0)
        assert with_gold < 0.93 * without
