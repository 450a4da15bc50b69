"""Cumulated gain, precision–recall and ROC curves that textbooks work out, exactly, and as they round or cut them in print.

The two queries with grades to 3 are those of Baeza-Yates and Ribeiro-Neto, Modern information retrieval, chapter 4; the ten
gains, the four documents and the fourteen a lecture's. Where the book averages rounded values (DCG at ranks 3 to 7, NDCG at
15) the exact ones stand here.
"""

import math

import numpy as np
import pytest

from ireval import evaluate, parse_measure, rankings_of
from ireval.curves.curves import (
    cumulated_gain,
    discounted_cumulated_gain,
    interpolated_precisions,
    precision_recall,
    roc,
)
from ireval.measures.rankings import ranking
from tests.ireval.builders import qrels_of, ranked, run_of
from tests.ireval.measures.test_worked_examples import ELEVEN, FOURTEEN, G1, G2, Q1, Q2, marked, value

GRADES = {
    "1": ([1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3], [3, 2, 2, 1, 1]),
    "2": ([0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3], []),
}
PLACES = {topic: [f"d{place:02}" for place in range(len(grades) + len(missed))] for topic, (grades, missed) in GRADES.items()}
RUN = run_of({topic: ranked(docnos[:15]) for topic, docnos in PLACES.items()})
QRELS = qrels_of({topic: dict(zip(PLACES[topic], [*grades, *missed], strict=True)) for topic, (grades, missed) in GRADES.items()})
BOTH = rankings_of(RUN, QRELS)
CG = cumulated_gain(BOTH, cutoff=15)
DCG = discounted_cumulated_gain(BOTH, cutoff=15, dcg="jk")


def reads(exact, printed: list[float], digits: int) -> bool:
    """Whether each exact number rounds, or is cut, to what is printed."""
    shift = 10**digits
    return all(
        text in {round(number, digits), math.floor(number * shift + 1e-9) / shift}
        for number, text in zip(exact, printed, strict=True)
    )


def test_cumulated_gain():
    assert CG.reached.tolist() == [
        [1, 1, 2, 2, 2, 5, 5, 5, 5, 7, 7, 7, 7, 7, 10],
        [0, 0, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 6],
    ]
    assert CG.mean().tolist() == [0.5, 0.5, 2, 2, 2, 3.5, 3.5, 4, 4, *[5] * 5, 8]


def test_ideal_cumulated_gain():
    assert CG.ideal.tolist() == [[3, 6, 9, 11, 13, 15, 16, 17, 18, *[19] * 6], [3, 5, *[6] * 13]]
    assert CG.ideal_mean().tolist() == [3, 5.5, 7.5, 8.5, 9.5, 10.5, 11, 11.5, 12, *[12.5] * 6]


def test_discounted_cumulated_gain():
    assert reads(DCG.reached[0], [1, 1, 1.6, 1.6, 1.6, *[2.8] * 4, *[3.4] * 5, 4.2], 1)
    assert reads(DCG.reached[1], [0, 0, *[1.3] * 5, *[1.6] * 7, 2.4], 1)
    exact = [1, 1, *[1 + 1 / math.log2(3)] * 3, *[1 + 1 / math.log2(3) + 3 / math.log2(6)] * 4]
    assert DCG.reached[0, :9] == pytest.approx(exact, abs=1e-12)
    assert DCG.mean()[[2, 5]].round(4).tolist() == [1.4464, 2.0267]  # 1.45 and 2.05 in the book, of rounded values


def test_ideal_discounted_cumulated_gain():
    assert reads(DCG.ideal[0], [3, 6, 7.9, 8.9, 9.8, 10.5, 10.9, 11.2, 11.5, *[11.8] * 6], 1)
    assert reads(DCG.ideal[1], [3, 5, *[5.6] * 13], 1)
    assert reads(DCG.ideal_mean(), [3, 5.5, 6.8, 7.3, 7.7, 8.1, 8.3, 8.4, 8.6, *[8.7] * 6], 1)


def test_normalised_curves_are_ratios_of_averages():
    printed = [0.17, 0.09, 0.27, 0.24, 0.21, 0.33, 0.32, 0.35, 0.33, *[0.40] * 5, 0.64]
    assert reads(CG.normalised_mean("micro"), printed, 2)
    printed = [0.17, 0.09, 0.21, 0.20, 0.19, 0.25, 0.25, 0.26, 0.26, *[0.29] * 5, 0.37]
    assert reads(DCG.normalised_mean("micro"), printed, 2)
    assert CG.normalised_mean("micro") == pytest.approx(CG.mean() / CG.ideal_mean(), abs=1e-12)


def test_areas_under_the_normalised_curves():
    assert f"{CG.area('micro'):.4f}" == "0.3295"
    assert f"{DCG.area('micro'):.4f}" == "0.2448"
    assert CG.areas().mean() == pytest.approx(CG.area())


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("nDCG(dcg='jk',average='micro')@15", "0.3736"),
        ("nDCG(dcg='jk')@15", "0.3857"),
        ("nDCG(average='micro')@15", "0.4045"),
        ("nDCG@15", "0.4121"),
        ("nDCG(dcg='exp-log2',average='micro')@15", "0.3501"),
        ("nDCG(dcg='exp-log2')@15", "0.3578"),
        ("nCG(average='micro')@15", "0.6400"),
    ],
)
def test_ndcg_of_the_two_in_three_forms_and_two_averages(name, printed):
    assert f"{evaluate(RUN, QRELS, name).means()[name]:.4f}" == printed


