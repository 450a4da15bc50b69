"""What each item and each worker looks like, counted again label by label."""

from itertools import groupby

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from scipy import stats

from ireval.agreement import confusion, entropy, item_agreement, longest_runs, wilson_interval, worker_table
from ireval.labels import BadLabels, gold_of
from tests.ireval.label_builders import any_labels, by_item, labels_from

# The third worker always says 1, whatever the others say.
LABELS = labels_from("0 1 0 1 0 1", "0 1 0 1 1 1", "1 1 1 1 1 1", "0 1 . . . .")


def consensus_of_others(labels, row):
    others = by_item(labels)[labels.item[row]].copy()
    others.remove(labels.label[row])
    most = max(map(others.count, others), default=0)
    return [value for value in set(others) if others.count(value) == most]


@given(any_labels())
def test_workers_are_compared_with_the_others(labels):
    table = worker_table(labels)
    for worker in range(len(labels.workers)):
        rows = np.flatnonzero(labels.worker == worker)
        leads = [(labels.label[row], lead) for row in rows if (lead := consensus_of_others(labels, row))]
        credit = [1 / len(lead) if label in lead else 0 for label, lead in leads]
        row = table.row(worker, named=True)
        assert (row["n"], row["compared"]) == (len(rows), len(leads))
        assert row["agreement"] == (pytest.approx(np.mean(credit)) if credit else None)


@given(any_labels())
def test_confusions_with_the_others_add_up_to_what_was_compared(labels):
    tables = confusion(labels)
    table = worker_table(labels)
    assert tables.sum(axis=(1, 2)).tolist() == pytest.approx(table["compared"].to_list())
    agreeing = np.einsum("wkk->w", tables)
    assert agreeing.tolist() == pytest.approx((table["compared"] * table["agreement"].fill_null(0)).to_list())


def test_confusions_with_gold_are_counts():
    gold = np.array([0, 1, 0, 1, -1, -1])
    truth = np.vstack([np.eye(2), np.zeros(2)])[gold]  # the last row for items without
    assert confusion(LABELS, truth)[2].tolist() == [[0, 2], [0, 2]]
    assert confusion(LABELS, truth)[3].tolist() == [[1, 0], [0, 1]]
    with pytest.raises(BadLabels, match="a row per item and a column per value"):
        confusion(LABELS, truth[:1])


@given(any_labels())
def test_runs_are_those_of_the_order_given(labels):
    runs = longest_runs(labels)
    for worker in range(len(labels.workers)):
        given_labels = labels.label[labels.worker == worker]
        assert runs[worker] == max(len(list(run)) for _, run in groupby(given_labels))


def test_who_always_presses_the_same_button_stands_out():
    row = worker_table(LABELS).row(2, named=True)
    assert (row["longest_run"], row["commonest"], row["commonest_share"]) == (6, "1", 1.0)


def test_accuracy_on_gold_has_wilsons_interval():
    gold = gold_of(pl.DataFrame({"item": ["i00", "i01", "i02"], "label": [0, 1, 1]}), LABELS)
    table = worker_table(LABELS, gold, confidence=0.9)
    row = table.row(0, named=True)
    expected = stats.binomtest(2, 3).proportion_ci(0.9, method="wilson")
    assert (row["gold"], row["accuracy"]) == (3, pytest.approx(2 / 3))
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_without_gold_labels_there_is_no_accuracy():
    row = worker_table(LABELS, np.array([-1, -1, 0, 0, 0, 0])).row(3, named=True)
    assert (row["gold"], row["accuracy"], row["low"], row["high"]) == (0, None, None, None)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (3, 10), (50, 50), (7, 1000)])
def test_wilsons_interval_is_scipys(right, n):
    expected = stats.binomtest(right, n).proportion_ci(0.95, method="wilson")
    low, high = wilson_interval(right, n)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(any_labels())
def test_entropy_is_scipys(labels):
    assert entropy(labels.counts) == pytest.approx(stats.entropy(labels.counts, base=2, axis=1), abs=1e-12)


def test_items_say_how_far_they_agree():
    table = item_agreement(labels_from("0 0 1", "0 1 .", "1 . ."))
    assert table["n"].to_list() == [3, 2, 1]
    assert table["agreement"].to_list() == [pytest.approx(1 / 3), 0, None]
    assert table["entropy"].to_list() == [pytest.approx(0.918296), 1, 0]
