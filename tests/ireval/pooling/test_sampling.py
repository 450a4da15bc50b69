"""Draws keep their probabilities: what they say of a difference is right on average and, whenever one looks, rarely wrong."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from ireval import BadInput, BadMeasure, parse_measure
from ireval.pooling import PooledDocuments, difference_bounds, draw_documents, sampled_differences
from ireval.pooling.bets import AIMS, UnbiasedDraws, log_wealth
from ireval.pooling.ideal_bounds import ideal_ends
from ireval.pooling.sampled_differences import remainders_of, unbiased_draws, weighted_mean
from ireval.pooling.sampling import SamplingFrame, drawn_before, sampling_frame, stretches
from ireval.significance.pairs import Pairs
from tests.ireval.pooling.test_bounds import TOP, documents_of

RANKINGS = ["abcd", "eafb", "cbad"]
GRADES = {"a": 1}
# What a judge would say of the others.
TRUTH = {"a": 1, "b": 2, "c": 0, "d": 1, "e": 0, "f": 2}
MEASURES = ["DCG@3", "P(rel=2)@4", "RBP(p=0.5,max_rel=2)@3"]
OVER_IDEALS = ["nDCG@3", "R@2", "RelP@3", "nCG@4"]


def start_of(rankings, grades, depth) -> PooledDocuments:
    return documents_of(rankings, grades, depth)


def true_differences(documents, measure, truth=TRUTH):
    rows = np.flatnonzero(~documents.judged)
    judged = documents.with_grades(rows, [truth[docno] for docno in documents.frame["docno"].to_numpy()[rows]])
    return difference_bounds(judged, measure, top_grade=TOP).low


def values_of(frame: SamplingFrame, draws: pl.DataFrame) -> UnbiasedDraws:
    return unbiased_draws(frame, list(stretches(frame, draws)))


def with_truth(draws: pl.DataFrame, truth=TRUTH) -> pl.DataFrame:
    return draws.with_columns(grade=pl.Series([truth[docno] for docno in draws["docno"]], dtype=pl.Int64))


def every_way_to_draw(frame: SamplingFrame, known: tuple[int, ...]) -> Iterator[tuple[float, pl.DataFrame]]:
    """Each list of draws that these looks can give, with its probability; known[i] grades are in when draw i is made."""
    docnos = frame.documents.frame["docno"].to_list()

    def further(rows: list[int], chances: list[float]) -> Iterator[tuple[float, pl.DataFrame]]:
        if len(rows) == len(known):
            columns = {"topic": ["1"] * len(rows), "docno": [docnos[row] for row in rows], "known": known, "probability": chances}
            yield math.prod(chances), with_truth(pl.DataFrame(columns))
            return
        grades = [TRUTH[docnos[row]] for row in rows[: known[len(rows)]]]
        size = frame.design(np.array(rows, np.int64), np.array(grades, np.int64)).size
        for row in np.flatnonzero(size):
            yield from further([*rows, int(row)], [*chances, float(size[row] / size.sum())])

    yield from further([], [])


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("known", [(0,), (0, 0), (0, 0, 2), (0, 1, 1)])
def test_estimates_are_right_on_average_over_all_ways_to_draw(name, known):
    measure = parse_measure(name)
    documents = start_of(RANKINGS, GRADES, 4)
    frame = sampling_frame(documents, measure, TOP, 1, None)
    ways = list(every_way_to_draw(frame, known))
    assert sum(chance for chance, _ in ways) == pytest.approx(1)
    mean = sum(chance * weighted_mean(values_of(frame, draws)) for chance, draws in ways)
    assert mean.tolist() == pytest.approx(true_differences(documents, measure).tolist())


@pytest.mark.parametrize("known", [(0, 0, 0), (0, 1, 2), (0, 0, 2)])
def test_bets_against_the_truth_win_nothing_on_average(known):
    """So that the chance of ever winning 1 / alpha is at most alpha (Ville). Against less than the truth they win."""
    measure, documents = parse_measure("DCG@3"), start_of(RANKINGS, GRADES, 4)
    frame, truth = sampling_frame(documents, measure, TOP, 1, None), true_differences(documents, measure)
    aims = AIMS[:, None] * np.full(3, 5.0)
    worth = {shift: np.zeros(3) for shift in (-0.2, 0.0, 0.2)}
    for chance, draws in every_way_to_draw(frame, known):
        values = values_of(frame, draws)
        for shift, total in list(worth.items()):
            worth[shift] = total + chance * np.exp(log_wealth(values, truth + shift, aims)[-1])
    assert worth[0.0].tolist() == pytest.approx([1, 1, 1])
    assert (worth[0.2] < 1).all() and (worth[-0.2] > 1).all()


def test_what_a_draw_can_say_lies_between_its_ends():
    frame = sampling_frame(start_of(RANKINGS, GRADES, 4), parse_measure("DCG@3"), TOP, 1, None)
    for _, draws in every_way_to_draw(frame, (0, 1)):
        values = values_of(frame, draws)
        assert (values.least <= values.value + 1e-12).all() and (values.value <= values.most + 1e-12).all()


@pytest.mark.parametrize("known", [(0, 0), (0, 1), (0, 0, 2)])
def test_draws_of_ndcg_are_right_on_average_for_the_ideals_they_were_made_by(known):
    """What each lacks of the difference is D / I · (1 − I / E), and lies within the remainder's ends."""
    measure, documents = parse_measure("nDCG@3"), start_of(RANKINGS, GRADES, 4)
    frame, truth = sampling_frame(documents, measure, TOP, 1, None), true_differences(documents, measure)
    rows = np.flatnonzero(~documents.judged)
    judged = documents.with_grades(rows, [TRUTH[docno] for docno in documents.frame["docno"].to_numpy()[rows]])
    ideal = ideal_ends(judged, frame.sums)[0]
    mean = np.zeros((len(known), 3))
    for chance, draws in every_way_to_draw(frame, known):
        made = list(stretches(frame, draws))
        lacking = truth * np.concatenate([np.repeat(1 - ideal / each.design.ideal, len(each.rows)) for each in made])[:, None]
        now = difference_bounds(documents.with_grades(*drawn_before(documents, draws)), measure, top_grade=TOP)
        least, _, most = remainders_of(frame, made, now)
        assert (least <= lacking + 1e-9).all() and (lacking <= most + 1e-9).all()
        mean += chance * unbiased_draws(frame, made).plus(lacking).value
    assert mean.tolist() == [pytest.approx(truth.tolist())] * len(known)


