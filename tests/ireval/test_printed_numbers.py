"""Every number that the source documents print for their worked examples, against the engine: rounded, or cut, as in print.

docs/reference/sources.md says where each stands. What the documents print otherwise is in SLIPS, each with its reason.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from ireval import correlate, parse_measure, rank_pairs, rank_table
from ireval.curves.curves import discounted_cumulated_gain, precision_recall, roc
from ireval.measures.rankings import ranking
from tests.ireval.correlation.test_rank_tables import R1, R2
from tests.ireval.measures.test_worked_examples import FOURTEEN, G1, Q1, Q2
from tests.ireval.measures.test_worked_gains import CG, DCG, TEN


class Print(NamedTuple):
    """Numbers in print with so many decimal places, and what they are exactly."""

    source: str
    what: str
    places: int
    printed: Sequence[float]
    exact: Any  # a sequence of numbers, or an array


def value(name: str, rankings) -> float:
    return float(parse_measure(name)(rankings)[0])


def increments(row) -> list[float]:
    return np.diff(row, prepend=0).tolist()


def surplus(first: Sequence[str], second: Sequence[str]) -> list[int]:
    agreement = [*rank_pairs(first, second)["agreement"], *rank_pairs(second, first)["agreement"]]
    return [agreement.count("concordant"), agreement.count("discordant")]


P1, P2, P14 = precision_recall(Q1, cutoff=15), precision_recall(Q2, cutoff=15), precision_recall(FOURTEEN, cutoff=14)
FIRST, SECOND = np.array([1, 3]) - 1, np.array([3, 8, 15]) - 1
RANKED = rank_table(R1, R2)
ROC = roc(FOURTEEN, cutoff=14)
GT, RF2 = ranking([2, 2, 1, 0]), ranking([2, 1, 2, 0])
DISCOUNTED = discounted_cumulated_gain(TEN, cutoff=10, dcg="jk").reached[0]
TOP5 = ranking([1, 0, 1, 0, 1])
BOOK, SLIDES, LECTURE = "Modern Information Retrieval, ch. 4", "Evaluation, slides", "Evaluation of IR System (Cont)"

PRINTS = [
    Print(BOOK, "precision of q1 at 10 and 20 % recall, p. 15", 3, [1, 0.666], P1.precision[0, FIRST]),
    Print(BOOK, "recall of q1 there, p. 15", 3, [0.1, 0.2], P1.recall[0, FIRST]),
    Print(BOOK, "precision of q2, p. 18", 3, [0.333, 0.25, 0.2], P2.precision[0, SECOND]),
    Print(BOOK, "recall of q2, p. 18", 3, [0.333, 0.666, 1], P2.recall[0, SECOND]),
    Print(BOOK, "P@5 and P@10, p. 26", 2, [0.4, 0.4], [value("P@5", Q1), value("P@10", Q1)]),
    Print(BOOK, "terms of MAP1, p. 27", 2, [1, 0.66, 0.5, 0.4, 0.33], P1.precision[0, np.array([1, 3, 6, 10, 15]) - 1]),
    Print(BOOK, "MAP1, p. 27", 2, [0.28], [value("AP", Q1)]),
    Print(BOOK, "R-precision, p. 28", 1, [0.4], [value("Rprec", Q1)]),
    Print(BOOK, "G1, p. 46", 0, [1, 0, 1, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 3], increments(CG.reached[0])),
    Print(BOOK, "G2, p. 46", 0, [0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3], increments(CG.reached[1])),
    Print(BOOK, "CG1, p. 47", 0, [1, 1, 2, 2, 2, 5, 5, 5, 5, 7, 7, 7, 7, 7, 10], CG.reached[0]),
    Print(BOOK, "CG2, p. 47", 0, [0, 0, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 6], CG.reached[1]),
    Print(BOOK, "CG1 at position 8, p. 47", 0, [5], [value("CG@8", G1)]),
    Print(BOOK, "DCG1, p. 51", 1, [1, 1, 1.6, 1.6, 1.6, *[2.8] * 4, *[3.4] * 5, 4.2], DCG.reached[0]),
    Print(BOOK, "DCG2, p. 51", 1, [0, 0, *[1.3] * 5, *[1.6] * 7, 2.4], DCG.reached[1]),
    Print(BOOK, "mean CG, p. 52", 1, [0.5, 0.5, 2, 2, 2, 3.5, 3.5, 4, 4, *[5] * 5, 8], CG.mean()),
    Print(BOOK, "mean DCG, p. 52", 1, [0.5, 0.5, *[1.5] * 3, 2.1, 2.1, 2.2, 2.2, *[2.5] * 5, 3.3], DCG.mean()),
    Print(BOOK, "IG1, p. 55", 0, [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, *[0] * 5], increments(CG.ideal[0])),
    Print(BOOK, "IG2, p. 55", 0, [3, 2, 1, *[0] * 12], increments(CG.ideal[1])),
    Print(BOOK, "ICG1, p. 56", 0, [3, 6, 9, 11, 13, 15, 16, 17, 18, *[19] * 6], CG.ideal[0]),
    Print(BOOK, "ICG2, p. 56", 0, [3, 5, *[6] * 13], CG.ideal[1]),
    Print(BOOK, "IDCG1, p. 56", 1, [3, 6, 7.9, 8.9, 9.8, 10.5, 10.9, 11.2, 11.5, *[11.8] * 6], DCG.ideal[0]),
    Print(BOOK, "IDCG2, p. 56", 1, [3, 5, *[5.6] * 13], DCG.ideal[1]),
    Print(BOOK, "mean ICG, p. 57", 1, [3, 5.5, 7.5, 8.5, 9.5, 10.5, 11, 11.5, 12, *[12.5] * 6], CG.ideal_mean()),
    Print(BOOK, "mean IDCG, p. 57", 1, [3, 5.5, 6.8, 7.3, 7.7, 8.1, 8.3, 8.4, 8.6, *[8.7] * 6], DCG.ideal_mean()),
    Print(
        BOOK, "NCG, p. 59", 2,
        [0.17, 0.09, 0.27, 0.24, 0.21, 0.33, 0.32, 0.35, 0.33, *[0.4] * 5, 0.64], CG.normalised_mean("micro"),
    ),
    Print(
        BOOK, "NDCG, p. 59", 2,
        [0.17, 0.09, 0.21, 0.2, 0.19, 0.25, 0.25, 0.26, 0.26, *[0.29] * 5, 0.38], DCG.normalised_mean("micro"),
    ),
    Print(BOOK, "differences of ranks, p. 79", 0, [-1, -1, 2, -1, 1, -1, -1, -2, 3, 1], RANKED["difference"]),
    Print(BOOK, "their squares, p. 79", 0, [1, 1, 4, 1, 1, 1, 1, 4, 9, 1], RANKED["difference"] ** 2),
    Print(BOOK, "sum of the squares, p. 79", 0, [24], [(RANKED["difference"] ** 2).sum()]),
    Print(BOOK, "largest sum, p. 81", 0, [330], [(rank_table(R1, R1[::-1])["difference"] ** 2).sum()]),
    Print(BOOK, "Spearman, p. 84", 3, [0.854], [correlate(R1, R2, "spearman").value]),
    Print(BOOK, "ordered pairs, p. 88", 0, [10], [len(rank_pairs(R1[:5], R2[:5]))]),
    Print(BOOK, "concordant and discordant pairs, p. 91", 0, [14, 6], surplus(R1[:5], R2[:5])),
    Print(BOOK, "Kendall, p. 91 and 93", 1, [0.4, 0.4], [correlate(R1[:5], R2[:5], "kendall").value] * 2),
    Print(SLIDES, "Prec@3, @4 and @5, slide 3", 4, [2 / 3, 2 / 4, 3 / 5], [value(f"P@{k}", TOP5) for k in (3, 4, 5)]),
    Print(SLIDES, "gains discounted, slide 16", 2, [3, 2, 1.89, 0, 0, 0.39, 0.71, 0.67, 0.95, 0], increments(DISCOUNTED)),
    Print(SLIDES, "DCG, slide 16", 2, [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61], DISCOUNTED),
    Print(SLIDES, "NDCG, slide 18", 4, [1, 1, 0.9203], [value("nDCG(dcg='jk')", order) for order in (GT, GT, RF2)]),
    Print(
        LECTURE, "false positive rates, ROC", 1,
        [0, 0, 0.1, 0.1, 0.2, 0.2, *(tenth / 10 for tenth in range(3, 9)), 1], np.delete(ROC.fpr[0], 12),
    ),
    Print(LECTURE, "true positive rates, ROC", 1, [0.2, 0.4, 0.4, 0.6, 0.6, *[0.8] * 7, 1, 1], ROC.tpr[0]),
    Print(LECTURE, "precision at 1 to 6 and 13", 2, [1, 1, 0.67, 0.75, 0.6, 0.67, 0.38], P14.precision[0, [*range(6), 12]]),
    Print(LECTURE, "precision at 14", 1, [1], P14.precision[0, 13:]),
    Print(LECTURE, "recall", 1, [0.2, 0.4, 0.4, 0.6, 0.6, *[0.8] * 7, 1, 1], P14.recall[0]),
    Print(LECTURE, "AP", 2, [0.76], [value("AP", FOURTEEN)]),
    Print(LECTURE, "R-precision and recall", 1, [0.6, 0.6], [value("Rprec", FOURTEEN), value("R@5", FOURTEEN)]),
    Print(LECTURE, "DCG of three orders", 4, [4.6309, 4.6309, 4.2619], [value("DCG(dcg='jk')", o) for o in (GT, GT, RF2)]),
    Print(LECTURE, "NDCG", 4, [0.9203], [value("nDCG(dcg='jk')", RF2)]),
]  # fmt: skip
# What, which of its numbers (from 1), and why it is printed otherwise.
SLIPS = {
    ("MAP1, p. 27", 1): "the mean of terms that were cut",
    **{("mean DCG, p. 52", rank): "the mean of DCGs that were rounded" for rank in range(3, 8)},
    ("NDCG, p. 59", 15): "of a mean DCG that was rounded",
    ("precision at 14", 1): "the recall, in the column of precision; it is 5/14",
}


def is_in_print(exact: float, printed: float, places: int) -> bool:
    shift = 10**places
    if places == 4:  # fractions are printed as such
        return math.isclose(exact, printed, abs_tol=0.5 / shift)
    return printed in {round(exact, places), math.floor(exact * shift + 1e-9) / shift, math.floor(exact * shift + 0.5) / shift}


def differing(print_: Print) -> list[tuple[str, int]]:
    pairs = enumerate(zip(print_.exact, print_.printed, strict=True), start=1)
    return [(print_.what, place) for place, (exact, printed) in pairs if not is_in_print(float(exact), printed, print_.places)]


@pytest.mark.parametrize("print_", PRINTS, ids=lambda print_: f"{print_.source}: {print_.what}")
def test_a_number_in_print_is_the_engines_or_a_known_slip(print_):
    assert differing(print_) == [slip for slip in SLIPS if slip[0] == print_.what]


def test_the_page_on_sources_counts_them():
    printed = sum(len(print_.printed) for print_ in PRINTS)
    text = (Path(__file__).parents[2] / "docs" / "reference" / "sources.md").read_text(encoding="utf-8")
    assert f"print {printed} numbers" in text and f"{printed - len(SLIPS)} of them" in text
