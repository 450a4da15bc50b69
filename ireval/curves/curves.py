"""Curves of effectiveness by rank or recall, as numbers: one row per topic, and means over topics.

Every function takes a run and its qrels, as `evaluate` does; or in their place Rankings, which rankings_of makes of both by any
rules. `topics` says which count: "both" those for which the run has a ranking, "qrels" all, as with `evaluate`. T is their
number, K the cutoff, L the number of recall levels. Arrays of shape (T, K) have rank k in column k − 1. After the end of a
ranking values stay the same. A topic without relevant documents is 0 throughout. BadFile for an invalid run or qrels, BadInput
for a run without qrels, a cutoff below 1 and an option that does not exist.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import as_numbers, require_choice, require_count, require_numbers, require_type
from ireval.io.cells import shown
from ireval.io.files import BadInput
from ireval.io.frames import Source
from ireval.measures.arrangement import as_rankings
from ireval.measures.evaluation import Evaluation, TopicRule
from ireval.measures.gains import DCG, GainModel
from ireval.measures.names import Name, parse_measure
from ireval.measures.precision import ELEVEN_POINTS, interpolated_precision
from ireval.measures.rankings import Blocks, Qrels, Rankings
from ireval.measures.registry import BadMeasure, Pairs

Average = Literal["macro", "micro"]
Unretrieved = Literal["lost", "tied"]


@dataclass(frozen=True, eq=False)
class GainCurve:
    """Cumulated gain by rank: `reached` (T, K), and `ideal` (T, K), the highest possible at that rank."""

    topics: list[str]
    reached: Floats
    ideal: Floats

    def mean(self) -> Floats:
        """The mean over topics by rank, (K,); NaN without topics."""
        return mean_over_topics(self.reached)

    def ideal_mean(self) -> Floats:
        """The mean over topics of the highest possible by rank, (K,); NaN without topics."""
        return mean_over_topics(self.ideal)

    def normalised(self) -> Floats:
        """Each topic's share of its ideal by rank, (T, K)."""
        return share_of(self.reached, self.ideal)

    def normalised_mean(self, average: Average = "macro") -> Floats:
        """The normalised curve by rank, (K,).

        "macro" is the mean of the topics' shares, as in nDCG; "micro" the ratio of the two means, as in Järvelin and Kekäläinen.
        """
        require_choice("average", average, get_args(Average))
        if average == "micro":
            return share_of(self.mean(), self.ideal_mean())
        return mean_over_topics(self.normalised())

    def areas(self) -> Floats:
        """The area under each topic's normalised curve, (T,)."""
        return self.normalised().mean(axis=1)

    def area(self, average: Average = "macro") -> float:
        """The area under the normalised curve: its mean over the K ranks."""
        return float(self.normalised_mean(average).mean())


def cumulated_gain(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    cutoff: int,
    gains: Pairs | Mapping[int, float] | None = None,
    topics: TopicRule = "both",
) -> GainCurve:
    """CG and ideal CG by rank, and with `normalised` NCG; `gains` are pairs of a grade and its gain, if that is not the grade.

    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    >>> from ireval.measures.rankings import ranking
    >>> curve = cumulated_gain(ranking([1, 0, 3]), cutoff=4)
    >>> curve.mean().tolist(), curve.ideal_mean().tolist(), curve.normalised()[0, :2].round(4).tolist()
    ([1.0, 1.0, 4.0, 4.0], [3.0, 4.0, 4.0, 4.0], [0.3333, 0.25])
    """
    return gain_curve(as_rankings(run, qrels), GainModel("none", gains=as_pairs(gains)), cutoff, topics)


def discounted_cumulated_gain(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    cutoff: int,
    dcg: str = "log2",
    base: int = 2,
    gains: Pairs | Mapping[int, float] | None = None,
    topics: TopicRule = "both",
) -> GainCurve:
    """DCG and ideal DCG by rank, and with `normalised` NDCG. `dcg` is "log2", "exp-log2" or "jk", as for the measure nDCG.

    Sources: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; Burges et al., Learning to rank using gradient descent, ICML 2005
    ("exp-log2").

    >>> from ireval.measures.rankings import ranking
    >>> discounted_cumulated_gain(ranking([3, 2, 3]), cutoff=3, dcg="jk").mean().round(2).tolist()
    [3.0, 5.0, 6.89]
    """
    require_choice("dcg", dcg, DCG.choices)
    require_count("base", base)
    return gain_curve(as_rankings(run, qrels), GainModel(dcg, base, as_pairs(gains)), cutoff, topics)


