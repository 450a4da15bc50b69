"""Evaluation of a run: every measure for every topic, and their means."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np
import polars as pl

from ireval.io.arguments import require_choice, require_numbers
from ireval.io.files import MAX_BYTES, BadInput, local_file, name_of
from ireval.io.frames import Source, to_pandas
from ireval.io.profiles import DEFAULT_PROFILE
from ireval.io.rank_order import Ties
from ireval.io.runs import ScatteredTopics, read_run, run_blocks
from ireval.io.tables import is_parquet
from ireval.measures.arrangement import Tagged, arranged
from ireval.measures.names import Measures, parse_measures
from ireval.measures.rankings import Blocks, Qrels, Rankings, qrels_from
from ireval.measures.registry import Aggregate, Measure

TopicRule = Literal["both", "qrels"]


class EvaluationRules(TypedDict, total=False):
    """Optional arguments of `evaluate`: the rules of an evaluation."""

    profile: str
    topics: TopicRule
    relevant_from: int
    depth: int | None
    judged_only: bool
    ties: Ties


@dataclass(frozen=True)
class Evaluation:
    """The values of a run's measures, and the rules by which they were computed.

    `values` has one row per counted topic, in string order. Its columns are topic, then one per measure under its canonical name
    (Int64 for counts, else Float64). Those of measures that weigh topics in a mean come last. `missing` are topics of the qrels
    that the run lacks; under the rule "qrels" they count, as 0. `unjudged` are topics of the run without qrels, which never
    count. `by_subtopic`: the qrels have subtopics, which intent-aware measures use. Other measures use each document's highest
    grade. `duplicates_once`: near-duplicates were counted once, as the qrels told.
    """

    values: pl.DataFrame
    measures: tuple[Measure, ...]
    profile: str
    topic_rule: TopicRule
    relevant_from: int
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    depth: int | None = None
    judged_only: bool = False
    ties: Ties = "profile"
    by_subtopic: bool = False
    duplicates_once: bool = False

    @property
    def n(self) -> int:
        """How many topics count."""
        return len(self.values)

    @cached_property
    def topics(self) -> list[str]:
        """The topics that count, in the order of `values`."""
        return self.values["topic"].to_list()

    def to_pandas(self) -> Any:
        """The values as a frame of pandas."""
        return to_pandas(self.values)

    def means(self) -> dict[str, float]:
        """Each measure over all counted topics: its mean, or the sum for counts, or GMAP's geometric mean.

        Without any topic a mean is NaN and a sum 0.
        """
        return {str(measure): over_topics(self.values, measure) for measure in self.measures}


def over_topics(values: pl.DataFrame, measure: Measure) -> float:
    """A measure's mean, or its other aggregate, from the table of `evaluate`.

    >>> from ireval.measures.names import parse_measure
    >>> values = pl.DataFrame({"nDCG": [1.0, 0.5], "nDCG(average='micro')": [1.0, 0.5], "IDCG": [1.0, 3.0]})
    >>> over_topics(values, parse_measure("nDCG")), over_topics(values, parse_measure("nDCG(average='micro')"))
    (0.75, 0.625)
    """
    how = measure.kind.aggregate
    return aggregate(terms(values, measure), "mean" if how == "weighted mean" else how)


def terms(values: pl.DataFrame, measure: Measure) -> np.ndarray:
    """One number per topic; their mean is the measure's, and their spread gives its uncertainty.

    For most measures these are the values. For a ratio of two means, with the denominator w as weight, it is the ratio + w ·
    (value − ratio) / mean w. From these the variance of a ratio is estimated (Cochran: Sampling techniques, 1977, section 2.11).
    If all weights are 0, these are the values.

    >>> from ireval.measures.names import parse_measure
    >>> values = pl.DataFrame({"nDCG(average='micro')": [1.0, 0.5], "IDCG": [1.0, 3.0]})
    >>> terms(values, parse_measure("nDCG(average='micro')")).tolist()
    [0.8125, 0.4375]
    """
    value = values[str(measure)].to_numpy()
    if measure.weight is None:
        return value
    weight = values[str(measure.weight)].to_numpy()
    if not weight.any():
        return value
    ratio = np.average(value, weights=weight)
    return ratio + weight * (value - ratio) / weight.mean()


def aggregate(values: np.ndarray, how: Aggregate) -> float:
    """Aggregate values over topics; NaN for a mean of none.

    >>> aggregate(np.array([1.0, 4.0]), "mean"), aggregate(np.array([1.0, 4.0]), "geometric mean")
    (2.5, 2.0)
    """
    if how == "weighted mean":
        raise BadInput("a weighted mean needs the weights, too: over_topics has them")
    if how == "sum":
        return values.sum().item()
    if len(values) == 0:
        return float("nan")
    return float(np.exp(np.log(values).mean()) if how == "geometric mean" else values.mean())


def evaluate(
    run: Source | Blocks,
    qrels: Source | Qrels,
    measures: Measures,
    *,
    profile: str = DEFAULT_PROFILE,
    topics: TopicRule = "both",
    relevant_from: int = 1,
    depth: int | None = None,
    judged_only: bool = False,
    ties: Ties = "profile",
    may_share_none: bool = False,
) -> Evaluation:
    """Evaluate a run as trec_eval would.

    - run: a path, a frame of polars or pandas, or {topic: {docno: score}}, checked as by as_run. Scores are ordered by the
      `profile`. Ranks of scan_run are used as they are if the profile orders scores as the default does. Ranks of frames that
      come one by one from an iterator, as from run_blocks, always are.
    - qrels: the same with grades (as_qrels). A Qrels(…) is sorted once for many runs. Qrels(…, duplicates=groups) counts of each
      group of near-duplicates the first retrieved; no ties but the profile's go with it.
    - measures: names, or measures of ours or of ir_measures.
    - topics: "both" counts the topics in run and qrels. "qrels" counts all of the qrels, missing ones as 0 (trec_eval -c).
    - relevant_from: the lowest relevant grade (-l).
    - depth: documents below this rank are ignored (-M).
    - judged_only: documents without a grade of 0 or more are left out and the others move up (-J, condensed lists).
    - ties: the order of documents with equal scores. "profile" goes by their ids, "best" and "worst" put the highest grade first
      or last. Both need scores, and frames that come one by one must hold whole topics.
    - may_share_none: a run that shares no topic with the qrels is evaluated, and its means are NaN. Otherwise that is BadInput.

    "best" and "worst" give the largest and the smallest value over all orders of the tied documents; the other way round where
    less is better. This holds for every measure that never falls when the higher grade of two neighbours moves up. Exceptions are
    the measures of diversity, whose gains depend on the documents above, G, BPM, Accuracy@k, and infAP where grades below 0 mark
    a sample.

    If the qrels have a column subtopic, intent-aware measures take each subtopic as an intent. Other measures use the highest
    grade that a document has in any. Without that column a topic is a single intent.

    Unjudged documents are not relevant; grades below 0 are judged and not relevant. A topic with judgements but none relevant
    counts, and its values are 0. Raises BadFile for an invalid run or qrels, with row, column and remedy, and BadMeasure for a
    measure that does not exist.

    >>> run = {"1": {"a": 2.0, "b": 1.0}}
    >>> qrels = {"1": {"b": 1}, "2": {"c": 1}}
    >>> evaluate(run, qrels, "RR P@5").means()
    {'RR': 0.5, 'P@5': 0.2}
    >>> evaluate(run, qrels, "RR P@5", topics="qrels").means()
    {'RR': 0.25, 'P@5': 0.1}
    """
    require_choice("topics", topics, get_args(TopicRule))
    require_numbers(relevant_from=relevant_from)
    parsed = tuple(parse_measures(measures))
    judgements = qrels_from(qrels, subtopics=any(measure.kind.by_intent for measure in parsed))
    rankings, retrieved = arranged(run, judgements, profile=profile, depth=depth, judged_only=judged_only, ties=ties)
    present = np.array([topic in retrieved for topic in judgements.topics], dtype=bool)
    evaluation = Evaluation(
        values=table(rankings, parsed, present if topics == "both" else np.ones_like(present), relevant_from),
        measures=parsed,
        profile=profile,
        topic_rule=topics,
        relevant_from=relevant_from,
        missing=tuple(topic for topic in judgements.topics if topic not in retrieved),
        unjudged=tuple(sorted(retrieved.difference(judgements.topics))),
        depth=depth,
        judged_only=judged_only,
        ties=ties,
        by_subtopic=judgements.by_subtopic is not None,
        duplicates_once=judgements.grade_holder is not None,
    )
    return evaluation if may_share_none else with_shared_topic(evaluation, "the run")


def with_shared_topic(evaluation: Evaluation, run: str) -> Evaluation:
    """The evaluation as it is. BadInput if run and qrels share no topic, with one of each side, or if one of them is empty."""
    ours, theirs = evaluation.unjudged, evaluation.missing
    shared = evaluation.n - (len(theirs) if evaluation.topic_rule == "qrels" else 0)
    if ours and theirs and not shared:
        topics = f"{run} has {some(ours)}, the qrels have {some(theirs)}"
        raise BadInput(f"{run} and the qrels share no topic: {topics}; expected the same ids in both")
    if not evaluation.n:
        empty = f'{run} holds no rows; topics="qrels" counts the topics of the qrels as 0' if theirs else "the qrels hold no rows"
        raise BadInput(f"{empty}; expected the same topics in both")
    return evaluation


def some(topics: Sequence[str]) -> str:
    """The first topic, and how many more there are.

    >>> some(["301"]), some(["301", "302", "303"])
    ('topic 301', 'topic 301 and 2 more')
    """
    return f"topic {topics[0]}" + (f" and {len(topics) - 1:,} more" if len(topics) > 1 else "")


def evaluate_file(
    path: str | Path,
    qrels: Source | Qrels,
    measures: Measures,
    *,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
    **rules: Unpack[EvaluationRules],
) -> tuple[Evaluation, str]:
    """Evaluate a run file topic by topic while reading it, in bounded memory. Returns the evaluation and the run's tag.

    The rules are those of `evaluate`, the files and BadFile those of read_run.
    """
    name = name or name_of(path)
    parsed = parse_measures(measures)
    judgements = qrels_from(qrels, subtopics=any(measure.kind.by_intent for measure in parsed))
    profile = rules.get("profile", DEFAULT_PROFILE)
    with local_file(path, max_bytes=max_bytes) as local:
        if not is_parquet(local):
            blocks = Tagged(run_blocks(local, name=name, max_bytes=max_bytes, profile=profile))
            with suppress(ScatteredTopics):
                evaluation = evaluate(blocks, judgements, parsed, **rules, may_share_none=True)
                return with_shared_topic(evaluation, name), blocks.tag
        run = read_run(local, name=name, max_bytes=max_bytes, profile=profile)
    return with_shared_topic(evaluate(run, judgements, parsed, **rules, may_share_none=True), name), run["tag"][-1]


def with_weights(measures: Iterable[Measure]) -> list[Measure]:
    """The measures, and after them those that weigh topics for any of them."""
    listed = list(measures)
    return list(dict.fromkeys([*listed, *(measure.weight for measure in listed if measure.weight)]))


def table(rankings: Rankings, measures: Iterable[Measure], counted: np.ndarray, relevant_from: int) -> pl.DataFrame:
    columns: dict[str, pl.Series] = {"topic": pl.Series(rankings.qrels.topics, dtype=pl.String).filter(pl.Series(counted))}
    for measure in with_weights(measures):
        values = measure(rankings, relevant_from)[counted]
        columns[str(measure)] = pl.Series(values, dtype=pl.Int64 if measure.kind.whole else pl.Float64)
    return pl.DataFrame(columns)
