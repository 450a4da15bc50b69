"""Predicted grades of unjudged documents, from their ranks and from the grades of the judged ones."""

from dataclasses import dataclass

import numpy as np

from ireval.arrays import Floats, Ints, share
from ireval.io.arguments import require_count
from ireval.measures.names import Name, parse_measure
from ireval.measures.registry import Measure
from ireval.pooling.additive_measures import Additive, additive
from ireval.pooling.average_precision_bounds import expected_average_precision, lowest_relevant
from ireval.pooling.bounds import check, grade_scale
from ireval.pooling.documents import Flags, PooledDocuments, require_documents
from ireval.significance.scores import Scores

# A document at rank r counts SOFT / (SOFT − 1 + r) for its system: 1 at rank 1, half at rank SOFT + 1.
SOFT = 10
# Precisions of the coefficients' normal priors around 0. A system's own effect must show in many documents before it counts.
OF_ALL, OF_FUSION, OF_SYSTEM, OF_TOPIC = 0.1, 0.5, 5.0, 1.0
STEPS, CLOSE_ENOUGH = 25, 1e-6


@dataclass(frozen=True, eq=False)
class PredictedGrades:
    """How likely each of N documents has each grade from 1 to G or a higher one: `reaching` (G, N); 0 or 1 for judged ones."""

    reaching: Floats

    def at_least(self, grade: int) -> Floats:
        """How likely each document has that grade, from 1 on, or a higher one, (N,); 0 above G."""
        return self.reaching[grade - 1] if grade <= len(self.reaching) else np.zeros(self.reaching.shape[1])

    def gain(self, sums: Additive) -> Floats:
        """Expected gains under a measure on grades from 0 to G, (N,)."""
        return np.diff(sums.gain) @ self.reaching

    def variance(self, sums: Additive) -> Floats:
        """Variances of the gains, (N,); 0 for judged documents."""
        return np.maximum(np.diff(sums.gain**2) @ self.reaching - self.gain(sums) ** 2, 0)


def predict_grades(documents: PooledDocuments, top_grade: int) -> PredictedGrades:
    """Predict from judged documents of the pool by one logistic regression for each grade that may be reached.

    A document's features are its topic, its reciprocal ranks in every system and the logarithm of their sum. Normal priors draw
    the effects of topics and systems to 0, so that few grades move them little. Without any grade all chances are ½. A document
    is never likelier to reach a higher grade than a lower one. Sources of the features: Fox and Shaw, Combination of multiple
    searches, TREC-2, 1994; Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009.

    >>> from ireval.pooling.documents import pooled_documents
    >>> runs = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"a": 2.0, "d": 1.0}}}
    >>> predicted = predict_grades(pooled_documents(runs, {"1": {"a": 1, "c": 0}}), top_grade=1)
    >>> predicted.reaching.round(2).tolist()
    [[1.0, 0.28, 0.0, 0.29]]
    """
    require_documents(documents)
    require_count("top_grade", top_grade)
    features, precision = features_of(documents)
    known = documents.judged & documents.pooled
    reaching = np.empty((top_grade, len(documents)))
    for level in range(1, top_grade + 1):
        reached = documents.grade >= level
        model = fit(features[known], documents.topic[known], reached[known], precision, len(documents.topics))
        reaching[level - 1] = np.where(documents.judged, reached, model.chances(features, documents.topic))
    return PredictedGrades(np.minimum.accumulate(reaching, axis=0))


def features_of(documents: PooledDocuments) -> tuple[Floats, Floats]:
    """The features (N, 2 + systems) besides the topics, and the precisions of their coefficients."""
    near = np.where(documents.rank > 0, SOFT / (SOFT - 1.0 + documents.rank), 0)
    fused = np.log(near.sum(axis=1) + 0.05)
    columns = np.column_stack([fused, near])
    pooled = columns[documents.pooled]
    columns = columns - pooled.mean(axis=0)
    columns[:, 0] /= max(pooled[:, 0].std(), CLOSE_ENOUGH)
    precision = np.concatenate(([OF_ALL, OF_FUSION], np.full(near.shape[1], OF_SYSTEM)))
    return np.column_stack([np.ones(len(columns)), columns]), precision


