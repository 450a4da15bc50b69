"""Examples that textbooks work out, with exact values: what is rounded in print is asserted both ways.

The two queries (ten and three relevant documents, fifteen retrieved) and the graded ones are those of Baeza-Yates and
Ribeiro-Neto, Modern information retrieval, chapter 4; the fourteen documents are a lecture's.
"""

import numpy as np
import pytest
import pytrec_eval

from ireval import evaluate, parse_measure, parse_measures
from ireval.measures.rankings import Rankings, ranking
from tests.ireval.builders import qrels_of, ranked, run_of


def marked(length: int, *ranks: int) -> list[int]:
    """A ranking with relevant documents at these ranks."""
    return [int(rank in ranks) for rank in range(1, length + 1)]


Q1 = ranking(marked(15, 1, 3, 6, 10, 15), missed=[1] * 5)
Q2 = ranking(marked(15, 3, 8, 15))
FOURTEEN = ranking(marked(14, 1, 2, 4, 6, 13))
G1 = ranking([1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3], missed=[3, 2, 2, 1, 1])
G2 = ranking([0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3])


def value(name: str, rankings: Rankings) -> float:
    return float(parse_measure(name)(rankings)[0])


def eleven_points(rankings: Rankings) -> list[float]:
    return [float(measure(rankings)[0]) for measure in parse_measures("IPrec")]


@pytest.mark.parametrize(
    ("name", "rankings", "exact"),
    [
        ("P@5", Q1, 2 / 5),
        ("P@10", Q1, 4 / 10),
        ("P@15", Q1, 5 / 15),
        ("R@15", Q1, 0.5),
        ("Rprec", Q1, 0.4),
        ("AP", Q1, (1 + 2 / 3 + 1 / 2 + 4 / 10 + 5 / 15) / 10),
        ("P@3", Q2, 1 / 3),
        ("P@8", Q2, 1 / 4),
        ("P@15", Q2, 1 / 5),
        ("AP", Q2, (1 / 3 + 1 / 4 + 1 / 5) / 3),
        ("RR", Q1, 1),
        ("RR", Q2, 1 / 3),
        ("RR@3", Q2, 1 / 3),
        ("RR@2", Q2, 0),
        ("P@3", ranking([1, 0, 1, 0, 1]), 2 / 3),
        ("P@4", ranking([1, 0, 1, 0, 1]), 2 / 4),
        ("P@5", ranking([1, 0, 1, 0, 1]), 3 / 5),
        ("Rprec", FOURTEEN, 3 / 5),
        ("R@5", FOURTEEN, 3 / 5),
        ("AP", FOURTEEN, (1 + 1 + 3 / 4 + 4 / 6 + 5 / 13) / 5),
        ("nDCG", ranking([2, 2, 1, 0]), 1),
        ("F@3", Q1, 4 / 13),
        ("F(beta=0.5)@3", Q1, 1.25 * (2 / 3 * 2 / 10) / (0.25 * 2 / 3 + 2 / 10)),
        ("F(beta=2)@3", Q1, 5 * (2 / 3 * 2 / 10) / (4 * 2 / 3 + 2 / 10)),
        ("E(b=0.5)@3", Q1, 1 - 1.25 / 2.75),
        ("E(b=2)@3", Q1, 1 - 5 / 21.5),
        ("E(b=0)@3", Q1, 1 - 2 / 3),
        ("E@3", Q1, 1 - 4 / 13),
        ("AP11", Q1, (1 + 1 + 2 / 3 + 1 / 2 + 2 / 5 + 1 / 3) / 11),
        ("break-even", FOURTEEN, 3 / 5),
        ("SL@15", Q2, 3),
        ("SL(n=2)@15", Q2, 8),
        ("SL(n=4)@15", Q2, 16),
    ],
)
def test_a_value_is_exact(name, rankings, exact):
    assert value(name, rankings) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "rankings", "printed"),
    [
        ("AP", Q1, "0.2900"),
        ("AP", Q2, "0.2611"),
        ("AP", FOURTEEN, "0.7603"),
        ("F@3", Q1, "0.3077"),
        ("E(b=0.5)@3", Q1, "0.5455"),
        ("E(b=2)@3", Q1, "0.7674"),
    ],
)
def test_a_value_rounds_to_what_is_printed(name, rankings, printed):
    assert f"{value(name, rankings):.4f}" == printed


def test_a_large_b_leaves_recall_alone():
    assert value("E(b=1000000)@3", Q1) == pytest.approx(1 - 2 / 10)


