"""Rankings as measures use them: only the judged documents, as arrays over all topics at once.

A measure needs the ranks and grades of the judged documents, the number of documents retrieved, and the grades in the qrels.
Unjudged documents, nearly all of a long ranking, are left out.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.duplicates.groups import GroupSource, as_groups
from ireval.io.checked_frames import believe
from ireval.io.frames import Source, as_qrels
from ireval.io.lookup import Lookup
from ireval.io.profiles import DEFAULT_PROFILE, Profile, get_profile
from ireval.io.qrels import highest_grades
from ireval.measures.duplicate_grades import given_to_first, grade_holders, with_a_grade_a_group, with_grade_holders

Chosen = NDArray[np.bool_] | slice
ALL = slice(None)
NONE = np.empty(0, np.int64)
Blocks = Iterable[pl.DataFrame]
Run = pl.DataFrame | pl.LazyFrame | Blocks
Cached = TypeVar("Cached")


QRELS_COLUMNS = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}


class ByTopic:
    """Documents in ascending order of their topics' numbers: `topic` has the number of each, len() counts the topics."""

    topic: Ints

    def __len__(self) -> int:
        raise NotImplementedError

    def sums(self, values: NDArray, chosen: Chosen = ALL) -> Floats:
        """The sum of `values`, one per document, over each topic, (T,); only of the chosen documents."""
        return np.bincount(self.topic[chosen], weights=values[chosen], minlength=len(self)).astype(np.float64, copy=False)

    def count(self, chosen: Chosen = ALL) -> Ints:
        """How many documents each topic has, (T,); only of the chosen documents."""
        return np.bincount(self.topic[chosen], minlength=len(self))

    def cached(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        """The result of `make`, computed once per key: measures that differ in their cutoff alone share much."""
        if key not in self._cache:
            self._cache[key] = make()
        return self._cache[key]

    @cached_property
    def _cache(self) -> dict[Hashable, Any]:
        return {}


class Qrels(ByTopic):
    """Grades arranged for evaluation, made from what as_qrels takes.

    Documents are sorted by topic in string order, within a topic from the highest grade down. `topics` are the T names. `topic`
    (a number from 0 to T − 1), `grade` and `position` (from 1 within the topic) have one entry per judged document. `top_grade`
    ends the scale: the highest grade of all topics unless another is given, as where these are some of the topics. A document
    judged for several subtopics has its highest grade here; `by_subtopic` is then the frame with all grades.

    With `duplicates`, groups of near-duplicates as as_groups takes them, each group counts once a topic: see
    ireval.measures.duplicate_grades. `grade_holder` (n,) then says which document holds the grade of each one's group.
    """

    grade_holder: Ints | None = None

    def __init__(
        self,
        source: Source,
        *,
        subtopics: bool = False,
        duplicates: GroupSource | None = None,
        top_grade: int | None = None,
    ):
        frame = as_qrels(source, subtopics=subtopics)
        groups = None if duplicates is None else with_grade_holders(as_groups(duplicates))
        frame = frame if groups is None else believe(with_a_grade_a_group(frame, groups), "qrels")
        self.by_subtopic = frame if "subtopic" in frame.columns else None
        frame = highest_grades(frame)
        names = frame["topic"].unique().sort()
        numbers = pl.DataFrame({"topic": names, "number": np.arange(len(names), dtype=np.int64)})
        self.topics: list[str] = names.to_list()
        self.documents = (
            frame.select("topic", "docno", pl.col("grade").cast(pl.Int64))
            .join(numbers, on="topic")
            .sort("number", "grade", descending=[False, True])
            .with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64))
        )
        self.topic: Ints = self.documents["number"].to_numpy()
        self.grade: Ints = self.documents["grade"].to_numpy()
        self.position = positions(self.topic, len(self.topics))
        self.top_grade = int(self.grade.max(initial=0)) if top_grade is None else top_grade
        self.number = {topic: number for number, topic in enumerate(self.topics)}
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(self.topic, minlength=len(self.topics)))))
        self.grade_holder = None if groups is None else grade_holders(self.documents, groups)

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def lookup(self) -> Lookup:
        """An index of the documents by their ids; its places are rows of `documents`."""
        return Lookup(self.documents)

    def documents_of(self, topics: Iterable[str]) -> pl.DataFrame:
        """The judged documents of some topics; topics without qrels are skipped."""
        numbers = [self.number[topic] for topic in topics if topic in self.number]
        if len(numbers) == len(self):
            return self.documents
        rows = [np.arange(self.starts[number], self.starts[number + 1]) for number in numbers]
        return self.documents[np.concatenate(rows)] if rows else self.documents.clear()