@pytest.mark.parametrize("known", [(0, 0, 0), (0, 1, 2), (0, 0, 2)])
def test_bets_on_ndcg_win_nothing_on_average_by_the_least_remainder(known):
    """Nor do those on a negative difference, by the most: whatever is seen, they win no more than with the true remainder."""
    measure, documents = parse_measure("nDCG@3"), start_of(RANKINGS, GRADES, 4)
    frame, truth = sampling_frame(documents, measure, TOP, 1, None), true_differences(documents, measure)
    aims, positive, negative = AIMS[:, None] * np.full(3, 2.0), np.zeros(3), np.zeros(3)
    for chance, draws in every_way_to_draw(frame, known):
        made = list(stretches(frame, draws))
        now = difference_bounds(documents.with_grades(*drawn_before(documents, draws)), measure, top_grade=TOP)
        least, _, most = map(unbiased_draws(frame, made).plus, remainders_of(frame, made, now))
        positive += chance * np.exp(log_wealth(least, truth, aims)[-1])
        negative += chance * np.exp(log_wealth(most.reversed(), -truth, aims)[-1])
    assert (positive <= 1 + 1e-9).all() and (negative <= 1 + 1e-9).all()


def test_an_ideal_that_cannot_move_changes_nothing():
    """Two documents that no run shows are relevant, so that RelP@2 divides by 2 for good, as P@2 does."""
    documents = start_of(RANKINGS, {"y": 1, "z": 1}, 2)
    draws, tables = {}, {}
    for measure in map(parse_measure, ("P@2", "RelP@2")):
        drawn = draw_documents(documents, measure, 3, np.random.default_rng(1), top_grade=TOP)
        draws[measure.kind.name] = drawn["docno"].to_list()
        table = sampled_differences(documents, measure, with_truth(drawn), top_grade=TOP).table
        tables[measure.kind.name] = table.select(pl.col(pl.Float64, pl.Int64).round(9)).rows()
    assert draws["P"] == draws["RelP"] and tables["P"] == tables["RelP"]