def test_precision_and_recall_break_even_where_r_documents_were_seen():
    assert value("P@5", FOURTEEN) == value("R@5", FOURTEEN) == value("break-even", FOURTEEN)


def test_the_search_for_a_known_item_is_as_long_as_the_rank_of_the_answer():
    answer = ranking(marked(9, 4))
    assert value("SL@9", answer) == 4 == 1 / value("RR", answer)


def test_mean_average_precision_of_the_two():
    assert round((value("AP", Q1) + value("AP", Q2)) / 2, 4) == 0.2756


@pytest.mark.parametrize(("name", "mean"), [("RR", 2 / 3), ("RR@3", 2 / 3), ("RR@2", 1 / 2)])
def test_the_mean_reciprocal_rank_of_the_two_has_a_threshold(name, mean):
    """The first correct answers are at ranks 1 and 3; the sum is divided by the queries, which the book's formula has lost."""
    judged = {"q1": marked(15, 1, 3, 6, 10, 15), "q2": marked(15, 3, 8, 15)}
    places = [f"d{place:02}" for place in range(15)]
    qrels = qrels_of({topic: dict(zip(places, grades, strict=True)) for topic, grades in judged.items()})
    means = evaluate(run_of(dict.fromkeys(judged, ranked(places))), qrels, name).means()
    assert means[name] == pytest.approx(mean, abs=1e-12)


def test_ndcg_of_the_two_is_an_average_of_ratios():
    assert round((value("nDCG@15", G1) + value("nDCG@15", G2)) / 2, 4) == 0.4121


@pytest.mark.parametrize(
    ("rank", "precision"),
    [(1, 1), (2, 1), (3, 0.67), (4, 0.75), (5, 0.6), (6, 0.67), (13, 0.38), (14, 0.36)],
)
def test_precision_at_every_rank_of_the_fourteen(rank, precision):
    assert round(value(f"P@{rank}", FOURTEEN), 2) == precision


@pytest.mark.parametrize(("last_rank", "recall"), [(1, 0.2), (3, 0.4), (5, 0.6), (12, 0.8), (14, 1)])
def test_recall_at_every_rank_of_the_fourteen(last_rank, recall):
    """Recall stays as it is up to this rank."""
    first_rank = {1: 1, 3: 2, 5: 4, 12: 6, 14: 13}[last_rank]
    assert [value(f"R@{rank}", FOURTEEN) for rank in (first_rank, last_rank)] == pytest.approx([recall, recall])


ELEVEN = {
    "q1": [1, 1, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 0, 0, 0, 0, 0],
    "q2": [1 / 3] * 4 + [1 / 4] * 3 + [1 / 5] * 4,
}


def test_interpolated_precision_at_eleven_points():
    q1 = ranking(marked(15, 1, 3, 6, 10, 15), missed=[1] * 5, profile="textbook")
    q2 = ranking(marked(15, 3, 8, 15), profile="textbook")
    assert eleven_points(q1) == pytest.approx(ELEVEN["q1"])
    assert eleven_points(q2) == pytest.approx(ELEVEN["q2"])
    mean = np.mean([eleven_points(q1), eleven_points(q2)], axis=0)
    assert mean.round(4).tolist() == [0.6667, 0.6667, 0.5, 0.4167, 0.325, 0.2917, 0.125, 0.1, 0.1, 0.1, 0.1]


def test_release_nine_interpolates_alike_but_for_a_rounding_error():
    """.7 · 3 + .9 is a shade less than 3 in binary, so that there two documents make a recall of .7; trec_eval agrees."""
    q2 = {f"d{rank:02}": int(rank in {3, 8, 15}) for rank in range(1, 16)}
    run = {docno: 1 / (place + 1) for place, docno in enumerate(q2)}
    theirs = pytrec_eval.RelevanceEvaluator({"1": q2}, {"iprec_at_recall"}).evaluate({"1": run})["1"]
    assert eleven_points(Q2) == pytest.approx([theirs[f"iprec_at_recall_{point / 10:.2f}"] for point in range(11)])
    assert eleven_points(Q1) == pytest.approx(ELEVEN["q1"])
    differing = [point for point in range(11) if abs(eleven_points(Q2)[point] - ELEVEN["q2"][point]) > 1e-9]
    assert differing == [7]


def test_release_ten_interpolates_otherwise():
    """It rounds .3 · 3 = .9 up but .4 · 3 = 1.2 down, so that one document makes a recall of .4."""
    assert value("IPrec@0.4", ranking(marked(15, 3, 8, 15), profile="trec_eval-10")) == pytest.approx(1 / 3)
    assert value("IPrec@0.4", Q2) == pytest.approx(1 / 4)