def qrels_from(qrels: "Source | Qrels", *, subtopics: bool = False) -> Qrels:
    """Qrels as they are, or made of what as_qrels takes."""
    return qrels if isinstance(qrels, Qrels) else Qrels(qrels, subtopics=subtopics)


@dataclass(frozen=True, eq=False)
class Relevant(ByTopic):
    """The relevant documents that were retrieved, by topic and rank, for one lowest relevant grade.

    `topic`, `rank` and `number` (1 for a topic's first relevant document retrieved, 2 for its second, …) have one entry per
    document. So has `nonrelevant_above`, the number of documents judged non-relevant (grades from 0, as in trec_eval) above it.
    `total` and `nonrelevant_total` (T,) count each topic's relevant and non-relevant documents, retrieved or not.
    """

    topic: Ints
    rank: Ints
    number: Ints
    total: Ints
    nonrelevant_above: Ints
    nonrelevant_total: Ints

    def __len__(self) -> int:
        return len(self.total)


class Rankings(ByTopic):
    """One run's rankings of all topics of the qrels. A topic that the run lacks has an empty ranking.

    `topic`, `rank`, `grade` and `place` have one entry per judged document retrieved, sorted by topic and rank. Ranks are from 1
    and count unjudged documents, too; places are rows in the qrels' documents. `retrieved` (T,) is the number of documents
    retrieved.
    """

    def __init__(self, qrels: Qrels, *, place: Ints, rank: Ints, retrieved: Ints, profile: Profile):
        order = np.argsort(qrels.topic[place] << 32 | rank)
        self.qrels = qrels
        self.place, self.rank = place[order], rank[order]
        self.topic, self.grade = qrels.topic[self.place], qrels.grade[self.place]
        self.retrieved = retrieved
        self.profile = profile

    def __len__(self) -> int:
        return len(self.qrels)

    @cached_property
    def gain(self) -> Ints:
        """Grades, with those below zero counted as zero."""
        return np.maximum(self.grade, 0)

    def condensed(self) -> "Rankings":
        """The rankings without unjudged documents, as if these had not been retrieved; grades below 0 count as unjudged.

        Source: trec_eval -J; Sakai: Alternatives to bpref, SIGIR 2007.

        >>> condensed = ranking([None, 1, -1, 0], missed=[1]).condensed()
        >>> condensed.rank.tolist(), condensed.grade.tolist(), condensed.retrieved.tolist()
        ([1, 2], [1, 0], [2])
        """
        return self.cached("condensed", self._condense)

    def _condense(self) -> "Rankings":
        judged = self.grade >= 0
        return Rankings(
            self.qrels,
            place=self.place[judged],
            rank=positions(self.topic[judged], len(self)),
            retrieved=self.count(judged),
            profile=self.profile,
        )

    def relevant(self, rel: int) -> Relevant:
        """The relevant documents retrieved, with a grade of at least `rel`; cached for the next measure."""
        return self.cached(rel, lambda: self._find_relevant(rel))

    def _find_relevant(self, rel: int) -> Relevant:
        relevant = self.grade >= rel
        nonrelevant = (self.grade < rel) & (self.grade >= 0)
        topic = self.topic[relevant]
        above = np.cumsum(nonrelevant)
        before_topic = np.concatenate(([0], np.cumsum(self.count(nonrelevant))))[topic]
        return Relevant(
            topic=topic,
            rank=self.rank[relevant],
            number=positions(topic, len(self)),
            total=self.qrels.count(self.qrels.grade >= rel),
            nonrelevant_above=above[relevant] - before_topic,
            nonrelevant_total=self.qrels.count((self.qrels.grade < rel) & (self.qrels.grade >= 0)),
        )


def log_discount(rank: Ints) -> Floats:
    """1 / log₂(rank + 1).

    >>> log_discount(np.array([1, 3])).tolist()
    [1.0, 0.5]
    """
    return 1 / np.log2(rank + 1)