@dataclass(frozen=True, eq=False)
class Logistic:
    """Coefficients of a logistic regression: of the features (F,) and one per topic (T,)."""

    features: Floats
    topics: Floats

    def chances(self, features: Floats, topic: Ints) -> Floats:
        return 1 / (1 + np.exp(-(features @ self.features + self.topics[topic])))


def fit(features: Floats, topic: Ints, reached: Flags, precision: Floats, topics: int) -> Logistic:
    """The most likely coefficients under the priors, by Newton's method; topics are eliminated, so that there may be many."""
    model = Logistic(np.zeros(features.shape[1]), np.zeros(topics))
    for _ in range(STEPS):
        chance = model.chances(features, topic)
        spread, error = chance * (1 - chance), chance - reached
        of_topics = np.bincount(topic, spread, topics) + OF_TOPIC
        both = np.column_stack([np.bincount(topic, column * spread, topics) for column in features.T])
        slope = features.T @ error + precision * model.features
        topic_slope = np.bincount(topic, error, topics) + OF_TOPIC * model.topics
        bend = (features * spread[:, None]).T @ features + np.diag(precision)
        step = np.linalg.solve(bend - both.T @ (both / of_topics[:, None]), slope - both.T @ (topic_slope / of_topics))
        topic_step = (topic_slope - both @ step) / of_topics
        model = Logistic(model.features - step, model.topics - topic_step)
        if max(np.abs(step).max(), np.abs(topic_step).max(initial=0)) < CLOSE_ENOUGH:
            break
    return model


def predicted_scores(
    documents: PooledDocuments,
    measure: Name,
    *,
    top_grade: int | None = None,
    relevant_from: int = 1,
    grades: PredictedGrades | None = None,
) -> Scores:
    """Each system's values where unjudged documents gain what is expected of them; nDCG and its like over the expected ideal.

    Chosen judgements are no random sample: where the model errs, so do these values, and no interval around them tells. Once all
    is judged they are those of evaluate. `grades` are predicted unless they are given. Raises BadMeasure as `difference_bounds`.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.documents import pooled_documents
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 1.0}}}
    >>> documents = pooled_documents(runs, {"2": {"a": 1}}, depth=1, new_topics=True)
    >>> predicted_scores(documents, parse_measure("P@1")).values.tolist()
    [[0.5, 0.5]]
    """
    require_documents(documents)
    measure = parse_measure(measure)
    top = grade_scale(documents, top_grade)
    check(documents, measure, top)
    grades = grades or predict_grades(documents, top)
    values = expected_values(documents, measure, grades, relevant_from)
    return Scores(documents.topics, documents.systems, values, documents.left_out, measure.kind.largest_difference)


def expected_values(documents: PooledDocuments, measure: Measure, grades: PredictedGrades, relevant_from: int) -> Floats:
    if measure.kind.name == "AP":
        chance = grades.at_least(lowest_relevant(measure, relevant_from))
        return expected_average_precision(documents, chance, measure.values["cutoff"])[0]
    sums = additive(measure, len(grades.reaching), relevant_from)
    gained = sums.weights(documents.rank) * grades.gain(sums)[:, None]
    values = np.zeros((len(documents.topics), len(documents.systems)))
    np.add.at(values, documents.topic, gained)
    if sums.ideal is not None:
        ideal = expected_ideals(documents, sums, grades)
        values = np.array([share(column, ideal) for column in values.T]).T
    return values


def expected_ideals(documents: PooledDocuments, sums: Additive, grades: PredictedGrades) -> Floats:
    """The ideal of each topic, (T,), if as many documents reach each grade as are expected to; between whole numbers a line."""
    assert sums.ideal is not None
    total = np.zeros(len(documents.topics))
    for level, step in zip(sums.levels, sums.steps, strict=True):
        expected = np.bincount(documents.topic, grades.reaching[level - 1], len(documents.topics))
        whole = np.floor(expected).astype(np.int64)
        lower, upper = sums.ideal(whole), sums.ideal(whole + 1)
        total += step * (lower + (expected - whole) * (upper - lower))
    return total
