"""Runs under many gradings of the same documents, all at once.

Gradings differ in their grades alone, so the place of each document is looked up once. Every measure works on arrays over all
topics. The topics of hundreds of gradings are given to it as if they were topics of one.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.aggregation import Aggregated
from ireval.arrays import Floats, Ints
from ireval.io.arguments import as_numbers, require_type
from ireval.io.cells import require_columns, shown
from ireval.io.files import BadInput
from ireval.io.frames import Frame, Source, as_run, as_table
from ireval.io.profiles import DEFAULT_PROFILE, Profile, get_profile
from ireval.labels import Labels
from ireval.measures.arrangement import ranked
from ireval.measures.rankings import Qrels, Rankings, arrange, positions
from ireval.measures.registry import BadMeasure, Measure

# Graded documents handled at a time: more would not fit into the processor's cache.
BLOCK = 2**17


class Copies(Qrels):
    """Qrels that hold the topics of B gradings, one grading after another.

    `grade` (B, n) are grades of documents in ascending order of `topic`, (n,); `topics` is the number of topics. `place_of`
    (B · n,) says where in these qrels each document stands.
    """

    def __init__(self, grade: Ints, topic: Ints, topics: int):
        copies, n = grade.shape
        every = (np.arange(copies)[:, None] * topics + topic).ravel()
        grade = grade.ravel()
        # One sort by one number: the topic, and within it from the highest grade down.
        order = np.argsort(every * (int(grade.max(initial=0)) - int(grade.min(initial=0)) + 1) - grade, kind="stable")
        self.by_subtopic = None
        self.topics = [""] * (copies * topics)
        self.topic, self.grade = every, grade[order]
        self.position = positions(every, len(self.topics))
        self.top_grade = int(grade.max(initial=0))
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(every, minlength=len(self.topics)))))
        self.place_of = np.empty(copies * n, np.int64)
        self.place_of[order] = np.arange(copies * n)


class Panel:
    """The documents that get grades, n of T topics, and where each of R runs has them.

    `documents`, a frame of polars or pandas, has topic and docno, each pair once; gradings are arrays (…, n) in its order.
    `topics` are in string order. A topic that a run lacks does not count for it, as in `evaluate`. Other documents are unjudged,
    and so not relevant.
    """

    def __init__(self, documents: Frame, runs: Mapping[str, Source], *, profile: str = DEFAULT_PROFILE):
        require_type("runs", runs, Mapping, "{system: run}")
        documents = as_table(documents, BadInput)
        require_columns(documents, ("topic", "docno"), BadInput)
        qrels = Qrels(documents.select("topic", "docno", grade=pl.lit(0)))
        here = qrels.documents.select("topic", "docno")
        rows = documents.select("topic", "docno").with_row_index("row")
        self.order = here.join(rows, on=["topic", "docno"], how="left", maintain_order="left")["row"].to_numpy().astype(np.int64)
        self.topics, self.topic = qrels.topics, qrels.topic
        self.runs = tuple(runs)
        self.profile: Profile = get_profile(profile)
        checked = [as_run(run, name=name, profile=profile) for name, run in runs.items()]
        self.seen = [arrange(ranked(run, profile), qrels, profile=profile)[0] for run in checked]
        # (R, T): which topics count for which run.
        present = np.array([rankings.retrieved > 0 for rankings in self.seen], dtype=bool)
        self.present = present.reshape(len(self.runs), len(self.topics))

    def means(self, grades: Ints, measures: Sequence[Measure], weights: Floats | None = None) -> Floats:
        """Each measure over topics, (B, R, M), under each of the gradings (B, n); NaN where no topic counts.

        `weights` (B, T) say how often each topic counts; once if they are not given.
        """
        for measure in measures:
            require_mean(measure)
        means = np.empty((len(grades), len(self.runs), len(measures)))
        for rows, values in self.values(grades, measures):
            weight = np.ones((len(rows), len(self.topics))) if weights is None else weights[rows]
            total = weight @ self.present.T
            with np.errstate(invalid="ignore", divide="ignore"):
                means[rows] = np.einsum("btrm,bt,rt->brm", values, weight, self.present, optimize=True) / total[..., None]
        return means

    def weighted(self, grades: Ints, measures: Sequence[Measure], weights: Ints) -> Floats:
        """Each measure over topics, (B, R, M), under one grading (n,) and B weightings of the topics (B, T)."""
        values = self.values_of(grades[None], measures)[0]
        sums = np.einsum("trm,bt,rt->brm", values, weights, self.present, optimize=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums / (weights @ self.present.T)[..., None]

    def judged(self, measure: Measure) -> Floats:
        """The share of each ranking that has a label, (R,): the mean over topics of a measure such as Judged@10."""
        ungraded = np.zeros((1, len(self.topic)), np.int64)
        values = self.values_of(ungraded, [measure])[0, :, :, 0]
        return np.array([values[present, run].mean() if present.any() else np.nan for run, present in enumerate(self.present)])

    def values(self, grades: Ints, measures: Sequence[Measure]) -> Iterator[tuple[Ints, Floats]]:
        """Yield the rows of some gradings, (b,), and each measure for each of their topics, (b, T, R, M); in any order.

        Some measures depend on the highest grade, or on the grades that occur. Only gradings that use the same grades are
        therefore handled together.
        """
        step = max(1, BLOCK // max(1, len(self.topic)))
        for rows in rows_by_grades(grades):
            for start in range(0, len(rows), step):
                some = rows[start : start + step]
                yield some, self.values_of(grades[some], measures)

    def values_of(self, grades: Ints, measures: Sequence[Measure]) -> Floats:
        """Each measure for each topic, (B, T, R, M), under gradings that use the same grades, (B, n)."""
        copies, topics = len(grades), len(self.topics)
        qrels = Copies(grades[:, self.order].astype(np.int64), self.topic, topics)
        values = np.empty((copies, topics, len(self.runs), len(measures)))
        for number, run in enumerate(self.seen):
            rankings = self.repeated(run, qrels, copies)
            for place, measure in enumerate(measures):
                values[:, :, number, place] = measure(rankings).reshape(copies, topics)
        return values

    def repeated(self, run: Rankings, qrels: Copies, copies: int) -> Rankings:
        """The rankings of a run once for each of the copies of the qrels."""
        place = (np.arange(copies)[:, None] * len(self.topic) + run.place).ravel()
        return Rankings(
            qrels,
            place=qrels.place_of[place],
            rank=np.tile(run.rank, copies),
            retrieved=np.tile(run.retrieved, copies),
            profile=self.profile,
        )


def require_panel(panel: object, aggregated: object) -> None:
    require_type("panel", panel, Panel, "a Panel of documents and runs")
    require_type("aggregated", aggregated, Aggregated, "Aggregated labels, which aggregate makes")


def items_of(items: ArrayLike, panel: Panel, labels: Labels) -> Ints:
    """Which item of the labels each document of the panel is, (n,), checked."""
    codes = as_numbers("items", items)
    if codes.shape != (len(panel.topic),) or not ((codes % 1 == 0) & (codes >= 0) & (codes < len(labels.items))).all():
        raise BadInput(f"items are {shown(items)}; expected the number of an item for each of {len(panel.topic):,} documents")
    return codes.astype(np.int64)


def rows_by_grades(grades: Ints) -> Iterator[Ints]:
    """Yield the rows of gradings that use the same grades, together."""
    used = np.array([(grades == grade).any(axis=1) for grade in np.unique(grades)]).T
    _, group = np.unique(used, axis=0, return_inverse=True)
    for number in range(group.max(initial=-1) + 1):
        yield np.flatnonzero(group.ravel() == number)


def require_mean(measure: Measure) -> None:
    """Refuse a measure by which no run can be better than another: one that is no mean over topics, or has no direction."""
    if measure.kind.aggregate != "mean" or measure.kind.better == "neither" or measure.kind.only_over_all:
        raise BadMeasure(f"{measure} is no mean over topics by which one run can be better than another")
    if measure.kind.by_intent:
        raise BadMeasure(f"{measure} needs subtopics, which labels of workers do not have")
