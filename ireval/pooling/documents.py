"""The documents that several runs retrieved, with their ranks in each run and the grades that some of them have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Ints
from ireval.io.arguments import require_count, require_type
from ireval.io.files import BadInput
from ireval.io.frames import Source, as_qrels, as_run
from ireval.io.profiles import DEFAULT_PROFILE
from ireval.io.qrels import highest_grades
from ireval.measures.arrangement import ranked
from ireval.measures.evaluation import some
from ireval.significance.comparison import pairs_of
from ireval.significance.pairs import Pairs
from ireval.significance.scores import Scores

KEY = ["topic", "docno"]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PooledDocuments:
    """N documents of T topics, sorted by topic and docno: all judged ones, and the unjudged ones of the pool.

    `frame` has topic and docno. `topic` (N,) has numbers from 0 to T − 1. `rank` (N, systems) counts from 1; 0 stands for a
    document that the system did not retrieve. `judged` (N,) says which have a grade, `grade` (N,) which; 0 for the others.
    `depth` is that of the pool; None pools whole rankings. `top_grade` is the highest in the qrels, other topics included.
    `left_out` counts topics that some system, or the qrels, lack.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    frame: pl.DataFrame
    topic: Ints
    rank: NDArray[np.int32]
    grade: Ints
    judged: Flags
    depth: int | None
    top_grade: int
    left_out: int

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def pooled(self) -> Flags:
        """Which documents some system ranks within the depth, (N,); every unjudged one is among them."""
        retrieved = self.rank > 0
        shown = retrieved if self.depth is None else retrieved & (self.rank <= self.depth)
        return np.asarray(shown.any(axis=1))

    def by_topic(self) -> Iterator[slice]:
        """The rows of each topic, in order of `topics`."""
        ends = np.cumsum(np.bincount(self.topic, minlength=len(self.topics)))
        return map(slice, [0, *ends[:-1].tolist()], ends.tolist())

    def pairs(self, baseline: str | None = None) -> Pairs:
        """Every two systems, or every other system with the baseline. BadComparison for an unknown one."""
        return pairs_of(Scores((), self.systems, np.empty((0, len(self.systems)))), baseline)

    def with_grades(self, rows: Ints, grades: Ints) -> "PooledDocuments":
        """The same documents after those in `rows` got these grades."""
        grade, judged = self.grade.copy(), self.judged.copy()
        grade[rows], judged[rows] = grades, True
        return replace(self, grade=grade, judged=judged, top_grade=max(self.top_grade, int(np.max(grades, initial=0))))


def pooled_documents(
    runs: Mapping[str, Source],
    qrels: Source,
    *,
    depth: int | None = None,
    profile: str = DEFAULT_PROFILE,
    new_topics: bool = False,
) -> PooledDocuments:
    """Arrange runs, {system: what as_run takes}, and the grades that exist, what as_qrels takes.

    A topic counts if every run has it and it has a grade; with `new_topics` it needs none. A document judged for several
    subtopics has its highest grade. Raises BadInput for fewer than two runs, a depth below 1 and where no topic counts. BadFile
    for invalid qrels, or an invalid run, named by its system.

    >>> documents = pooled_documents({"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 1.0}}}, {"1": {"b": 1}}, depth=1)
    >>> documents.frame["docno"].to_list(), documents.rank.tolist(), documents.judged.tolist()
    (['a', 'b', 'c'], [[1, 0], [2, 0], [0, 1]], [False, True, False])
    """
    require_type("runs", runs, Mapping, "{system: run} of two runs or more")
    if depth is not None:
        require_count("depth", depth)
    if len(runs) < 2:
        raise BadInput(f"there is only {', '.join(map(str, runs)) or 'nothing'}; expected at least two runs")
    rankings = [ranking(run, str(name), profile) for name, run in runs.items()]
    grades = highest_grades(as_qrels(qrels)).select(*KEY, pl.col("grade").cast(pl.Int64))
    topics, left_out = counted(rankings, grades, new_topics)
    tops = rankings if depth is None else [table.filter(pl.col("rank") <= depth) for table in rankings]
    frame = (
        pl.concat([part.select(KEY) for part in (*tops, grades)])
        .unique()
        .filter(pl.col("topic").is_in(topics))
        .join(grades, on=KEY, how="left")
        .sort(KEY)
    )
    return PooledDocuments(
        systems=tuple(map(str, runs)),
        topics=tuple(topics),
        frame=frame.select(KEY),
        topic=np.searchsorted(np.array(topics, dtype=object), frame["topic"].to_numpy()).astype(np.int64),
        rank=ranks_of(frame, rankings),
        grade=frame["grade"].fill_null(0).to_numpy(),
        judged=frame["grade"].is_not_null().to_numpy(),
        depth=depth,
        top_grade=int(grades["grade"].to_numpy().max(initial=0)),
        left_out=left_out,
    )


def require_documents(documents: object) -> None:
    require_type("documents", documents, PooledDocuments, "PooledDocuments, which pooled_documents makes of runs and qrels")


def ranking(run: Source, name: str, profile: str) -> pl.DataFrame:
    in_order = ranked(as_run(run, name=name, profile=profile), profile)
    assert isinstance(in_order, pl.DataFrame | pl.LazyFrame)
    return in_order.lazy().select(*(pl.col(column).cast(pl.String) for column in KEY), pl.col("rank").cast(pl.Int32)).collect()


def counted(rankings: list[pl.DataFrame], grades: pl.DataFrame, new_topics: bool) -> tuple[list[str], int]:
    """The topics that count, in string order, and how many others some run or the qrels have."""
    named = [set(table["topic"].unique()) for table in rankings]
    judged = set(grades["topic"].unique())
    shared = set.intersection(*named)
    topics = sorted(shared if new_topics else shared & judged)
    if not shared:
        raise BadInput("the runs share no topic; expected the same ids in all")
    if not topics:
        remedy = "new_topics (--new-topics) counts topics that have no grade yet"
        raise BadInput(f"the qrels grade no topic that all runs have: these have {some(sorted(shared))}; {remedy}")
    return topics, len(judged.union(*named)) - len(topics)


def ranks_of(documents: pl.DataFrame, rankings: list[pl.DataFrame]) -> NDArray[np.int32]:
    ranks = np.zeros((len(documents), len(rankings)), np.int32)
    places = documents.select(KEY).with_row_index("place")
    for system, table in enumerate(rankings):
        hits = table.join(places, on=KEY)
        ranks[hits["place"].to_numpy(), system] = hits["rank"].to_numpy()
    return ranks