@pytest.mark.parametrize(
    ("name", "rankings", "exact"),
    [
        ("CG@6", G1, 5),
        ("ICG@6", G1, 15),
        ("CG", G2, 6),
        ("nCG@6", G1, 5 / 15),
        ("DCG(dcg='jk')@6", G1, 1 + 1 / math.log2(3) + 3 / math.log2(6)),
        ("IDCG(dcg='jk')@2", G1, 6),
        ("DCG(dcg='jk')", ranking([2, 2, 1, 0]), 4 + 1 / math.log2(3)),
        ("DCG(dcg='jk')", ranking([2, 1, 2, 0]), 3 + 2 / math.log2(3)),
        ("nDCG(dcg='jk')", ranking([2, 2, 1, 0]), 1),
        ("nDCG(dcg='jk')", ranking([2, 1, 2, 0]), (3 + 2 / math.log2(3)) / (4 + 1 / math.log2(3))),
    ],
)
def test_a_value_is_exact(name, rankings, exact):
    assert value(name, rankings) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "rankings", "printed"),
    [
        ("DCG(dcg='jk')", ranking([2, 2, 1, 0]), "4.6309"),
        ("DCG(dcg='jk')", ranking([2, 1, 2, 0]), "4.2619"),
        ("nDCG(dcg='jk')", ranking([2, 1, 2, 0]), "0.9203"),
    ],
)
def test_a_value_rounds_to_what_is_printed(name, rankings, printed):
    assert f"{value(name, rankings):.4f}" == printed


TEN = ranking([3, 2, 3, 0, 0, 1, 2, 2, 3, 0])


def test_ten_discounted_gains_and_their_sums():
    """The second source leaves out an entry; its exponential form, 16.80, is with log₂ (and 24.24 with the natural one)."""
    sums = discounted_cumulated_gain(TEN, cutoff=10, dcg="jk").reached[0]
    assert reads(sums, [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61], 2)
    assert reads(np.diff(sums, prepend=0), [3, 2, 1.89, 0, 0, 0.39, 0.71, 0.67, 0.95, 0], 2)
    exponential = value("DCG(dcg='exp-log2')", TEN)
    assert exponential == pytest.approx(
        sum((2**g - 1) / math.log2(i + 1) for i, g in enumerate([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], 1))
    )
    assert (f"{exponential:.2f}", f"{exponential / math.log(2):.2f}") == ("16.80", "24.24")


def test_precision_and_recall_of_the_two_queries_at_their_relevant_documents():
    points = precision_recall(Q1, cutoff=15)
    relevant = np.array([1, 3, 6, 10, 15]) - 1
    assert points.precision[0, relevant] == pytest.approx([1, 2 / 3, 1 / 2, 4 / 10, 5 / 15], abs=1e-12)
    assert points.recall[0, relevant] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5], abs=1e-12)
    points = precision_recall(Q2, cutoff=15)
    assert points.precision[0, [2, 7, 14]] == pytest.approx([1 / 3, 1 / 4, 1 / 5], abs=1e-12)
    assert points.recall[0, [2, 7, 14]] == pytest.approx([1 / 3, 2 / 3, 1], abs=1e-12)


def test_eleven_points_of_the_two_queries_and_their_mean():
    relevant = {"q1": ([1, 3, 6, 10, 15], 5), "q2": ([3, 8, 15], 0)}
    judged = {
        topic: {f"d{place:02}": grade for place, grade in enumerate([*marked(15, *ranks), *[1] * missed])}
        for topic, (ranks, missed) in relevant.items()
    }
    run = run_of({topic: ranked([f"d{place:02}" for place in range(15)]) for topic in judged})
    curves = interpolated_precisions(rankings_of(run, qrels_of(judged), profile="textbook"))
    assert curves[0] == pytest.approx(ELEVEN["q1"], abs=1e-12)
    assert curves[1] == pytest.approx(ELEVEN["q2"], abs=1e-12)
    assert curves.mean(axis=0).round(4).tolist() == [0.6667, 0.6667, 0.5, 0.4167, 0.325, 0.2917, 0.125, 0.1, 0.1, 0.1, 0.1]


def test_the_fourteen_documents():
    points = precision_recall(FOURTEEN, cutoff=14)
    assert reads(points.precision[0, :6], [1, 1, 0.67, 0.75, 0.6, 0.67], 2)
    assert reads(points.precision[0, 12:13], [0.38], 2)
    assert points.precision[0, 4] == points.recall[0, 4] == value("Rprec", FOURTEEN)  # the break-even point
    curve = roc(FOURTEEN, cutoff=14)
    tpr = [0.2, 0.4, 0.4, 0.6, 0.6, *[0.8] * 7, 1, 1]
    assert curve.tpr[0] == pytest.approx(tpr, abs=1e-12)
    assert curve.tpr[0] == pytest.approx(points.recall[0], abs=1e-12)
    false = np.cumsum([1 - relevant for relevant in marked(14, 1, 2, 4, 6, 13)])
    assert curve.fpr[0] == pytest.approx(false / 9, abs=1e-12)
    assert curve.areas()[0] == pytest.approx(34 / 45, abs=1e-12)
    assert f"{value('AUC', FOURTEEN):.4f}" == f"{curve.areas()[0]:.4f}" == "0.7556"


def test_search_length_is_the_rank_of_the_one_answer():
    assert 1 / value("RR", ranking([0, 0, 1, 0])) == 3


def test_bases_above_two_discount_later():
    """The book's “higher bases accentuate the discount” is backwards once ranks below the base are left alone."""
    values = [float(parse_measure(f"DCG(dcg='jk',base={base})")(G1)[0]) for base in (2, 3, 10, 15)]
    assert values == sorted(values)
    assert value("DCG(dcg='jk',base=15)", G1) == value("CG", G1)