def as_pairs(gains: Pairs | Mapping[int, float] | None) -> Pairs | None:
    """Pairs of a grade and its gain, from such pairs or {grade: gain}; BadInput for anything else."""
    if gains is None:
        return None
    pairs = gains.items() if isinstance(gains, Mapping) else gains
    table = as_numbers("gains", list(pairs) if isinstance(pairs, Iterable) else pairs)
    if table.size and (table.shape[1:] != (2,) or (table[:, 0] % 1 != 0).any() or not np.isfinite(table).all()):
        raise BadInput(f"gains are {shown(gains)}; expected pairs of a grade and its gain")
    return tuple((int(grade), float(gain)) for grade, gain in table.reshape(-1, 2).tolist())


def gain_curve(rankings: Rankings, model: GainModel, cutoff: int, topics: TopicRule) -> GainCurve:
    counted, qrels = counted_topics(rankings, topics), rankings.qrels
    return GainCurve(
        names(rankings, counted),
        by_rank(rankings, rankings.topic, rankings.rank, model.reached(rankings), cutoff)[counted],
        by_rank(rankings, qrels.topic, qrels.position, model.possible(qrels), cutoff)[counted],
    )


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """The points of each topic's curve: `precision` and `recall` (T, K) of the first k documents."""

    topics: list[str]
    precision: Floats
    recall: Floats


def precision_recall(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    cutoff: int,
    rel: int = 1,
    topics: TopicRule = "both",
) -> PrecisionRecall:
    """Precision and recall at every rank up to K; grades from `rel` up are relevant.

    Precision divides by k, also after the end of a ranking. For curves over topics, see interpolated_precisions.
    Source: Baeza-Yates and Ribeiro-Neto, Modern information retrieval, section 4.3.

    >>> points = precision_recall({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1, "c": 1}}, cutoff=3)
    >>> points.precision.round(4).tolist(), points.recall.tolist()
    ([[0.0, 0.5, 0.3333]], [[0.0, 0.5, 0.5]])
    """
    require_numbers(rel=rel)
    rankings = as_rankings(run, qrels)
    counted, relevant = counted_topics(rankings, topics), rankings.relevant(rel)
    hits = by_rank(rankings, relevant.topic, relevant.rank, np.ones(len(relevant.rank)), cutoff)[counted]
    return PrecisionRecall(
        names(rankings, counted),
        hits / np.arange(1, cutoff + 1),
        share_of(hits, relevant.total[counted, None]),
    )


def interpolated_precisions(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    levels: Sequence[float] = ELEVEN_POINTS,
    rel: int = 1,
    topics: TopicRule = "both",
) -> Floats:
    """The highest precision at any rank where recall is at least each level, (T, L).

    The mean over topics is the precision–recall curve of a system. By default there are the eleven standard levels. The profile
    decides how many documents make up a recall: "textbook" is the definition, "trec_eval-9" the default.

    >>> from ireval.measures.rankings import ranking
    >>> interpolated_precisions(ranking([1, 0, 1], missed=[1]), levels=(0, 0.5, 1)).round(4).tolist()
    [[1.0, 0.6667, 0.0]]
    """
    rankings = as_rankings(run, qrels)
    counted = counted_topics(rankings, topics)
    levels = as_numbers("levels", levels).ravel().tolist()
    if not levels or not all(0 <= level <= 1 for level in levels):
        raise BadInput(f"the levels of recall are {levels}; expected shares from 0 to 1")
    require_numbers(rel=rel)
    columns = [interpolated_precision(rankings, recall=level, rel=rel) for level in levels]
    return np.stack(columns, axis=1)[counted]


@dataclass(frozen=True, eq=False)
class Roc:
    """Rates by rank, (T, K): `tpr`, the share of relevant documents retrieved, and `fpr`, that of judged non-relevant ones.

    `unretrieved` says how the curve goes from the end of the ranking to (1, 1).
    """

    topics: list[str]
    fpr: Floats
    tpr: Floats
    unretrieved: Unretrieved

    def points(self, fpr: Floats, tpr: Floats) -> NDArray[np.float64]:
        """Rows of (fpr, tpr) from (0, 0) to (1, 1), for a topic's vectors or for means: `roc.points(*roc.mean())`.

        After the ranking, "lost" goes flat and then straight up, "tied" in one line.
        """
        ranks = np.stack([fpr, tpr], axis=1)
        end = [[1.0, tpr[-1]]] if self.unretrieved == "lost" else []
        return np.array([[0.0, 0.0], *ranks, *end, [1.0, 1.0]])

    def areas(self) -> Floats:
        """The area under each topic's curve, (T,).

        It is the measure AUC if K reaches the end of the ranking and there are documents of both kinds.
        """
        start = np.zeros((len(self.topics), 1))
        fpr, tpr = np.hstack([start, self.fpr]), np.hstack([start, self.tpr])
        within = (np.diff(fpr) * (tpr[:, 1:] + tpr[:, :-1]) / 2).sum(axis=1)
        height = tpr[:, -1] if self.unretrieved == "lost" else (tpr[:, -1] + 1) / 2
        return within + (1 - fpr[:, -1]) * height

    def mean(self) -> tuple[Floats, Floats]:
        """fpr and tpr by rank, (K,) each, averaged over topics at equal ranks (Fawcett, Pattern Recognition Letters 27, 2006)."""
        return mean_over_topics(self.fpr), mean_over_topics(self.tpr)


