"""From votes to measures, many times over: held against plain loops, `evaluate` on written files, scipy, and laws."""

from collections import Counter
from statistics import median as middle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ireval import BadMeasure, evaluate, parse_measure, parse_measures, read_qrels, write_qrels
from ireval.aggregation import METHODS, aggregate, dawid_skene
from ireval.agreement import Resampling
from ireval.labels import labels_of
from ireval.stability import Panel, orders, redrawn, uncertainty
from ireval.stability.worker_bootstrap import copied, refitted
from tests.ireval.label_builders import any_labels, frame_of, labels_from

VOTES = ["majority", "median", "mean"]
MODELS = ["dawid-skene", "ordinal"]
MEASURES = parse_measures(
    ["nDCG@10", "AP", "P@3", "RR", "bpref", "ERR@10", "GAP", "infAP", "Q", "Rprec", "RBP(p=0.8)", "nDCG", "AP(rel=2)"]
)


def found_by(method, labels, gold=None):
    return aggregate(labels, method, gold, ties="median") if METHODS[method].ties else aggregate(labels, method, gold)


# ------------------------------------------------------------------------------------------------- labels of other workers


def by_hand(method, votes):
    """Codes of votes that stand as often as their worker was drawn; codes 0 to 3 are the grades."""
    counts = Counter(votes)
    if method == "majority":
        return int(middle([code for code, count in counts.items() if count == max(counts.values())]) // 1)
    if method == "median":
        return int(middle(votes) // 1)
    mean = sum(votes) / len(votes)
    return min(range(4), key=lambda code: (round(abs(code - mean), 9), code))


@pytest.mark.parametrize("method", VOTES)
@given(labels=any_labels(), data=st.data())
def test_weighted_votes_are_votes_that_stand_more_than_once(method, labels, data):
    weights = np.array(data.draw(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=4)))
    weights = weights[:, : len(labels.workers)]
    aggregation = found_by(method, labels)
    for codes, weight in zip(redrawn(aggregation, weights), weights, strict=True):
        for item in range(len(labels.items)):
            rows = np.flatnonzero(labels.item == item)
            votes = [int(labels.label[row]) for row in rows for _ in range(weight[labels.worker[row]])]
            assert codes[item] == (by_hand(method, votes) if votes else aggregation.label[item])


@pytest.mark.parametrize("method", VOTES)
@given(labels=any_labels(), seed=st.integers(0, 999))
def test_counting_all_resamples_at_once_is_the_method_on_each(method, labels, seed):
    weights = np.random.default_rng(seed).integers(0, 3, (5, len(labels.workers)))
    aggregation = found_by(method, labels)
    assert redrawn(aggregation, weights).tolist() == [refitted(aggregation, weight, None).tolist() for weight in weights]


def test_a_worker_drawn_twice_is_two_workers():
    labels = labels_from("0 1 2 3 1", "0 1 1 3 2", "3 0 2 0 1")
    twice, kept = copied(labels, np.array([2, 0, 1]))
    rows = [
        *frame_of(labels).filter(pl.col("worker") == "w00").iter_rows(),
        *frame_of(labels).filter(pl.col("worker") == "w00").with_columns(worker=pl.lit("again")).iter_rows(),
        *frame_of(labels).filter(pl.col("worker") == "w02").iter_rows(),
    ]
    expected = labels_of(pl.DataFrame(rows, schema=["item", "worker", "label"], orient="row"), values=list("0123"))
    assert kept.tolist() == [0, 1, 2, 3, 4]
    assert twice.counts.tolist() == expected.counts.tolist()
    assert dawid_skene(twice).posterior == pytest.approx(dawid_skene(expected).posterior)


@pytest.mark.parametrize("method", [*VOTES, *MODELS, "gold-weighted"])
def test_gold_is_held_whoever_was_drawn(method):
    labels, gold = labels_from("0 1 2", "0 1 1", "3 0 2"), np.array([2, -1, -1])
    aggregation = found_by(method, labels, gold)
    weights = np.array([[3, 0, 0], [0, 2, 1], [0, 0, 0]])
    assert redrawn(aggregation, weights, gold)[:, 0].tolist() == [2, 2, 2]
    assert redrawn(aggregation, weights, gold)[2].tolist() == aggregation.label.tolist()  # nobody drawn: all keep their labels


# ----------------------------------------------------------------------------------------------------------- measures


@pytest.fixture(scope="module")
def small():
    """Five topics of eight documents; three runs, one of which lacks a topic; nine workers who differ, three an item."""
    rng = np.random.default_rng(5)
    documents = pl.DataFrame([(str(t), f"d{d}") for t in range(5) for d in range(8)], schema=["topic", "docno"], orient="row")
    truth = rng.integers(0, 4, len(documents))
    votes = [
        (item, f"w{worker}", int(np.clip(np.rint(truth[item] + rng.normal(0, 0.3 + 0.15 * worker)), 0, 3)))
        for item in range(len(documents))
        for worker in rng.choice(9, 3, replace=False)
    ]
    frame = pl.DataFrame(votes, schema=["item", "worker", "label"], orient="row")
    labels = labels_of(frame, values=list("0123"))
    everything = pl.concat([documents, documents.with_columns(docno=pl.format("x{}", "docno"))])  # half of it is unjudged
    runs = {}
    for name, noise in {"good": 0.5, "fair": 2.0, "poor": 9.0}.items():
        scores = np.append(truth, np.zeros(len(documents))) + rng.normal(0, noise, 2 * len(documents))
        run = everything.with_columns(score=pl.Series(scores)).sort("topic", "score", descending=[False, True])
        runs[name] = run.filter(pl.col("topic") != "4") if name == "poor" else run
    return labels, documents, runs


def qrels_on_disk(path, documents, grades):
    """What somebody else would evaluate with."""
    with path.open("wb") as file:
        write_qrels(documents.with_columns(grade=pl.Series(grades, dtype=pl.Int32)), file, "trec")
    return read_qrels(path)


@pytest.mark.parametrize("method", ["majority", "dawid-skene"])
def test_the_measures_of_a_resample_are_those_of_its_qrels_file(small, tmp_path, method):
    labels, documents, runs = small
    weights = np.random.default_rng(1).multinomial(9, np.full(9, 1 / 9), 12)
    codes = redrawn(found_by(method, labels), weights)
    codes[3] = np.minimum(codes[3], 2)  # one in which nobody finds the highest grade, one with gaps on the scale
    codes[4] = np.where(codes[4] == 1, 0, codes[4])
    means = Panel(documents, runs).means(codes, MEASURES)
    for row, grades in zip(means, codes, strict=True):
        qrels = qrels_on_disk(tmp_path / "qrels.txt", documents, grades)
        for values, run in zip(row, runs.values(), strict=True):
            assert values.tolist() == pytest.approx(list(evaluate(run, qrels, MEASURES).means().values()), abs=1e-12)


def test_topics_count_as_often_as_they_were_drawn(small):
    labels, documents, runs = small
    grades = found_by("majority", labels).label
    qrels = documents.with_columns(grade=pl.Series(grades, dtype=pl.Int32))
    weights = np.array([[2, 0, 1, 1, 1], [0, 0, 0, 5, 0], [0, 0, 0, 0, 5]])
    panel = Panel(documents, runs)
    means = panel.means(np.array([grades] * 3), MEASURES[:3], weights.astype(float))
    assert means == pytest.approx(panel.weighted(grades, MEASURES[:3], weights), nan_ok=True)
    for number, run in enumerate(runs.values()):
        values = evaluate(run, qrels, MEASURES[:3]).values
        for row, weight in zip(means[:, number], weights, strict=True):
            counted = np.array([weight[int(topic)] for topic in values["topic"]])
            expected = np.average(values.drop("topic").to_numpy(), axis=0, weights=counted) if counted.any() else [np.nan] * 3
            assert row == pytest.approx(expected, nan_ok=True)


def test_how_much_of_a_ranking_is_judged(small):
    _, documents, runs = small
    qrels = documents.with_columns(grade=pl.lit(1, pl.Int32))
    shares = Panel(documents, runs).judged(parse_measure("Judged@10"))
    assert shares.tolist() == pytest.approx([evaluate(run, qrels, "Judged@10").means()["Judged@10"] for run in runs.values()])


@pytest.mark.parametrize("name", ["NumRel", "GMAP", "nDCG(average='micro')", "Judged@10", "ERR-IA@10"])
def test_what_is_no_mean_by_which_systems_are_ordered_is_refused(small, name):
    _, documents, runs = small
    with pytest.raises(BadMeasure):
        Panel(documents, runs).means(np.zeros((1, len(documents)), np.int64), parse_measures([name]))


# ---------------------------------------------------------------------------------------------------------- intervals

HOW = Resampling(resamples=300, seed=4)


def intervals_of(small, labels, resampling=HOW, method="majority", **more):
    _, documents, runs = small
    names = parse_measures(["nDCG@10", "AP"])
    return uncertainty(found_by(method, labels), Panel(documents, runs), np.arange(len(documents)), names, resampling, **more)


@pytest.mark.parametrize("ties", ["split", "tie", "median"])
def test_ties_are_settled_on_the_median_whatever_the_labels_do_with_them(ties):
    """Each of four items has the votes 0 and 3, whose median is 1 on the scale of 0 to 3."""
    labels = labels_of(frame_of(labels_from("0 0 0 0", "3 3 3 3")), values=list("0123"))
    documents = pl.DataFrame({"topic": ["1", "1", "2", "2"], "docno": ["a", "b", "a", "b"]})
    panel = Panel(documents, {"run": documents.with_columns(score=pl.Series([2.0, 1.0, 2.0, 1.0]))})
    aggregated, measures = aggregate(labels, "majority", ties=ties), parse_measures(["DCG@1"])
    assert uncertainty(aggregated, panel, np.arange(4), measures, HOW).mean.tolist() == [[1.0]]
    assert orders({"majority": aggregated}, panel, np.arange(4), measures).mean.tolist() == [[[1.0]]]
    assert redrawn(aggregated, np.array([[0, 0], [1, 1]])).tolist() == [[1, 1, 1, 1]] * 2


def test_workers_who_agree_add_nothing(small):
    labels, *_ = small
    first = np.array([labels.label[labels.item == item][0] for item in range(len(labels.items))])
    same = labels_of(frame_of(labels).with_columns(label=pl.Series(first[labels.item])), values=list("0123"))
    intervals = intervals_of(small, same)
    assert intervals.by_both == pytest.approx(intervals.by_topics, abs=1e-12)
    assert intervals.widening == pytest.approx(np.zeros((3, 2)), abs=1e-9)


def test_workers_who_differ_widen_the_interval(small):
    intervals = intervals_of(small, small[0])
    assert intervals.undefined == ""
    assert (intervals.widening > 0).all()
    for ends in (intervals.by_topics, intervals.by_both):
        assert (ends[:, :, 0] <= intervals.mean).all()
        assert (intervals.mean <= ends[:, :, 1]).all()


def test_the_interval_by_topics_is_that_of_means_of_drawn_topics(small):
    labels, documents, runs = small
    intervals = intervals_of(small, labels, Resampling(resamples=4000))
    qrels = documents.with_columns(grade=pl.Series(found_by("majority", labels).label, dtype=pl.Int32))
    values = evaluate(runs["good"], qrels, "AP").values["AP"].to_numpy()
    drawn = values[np.random.default_rng(99).integers(0, 5, (20_000, 5))].mean(axis=1)
    tail = stats.norm.cdf(np.sqrt(5 / 4) * stats.t.ppf(0.025, 4))  # percentiles are expanded for five topics
    assert intervals.by_topics[0, 1] == pytest.approx(np.quantile(drawn, [tail, 1 - tail]), abs=0.01)


def test_the_same_seed_gives_the_same_and_another_does_not(small):
    intervals, again = intervals_of(small, small[0]), intervals_of(small, small[0])
    assert intervals.by_both.tolist() == again.by_both.tolist()
    assert intervals.by_both.tolist() != intervals_of(small, small[0], Resampling(resamples=300, seed=5)).by_both.tolist()


def test_a_single_worker_tells_nothing_of_others(small):
    _, documents, _ = small
    alone = labels_from(" ".join(str(item % 4) for item in range(len(documents))))
    intervals = intervals_of(small, alone)
    assert intervals.undefined == "there is a single worker"
    assert np.isnan(intervals.by_both).all()
    assert not np.isnan(intervals.by_topics).any()


def test_one_vote_an_item_is_not_enough(small):
    labels, *_ = small
    single = labels_of(frame_of(labels).unique("item", keep="first", maintain_order=True), values=list("0123"))
    assert intervals_of(small, single).undefined == "no item has two labels"


def test_one_topic_has_no_interval(small):
    labels, documents, runs = small
    panel = Panel(documents[:8], runs)
    intervals = uncertainty(found_by("majority", labels), panel, np.arange(8), parse_measures(["AP"]), HOW)
    assert intervals.undefined == "there is a single topic"
    assert np.isnan([intervals.by_topics, intervals.by_both]).all()
    assert not np.isnan(intervals.mean[:2]).any()


@pytest.mark.parametrize("method", ["median", "mean", "dawid-skene", "ordinal"])
def test_every_method_can_be_drawn_again(small, method):
    intervals = intervals_of(small, small[0], Resampling(resamples=20), method)
    assert (np.ptp(intervals.by_both, axis=2) > 0).all()


@pytest.mark.parametrize("method", [*VOTES, *MODELS])
def test_everybody_once_changes_nothing(small, method):
    aggregation = found_by(method, small[0])
    assert redrawn(aggregation, np.ones((1, 9), np.int64)).tolist() == [aggregation.label.tolist()]


# ------------------------------------------------------------------------------------------------------------- orders


def test_orders_are_scipys_and_the_drop_is_the_worst_of_all(small):
    labels, documents, runs = small
    noisy = {f"n{n}": runs["good"].with_columns(score=pl.col("score").shuffle(n) + pl.col("score") * n) for n in range(4)}
    panel = Panel(documents, runs | noisy)
    aggregations = {method: found_by(method, labels) for method in (*VOTES, *MODELS)}
    seen = orders(aggregations, panel, np.arange(len(documents)), parse_measures(["nDCG@10", "P@3"]))
    for m in range(2):
        for i in range(len(aggregations)):
            for j in range(len(aggregations)):
                means, other = seen.mean[i, :, m], seen.mean[j, :, m]
                assert seen.tau[m, i, j] == pytest.approx(stats.kendalltau(means, other).statistic)
                lost = stats.rankdata(-other, "min") - stats.rankdata(-means, "min")
                assert seen.drop[m, i, j] == lost.max()
    assert seen.place[0, :, 0].tolist() == stats.rankdata(-seen.mean[0, :, 0], "min").tolist()


def test_a_single_run_has_no_order(small):
    labels, documents, runs = small
    panel = Panel(documents, {"good": runs["good"]})
    seen = orders({"majority": found_by("majority", labels)}, panel, np.arange(len(documents)), parse_measures(["AP"]))
    assert np.isnan(seen.tau).all()
    assert seen.drop.tolist() == [[[0]]]


def test_the_order_of_the_documents_does_not_matter(small):
    labels, documents, runs = small
    names = parse_measures(["nDCG@10", "ERR@10"])
    mixed = np.random.default_rng(3).permutation(len(documents))
    codes = found_by("majority", labels).label
    means = Panel(documents, runs).means(codes[None], names)
    assert Panel(documents[mixed], runs).means(codes[mixed][None], names) == pytest.approx(means)


def test_where_less_is_better_the_least_comes_first(small):
    labels, documents, runs = small
    panel = Panel(documents, runs)
    seen = orders({"majority": found_by("majority", labels)}, panel, np.arange(len(documents)), parse_measures(["AP", "SL@5"]))
    assert seen.place[0, :, 1].tolist() == stats.rankdata(seen.mean[0, :, 1], "min").tolist()
