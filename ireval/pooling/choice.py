"""Choice: the unjudged documents whose grades are expected to move the differences between systems most."""

import numpy as np
import polars as pl

from ireval.arrays import Floats, share
from ireval.io.arguments import require_count
from ireval.measures.names import Name, parse_measure
from ireval.measures.registry import Measure
from ireval.pooling.additive_measures import additive
from ireval.pooling.average_precision_bounds import expected_average_precision, lowest_relevant
from ireval.pooling.bounds import check, grade_scale
from ireval.pooling.documents import PooledDocuments, require_documents
from ireval.pooling.grade_prediction import PredictedGrades, expected_ideals, predict_grades, predicted_scores
from ireval.significance.pairs import Pairs

# Measures whose denominator moves with every relevant document, whoever retrieved it.
OVER_AN_IDEAL = ("R", "RelP", "nCG", "nDCG", "AP")
# A pair whose difference is uncertain by so small a part of the most uncertain one's variance is as good as certain.
NEGLIGIBLE = 1e-12


def next_documents(
    documents: PooledDocuments,
    measure: Name,
    n: int = 100,
    *,
    top_grade: int | None = None,
    relevant_from: int = 1,
    pairs: Pairs | None = None,
    close_pairs: bool = False,
    by_topic: bool = False,
) -> pl.DataFrame:
    """The n unjudged documents that are expected to move the differences of the pairs most: topic, docno and change.

    `change` is how far a document's grade moves a mean difference. It is the root of its squared weight's mean over the pairs,
    times the standard deviation of its predicted gain. Of nDCG and its like it is divided by the expected ideal. The largest come
    first, or with `by_topic` each topic's documents together. With `close_pairs`, pairs that are close to a draw count more.
    Orders are then found sooner, but by `predicted_scores` only: evaluate, which takes the unjudged for not relevant, is misled.

    AP's weights follow from which other documents are likely relevant. Documents that can move nothing are left out. Raises
    BadInput for n below 1, BadMeasure as `difference_bounds` does. Source of the idea: Carterette, Allan and Sitaraman, Minimal
    test collections for retrieval evaluation, SIGIR 2006.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.documents import pooled_documents
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "b": 1.0}}}
    >>> documents = pooled_documents(runs, {"1": {"a": 1}}, depth=2)
    >>> next_documents(documents, parse_measure("DCG@2")).select("topic", "docno", pl.col("change").round(2)).rows()
    [('1', 'c', 0.36)]
    """
    require_documents(documents)
    measure = parse_measure(measure)
    require_count("n", n)
    top = grade_scale(documents, top_grade)
    check(documents, measure, top)
    grades = predict_grades(documents, top)
    pairs = pairs or documents.pairs()
    weights, variance = stakes(documents, measure, grades, relevant_from)
    chances = np.ones(len(pairs))
    if close_pairs:
        means = predicted_scores(documents, measure, top_grade=top, relevant_from=relevant_from, grades=grades).means
        chances = closeness(means, weights, variance, pairs)
    change = np.sqrt(mean_squares(weights, pairs, chances) * variance)
    useful = ~documents.judged & ((change > 0) | (measure.kind.name in OVER_AN_IDEAL))
    rows = np.flatnonzero(useful)[np.argsort(-change[useful], kind="stable")][:n]
    table = documents.frame[rows].with_columns(change=pl.Series(change[rows]))
    return table.sort("topic", maintain_order=True) if by_topic else table


def stakes(documents: PooledDocuments, measure: Measure, grades: PredictedGrades, relevant_from: int) -> tuple[Floats, Floats]:
    """How far a gain of 1 moves each system's mean (N, systems), and the variance of what each document gains (N,)."""
    if measure.kind.name == "AP":
        chance = grades.at_least(lowest_relevant(measure, relevant_from))
        return expected_average_precision(documents, chance, measure.values["cutoff"])[1], chance * (1 - chance)
    sums = additive(measure, len(grades.reaching), relevant_from)
    weights = sums.weights(documents.rank) / len(documents.topics)
    if sums.ideal is not None:
        ideal = expected_ideals(documents, sums, grades)
        weights *= share(np.ones_like(ideal), ideal)[documents.topic][:, None]
    return weights, grades.variance(sums)


def mean_squares(weights: Floats, pairs: Pairs, chances: Floats) -> Floats:
    """The mean over pairs, by their `chances`, of each document's squared difference of weights, (N,)."""
    systems = weights.shape[1]
    linked = np.zeros((systems, systems))
    np.add.at(linked, (pairs.first, pairs.second), chances / chances.sum())
    linked = linked + linked.T
    laplacian = np.diag(linked.sum(axis=1)) - linked
    return np.maximum(((weights @ laplacian) * weights).sum(axis=1), 0)


def closeness(means: Floats, weights: Floats, variance: Floats, pairs: Pairs) -> Floats:
    """How much pairs count, (pairs,): half of all that is uncertain for every pair alike, half for pairs close to a draw.

    A pair is as close as its difference is likely to be 0, by the normal density over its variance. The half for all pairs alike
    is there because the model may be surer of a difference than it should.
    """
    shared = (weights * variance[:, None]).T @ weights
    own = np.diag(shared)
    spread = own[pairs.first] + own[pairs.second] - 2 * shared[pairs.first, pairs.second]
    uncertain = spread > NEGLIGIBLE * spread.max(initial=0)
    if not uncertain.any():
        return np.ones(len(pairs))
    log_density = np.full(len(pairs), -np.inf)
    squared = (means[pairs.first] - means[pairs.second])[uncertain] ** 2 / spread[uncertain]
    log_density[uncertain] = -squared / 2 - np.log(spread[uncertain])
    density = np.exp(log_density - log_density.max())
    return density / (density @ spread) + 1 / spread.sum()
