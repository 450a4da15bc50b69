"""Pools of collections whose grades are hidden, and what all grades say of the systems."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import kendalltau

from ireval import Qrels, compare, evaluate, parse_measure, read_qrels, read_run, scores_of
from ireval.arrays import Floats, Ints
from ireval.pooling import PooledDocuments, pooled_documents
from ireval.significance.pairs import Pairs

DEPTH = 10
ALPHA = 0.05
Runs = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Hidden:
    """A pool without grades, what they are, and how all grades of the collection order the systems."""

    documents: PooledDocuments
    grade: Ints
    means: Floats
    pairs: Pairs
    significant: np.ndarray
    top_grade: int

    def revealed(self, rows: Ints) -> PooledDocuments:
        return self.documents.with_grades(rows, self.grade[rows])

    def right(self, means: Floats) -> tuple[float, int]:
        """Kendall's τ with the full order, and how many significant pairs come out the other way round, or equal."""
        signs = [np.sign(values[self.pairs.first] - values[self.pairs.second]) for values in (means, self.means)]
        return float(kendalltau(means, self.means).statistic), int((signs[0] != signs[1])[self.significant].sum())


def hidden(runs: Runs, qrels: pl.DataFrame, name: str, depth: int | None = DEPTH) -> Hidden:
    measure, judged = parse_measure(name), Qrels(qrels)
    scores = scores_of({system: evaluate(run, judged, measure) for system, run in runs.items()}, measure)
    comparison = compare(scores, correction="none")
    every = pooled_documents(runs, qrels, depth=depth)
    rows = np.flatnonzero(every.pooled)
    nothing = replace(
        every,
        frame=every.frame[rows],
        topic=every.topic[rows],
        rank=every.rank[rows],
        grade=np.zeros(len(rows), np.int64),
        judged=np.zeros(len(rows), bool),
        top_grade=0,
    )
    grade = np.maximum(every.grade[rows], 0)
    return Hidden(nothing, grade, scores.means, comparison.pairs, comparison.p < ALPHA, int(every.top_grade))


def part_of(runs: Runs, qrels: pl.DataFrame, size: tuple[int, int], rng: np.random.Generator) -> tuple[Runs, pl.DataFrame]:
    """Some of the topics and runs, at random."""
    topics = rng.choice(qrels["topic"].unique().sort().to_list(), size[0], replace=False).tolist()
    names = rng.choice(list(runs), size[1], replace=False).tolist()
    kept = pl.col("topic").is_in(topics)
    return {name: runs[name].select("topic", "docno", "score").filter(kept) for name in names}, qrels.filter(kept)


def trec_covid(folder: Path) -> tuple[Runs, pl.DataFrame]:
    runs = {path.name.removesuffix(".xz"): read_run(path) for path in sorted((folder / "runs").glob("*.xz"))}
    return runs, read_qrels(folder / "qrels-rnd1.txt")
