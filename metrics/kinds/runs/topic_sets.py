"""What runs retrieved of one topic: its relevant documents, with recall and precision, and contingency tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval import BadMeasure, contingency, coverage_and_novelty
from ireval.curves.curves import precision_recall
from ireval.measures.rankings import Rankings
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Qrels, Run
from metrics.kinds.runs import evidence
from metrics.kinds.runs.curves import rankings_by
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.rules import rules_of
from metrics.models import Report


class RelevantFound(NamedTuple):
    """The relevant documents that a run has found, in order: their ranks, and recall and precision there."""

    docnos: list[str]
    ranks: list[int]
    recalls: list[float]
    precisions: list[float]


def points_of(spec: Mapping[str, Any], run: pl.DataFrame, qrels: pl.DataFrame) -> RelevantFound:
    """What one run has found of a topic. Of near-duplicates that count once, the one with the grade is named."""
    rel = spec["relevant_from"]
    rankings = rankings_by(rules_of(dict(spec)), run, qrels, evidence.duplicates(spec))
    ranks = rankings.relevant(rel).rank
    docnos = rankings.qrels.documents["docno"][rankings.place[rankings.grade >= rel]]
    curve = precision_recall(rankings, cutoff=int(ranks.max(initial=1)), rel=rel, topics="qrels")
    at: np.ndarray = ranks - 1
    return RelevantFound(docnos.to_list(), ranks.tolist(), curve.recall[0, at].tolist(), curve.precision[0, at].tolist())


def found_by_run(spec: Mapping[str, Any], runs: Mapping[str, pl.DataFrame], qrels: pl.DataFrame) -> dict[str, RelevantFound]:
    """What each run that ranks the topic has found of it, by name. All rules of the report count, as for its measures."""
    return {name: points_of(spec, run, qrels) for name, run in runs.items() if len(run)}


def relevant_found(report: Report, outcome: Outcome, topic: str) -> RelevantFound:
    """What one run of a report has found of a topic, from its ranking and its grades as they are stored."""
    run, qrels = Run.objects.get(pk=outcome.run), Qrels.objects.get(pk=outcome.qrels)
    return points_of(report.spec, run_frame(run, topic=topic), qrels_frame(qrels, topic=topic))


@dataclass(frozen=True)
class RetrievedSet:
    """A run's contingency table on the topic, and what it gives to a reader of the first run, who knows what that one found.

    `other_missed` is None if the collection has fewer documents than are known of. `coverage` is the share of the first run's
    relevant documents that this one retrieved too. `novelty` is the share of its own relevant ones that the first lacks. Both are
    None for the first run itself, and where there are none to share.
    """

    name: str
    relevant_retrieved: int
    other_retrieved: int
    relevant_missed: int
    other_missed: int | None
    coverage: float | None
    novelty: float | None


def retrieved_sets(
    spec: Mapping[str, Any], runs: Mapping[str, pl.DataFrame], qrels: pl.DataFrame, documents: int
) -> list[RetrievedSet]:
    """One row per run by name, of one topic, in a collection of so many documents. All rules of the report count."""
    if qrels.is_empty():
        return []
    rel, rules, copies = spec["relevant_from"], rules_of(dict(spec)), evidence.duplicates(spec)
    by_name = {name: rankings_by(rules, run, qrels, copies) for name, run in runs.items()}
    first = next(iter(runs))
    known = runs[first].select("topic", "docno", grade=pl.lit(1, pl.Int64))
    return [
        RetrievedSet(name, *cells(rankings, documents, rel), *(shares(rankings, known, rel) if name != first else (None, None)))
        for name, rankings in by_name.items()
    ]


def cells(rankings: Rankings, documents: int, rel: int) -> tuple[int, int, int, int | None]:
    try:
        table = contingency(rankings, documents=documents or None, rel=rel)
    except BadMeasure:  # documents were not imported, or not all
        table = contingency(rankings, rel=rel)
    return table.drop("topic").row(0)


def shares(rankings: Rankings, known: pl.DataFrame, rel: int) -> tuple[float | None, float | None]:
    return coverage_and_novelty(rankings, known=known, rel=rel).select("coverage", "novelty").row(0)