def test_what_all_runs_rank_alike_is_drawn_where_it_moves_an_ideal():
    documents = start_of(["abc", "abd"], {"z": 0}, 3)
    draw = {
        name: set(draw_documents(documents, parse_measure(name), 9, np.random.default_rng(1), top_grade=TOP)["docno"])
        for name in ("DCG@3", "nDCG@3")
    }
    assert draw == {"DCG@3": set("cd"), "nDCG@3": set("abcd")}


def drawn_to_the_end(documents, measure, rng, n, truth):
    """Yield the draws after each look of n documents until none is left."""
    draws = None
    while True:
        new = draw_documents(documents, measure, n, rng, draws=draws, top_grade=TOP)
        if new.is_empty():
            return
        draws = with_truth(new, truth) if draws is None else pl.concat([draws, with_truth(new, truth)])
        yield draws


@pytest.mark.parametrize("name", [*MEASURES, *OVER_IDEALS])
@pytest.mark.parametrize("n", [1, 2, 9])
def test_intervals_narrow_to_the_value_of_all_judgements(name, n):
    measure, documents = parse_measure(name), start_of(RANKINGS, GRADES, 4)
    bounds = difference_bounds(documents, measure, top_grade=TOP)
    low, high = bounds.low, bounds.high
    for draws in drawn_to_the_end(documents, measure, np.random.default_rng(n), n, TRUTH):
        result = sampled_differences(documents, measure, draws, top_grade=TOP)
        assert (result.low >= low - 1e-9).all() and (result.high <= high + 1e-9).all()
        assert (result.low <= result.estimate).all() and (result.estimate <= result.high).all()
        low, high = result.low, result.high
    truth = true_differences(documents, measure).tolist()
    assert low.tolist() == pytest.approx(truth) == high.tolist() == result.estimate.tolist()


def test_orders_are_settled_early_and_hardly_ever_wrongly():
    """Two runs of twelve documents each on 20 topics, 40 times: a look after every 60 draws at a confidence of 0.8."""
    rng, measure = np.random.default_rng(3), parse_measure("P@12")
    wrong, share = 0, []
    for seed in range(40):
        documents, truth = simulated(rng, better=0.55, worse=0.35 if seed % 2 else 0.5)
        expected = documents.with_grades(np.arange(len(documents)), truth)
        difference = difference_bounds(expected, measure, top_grade=1).low[0]
        key = dict(zip(documents.frame.rows(), truth.tolist(), strict=True))
        draws, order = None, 0
        while not order and (new := draw_documents(documents, measure, 60, rng, draws=draws)).height:
            new = new.with_columns(grade=pl.Series([key[row[:2]] for row in new.rows()]))
            draws = new if draws is None else pl.concat([draws, new])
            order = int(sampled_differences(documents, measure, draws, confidence=0.8).order[0])
        wrong += order * difference < 0
        share.append(len(draws) / len(documents))
    assert wrong <= 8
    assert np.mean(share) < 0.7


def simulated(rng, better, worse):
    """Documents of two runs without a common one, and their secret grades: the first run's are relevant as often as `better`."""
    documents = documents_of(["abcdefghijkl", "mnopqrstuvwx"], {"z": 0}, 12)
    topics, size = 20, 24
    rank = np.tile(documents.rank[:size], (topics, 1))
    frame = pl.DataFrame([(str(t), f"{t}-{d}") for t in range(topics) for d in range(size)], ["topic", "docno"], orient="row")
    many = replace(
        documents,
        topics=tuple(map(str, range(topics))),
        frame=frame,
        topic=np.repeat(np.arange(topics), size),
        rank=rank,
        grade=np.zeros(len(rank), np.int64),
        judged=np.zeros(len(rank), bool),
    )
    return many, (rng.random(len(rank)) < np.where(rank[:, 0] > 0, better, worse)).astype(np.int64)