def roc(
    run: Source | Blocks | Rankings,
    qrels: Source | Qrels | None = None,
    *,
    cutoff: int,
    rel: int = 1,
    unretrieved: Unretrieved = "lost",
    topics: TopicRule = "both",
) -> Roc:
    """The points of the ROC curve of each topic's judged documents; grades from `rel` up are relevant, all others are not.

    Unjudged documents are skipped. `unretrieved` is as in the measure AUC.
    Source: Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27, 2006.

    >>> from ireval.measures.rankings import ranking
    >>> curve = roc(ranking([1, 0, None, 1], missed=[0]), cutoff=4)
    >>> curve.fpr.tolist(), curve.tpr.tolist(), curve.areas().tolist()
    ([[0.0, 0.5, 0.5, 0.5]], [[0.5, 0.5, 0.5, 1.0]], [0.75])
    """
    require_choice("unretrieved", unretrieved, get_args(Unretrieved))
    require_numbers(rel=rel)
    rankings = as_rankings(run, qrels)
    counted, relevant = counted_topics(rankings, topics), rankings.grade >= rel
    shares = []
    for chosen, judged in ((~relevant, rankings.qrels.grade < rel), (relevant, rankings.qrels.grade >= rel)):
        hits = by_rank(rankings, rankings.topic[chosen], rankings.rank[chosen], np.ones(chosen.sum()), cutoff)
        shares.append(share_of(hits, rankings.qrels.count(judged)[:, None])[counted])
    return Roc(names(rankings, counted), shares[0], shares[1], unretrieved)


def histogram(first: Evaluation, second: Evaluation, measure: Name = "Rprec") -> pl.DataFrame:
    """The precision histogram of two systems, one row per topic: topic, their values (first and second), and difference.

    Topics that count in only one evaluation are left out. BadMeasure for a measure that does not exist or was not evaluated.
    Source: Baeza-Yates and Ribeiro-Neto, Modern information retrieval, section 4.3.

    >>> from ireval import evaluate
    >>> run = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> qrels = pl.DataFrame({"topic": ["1"], "docno": ["b"], "grade": [1]})
    >>> better = run.with_columns(score=-pl.col("score"))
    >>> histogram(evaluate(better, qrels, "Rprec"), evaluate(run, qrels, "Rprec")).rows()
    [('1', 1.0, 0.0, 1.0)]
    """
    column, values = str(parse_measure(measure)), []
    for name, evaluation in (("first", first), ("second", second)):
        require_type(f"the {name} evaluation", evaluation, Evaluation, "an Evaluation, which evaluate returns")
        if column not in evaluation.values.columns:
            evaluated = ", ".join(map(str, evaluation.measures))
            raise BadMeasure(f"the {name} evaluation has no {column}; it was evaluated by {evaluated}")
        values.append(evaluation.values.select("topic", pl.col(column).alias(name)))
    both = values[0].join(values[1], on="topic", maintain_order="left")
    return both.with_columns(difference=pl.col("first") - pl.col("second"))


def counted_topics(rankings: Rankings, topics: TopicRule) -> NDArray[np.bool_]:
    require_choice("topics", topics, get_args(TopicRule))
    return np.ones(len(rankings), bool) if topics == "qrels" else rankings.retrieved > 0


def names(rankings: Rankings, counted: NDArray[np.bool_]) -> list[str]:
    return [topic for topic, counts in zip(rankings.qrels.topics, counted, strict=True) if counts]


def by_rank(rankings: Rankings, topic: Ints, rank: Ints, values: Floats, cutoff: int) -> Floats:
    """Running sums of documents' values by rank, (topics of the qrels, K)."""
    require_count("the cutoff of a curve", cutoff)
    table = np.zeros((len(rankings), cutoff))
    shown = rank <= cutoff
    table[topic[shown], rank[shown] - 1] = values[shown]
    return np.cumsum(table, axis=1, out=table)


def share_of(part: NDArray, whole: NDArray) -> Floats:
    """part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole != 0)


def mean_over_topics(values: Floats) -> Floats:
    return values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan)