def positions(topic: Ints, topics: int) -> Ints:
    """1, 2, 3 … within each topic, for topic numbers in ascending order.

    >>> positions(np.array([0, 0, 2, 2, 2]), 3).tolist()
    [1, 2, 1, 2, 3]
    """
    starts = np.concatenate(([0], np.cumsum(np.bincount(topic, minlength=topics))))
    return np.arange(len(topic)) - starts[topic] + 1


def arrange(run: Run, qrels: Qrels, *, profile: str = DEFAULT_PROFILE, depth: int | None = None) -> tuple[Rankings, set[str]]:
    """Join a run with qrels. Returns its rankings and the names of its topics, judged or not.

    `run` has topic, docno and rank (from 1, in evaluator order); rows may be in any order. It may come in several frames, and a
    topic may be split between them. Documents ranked below `depth` are ignored, as if they had not been retrieved.
    """
    retrieved: Counter[str] = Counter()
    hits: list[tuple[Ints, Ints]] = []
    for frame in [run] if isinstance(run, pl.DataFrame | pl.LazyFrame) else run:
        part = frame if depth is None else frame.filter(pl.col("rank") <= depth)
        sizes, hit = judged_documents_streamed(part, qrels) if isinstance(part, pl.LazyFrame) else judged_documents(part, qrels)
        hits.append(hit)
        retrieved.update(sizes)
    place, rank = (np.concatenate(part) for part in zip((NONE, NONE), *hits, strict=True))
    if qrels.grade_holder is not None:
        place = given_to_first(place, rank, qrels.grade_holder)
    rankings = Rankings(
        qrels,
        place=place,
        rank=rank,
        retrieved=np.array([retrieved[name] for name in qrels.topics], np.int64),
        profile=get_profile(profile),
    )
    return rankings, set(retrieved)


def judged_documents(frame: pl.DataFrame, qrels: Qrels) -> tuple[Counter[str], tuple[Ints, Ints]]:
    """The number of rows of each topic; for the judged documents, their places in the qrels and their ranks, (n,) each."""
    rows, places = qrels.lookup.find(frame)
    ranks = frame["rank"].to_numpy()[rows].astype(np.int64)
    return topic_sizes(frame["topic"].rle().struct.unnest()), (places, ranks)


def judged_documents_streamed(frame: pl.LazyFrame, qrels: Qrels) -> tuple[Counter[str], tuple[Ints, Ints]]:
    """The same as judged_documents, for a run that is read in portions."""
    sizes = topic_sizes(frame.select(pl.col("topic").rle()).collect(engine="streaming").unnest("topic"))
    documents = frame.select("topic", "docno", "rank").join(qrels.documents_of(sizes).lazy(), on=["topic", "docno"])
    place, rank = documents.select("place", pl.col("rank").cast(pl.Int64)).collect(engine="streaming")
    return sizes, (place.to_numpy(), rank.to_numpy())


def topic_sizes(stretches: pl.DataFrame) -> Counter[str]:
    """How many rows each topic has, from the lengths of stretches of equal topics."""
    sizes: Counter[str] = Counter()
    for topic, size in stretches.select("value", "len").iter_rows():
        sizes[topic] += size
    return sizes


def ranking(grades: Sequence[int | None], missed: Sequence[int] = (), profile: str = DEFAULT_PROFILE) -> Rankings:
    """One topic's ranking written as its grades from rank 1 down, None for an unjudged document; for examples.

    `missed` are the grades of judged documents that were not retrieved.

    >>> ranking([1, None, 0], missed=[2]).rank.tolist()
    [1, 3]
    """
    docnos = [f"d{place}" for place in range(len(grades) + len(missed))]
    judged = [(docno, grade) for docno, grade in zip(docnos, [*grades, *missed], strict=True) if grade is not None]
    qrels = pl.DataFrame([("1", *pair) for pair in judged], schema=QRELS_COLUMNS, orient="row")
    rows = [("1", docno, rank) for rank, docno in enumerate(docnos[: len(grades)], start=1)]
    run = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "rank": pl.Int32}, orient="row")
    return arrange(run, Qrels(believe(qrels, "qrels")), profile=profile)[0]