def test_draws_are_made_once_and_of_what_is_unjudged():
    documents = start_of(RANKINGS, GRADES, 4)
    draws = draw_documents(documents, parse_measure("DCG@4"), 99, np.random.default_rng(1), top_grade=TOP)
    assert sorted(draws["docno"]) == list("bcdef")
    assert draws["known"].to_list() == [0] * 5 and draws["probability"][-1] == 1
    more = draw_documents(documents, parse_measure("DCG@4"), 1, np.random.default_rng(1), draws=with_truth(draws), top_grade=TOP)
    assert more.schema == draws.schema and more.is_empty()


def test_a_grade_that_is_not_in_yet_holds_back_those_after_it():
    documents, measure = start_of(RANKINGS, GRADES, 4), parse_measure("DCG@4")
    draws = with_truth(draw_documents(documents, measure, 3, np.random.default_rng(1), top_grade=TOP))
    gap = draws.with_columns(grade=pl.when(pl.int_range(3) == 1).then(None).otherwise("grade"))
    more = draw_documents(documents, measure, 9, np.random.default_rng(1), draws=gap, top_grade=TOP)
    assert more["known"].to_list() == [1, 1] and not set(more["docno"]) & set(draws["docno"])
    with_gap = sampled_differences(documents, measure, gap, top_grade=TOP)
    assert with_gap.n == 1
    assert with_gap.table.equals(sampled_differences(documents, measure, draws[:1], top_grade=TOP).table)


@pytest.mark.parametrize("name", ["DCG@4", "nDCG@4"])
def test_without_draws_only_what_is_certain_is_said(name):
    documents, measure = start_of(RANKINGS, GRADES, 4), parse_measure(name)
    none = draw_documents(documents, measure, 1, np.random.default_rng(1), top_grade=TOP).clear().with_columns(grade=pl.lit(0))
    result, bounds = (
        sampled_differences(documents, measure, none, top_grade=TOP),
        difference_bounds(documents, measure, top_grade=TOP),
    )
    assert (result.low.tolist(), result.high.tolist(), result.n) == (bounds.low.tolist(), bounds.high.tolist(), 0)


def test_intervals_that_hold_together_are_wider():
    documents, truth = simulated(np.random.default_rng(1), better=0.5, worse=0.4)
    pairs = Pairs(np.array([0, 1]), np.array([1, 0]))
    draws = draw_documents(documents, parse_measure("P@12"), 100, np.random.default_rng(1), pairs=pairs)
    grades = draws.join(documents.frame.with_columns(grade=pl.Series(truth)), on=["topic", "docno"], maintain_order="left")[
        "grade"
    ]
    draws = draws.with_columns(grade=grades)
    apart, together = (
        sampled_differences(documents, parse_measure("P@12"), draws, pairs=pairs, together=each) for each in (False, True)
    )
    assert (together.low < apart.low).all() and (together.high > apart.high).all()
    assert apart.low.tolist() == pytest.approx((-apart.high[::-1]).tolist())


def test_mistakes_are_explained():
    documents, measure, rng = start_of(RANKINGS, GRADES, 4), parse_measure("DCG@4"), np.random.default_rng(1)
    draws = with_truth(draw_documents(documents, measure, 3, rng, top_grade=TOP))
    with pytest.raises(BadInput, match=r"^n is 0; expected a whole number from 1$"):
        draw_documents(documents, measure, 0, rng)
    with pytest.raises(BadInput, match="draws have no grade; expected the columns topic, docno, known, probability and grade"):
        draw_documents(documents, measure, 1, rng, draws=draws.drop("grade"))
    with pytest.raises(BadMeasure, match="AP does not add up over documents"):
        draw_documents(start_of(RANKINGS, GRADES, None), parse_measure("AP"), 1, rng)
    with pytest.raises(BadInput, match=r"draw 1, document . of topic 1, had another probability than these documents give"):
        sampled_differences(documents, parse_measure("P@4"), draws, top_grade=TOP)
    with pytest.raises(BadInput, match=r"document y of topic 1 was drawn and is not in the pool"):
        draw_documents(documents, measure, 1, rng, draws=draws.with_columns(docno=pl.lit("y")), top_grade=TOP)
