"""Intents of topics: the subtopics, each arranged as a topic of its own.

So every measure of a topic can be computed for an intent. Qrels without subtopics have one intent per topic, the topic itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints, share
from ireval.io.checked_frames import believe
from ireval.io.frames import Source
from ireval.measures.arrangement import as_rankings
from ireval.measures.rankings import Blocks, ByTopic, Qrels, Rankings, arrange, qrels_from

# Ids have no zero bytes, and no character sorts before one: intents are in the order of their topics.
BETWEEN = "\0"


@dataclass(frozen=True, eq=False)
class Intents(ByTopic):
    """All intents, in the order of their topics.

    `topic` is the number of each intent's topic, `topics` how many there are. `judged` are the qrels whose topics are the
    intents. `document` and `place` have one entry per row of these. `document` numbers documents, ascending by topic and, within
    a topic, descending by id in byte order. `place` is the document's place in the qrels of the topics.
    """

    topic: Ints
    topics: int
    judged: Qrels
    document: Ints
    place: Ints

    def __len__(self) -> int:
        return self.topics

    def answerable(self, rel: int) -> Ints:
        """How many intents of each topic have a document with a grade of at least `rel`, (topics,); the others do not count."""
        return self.count(self.judged.count(self.judged.grade >= rel) > 0)

    def mean(self, values: Floats, rel: int) -> Floats:
        """The mean of `values`, one per intent, for each topic, (topics,); 0 for a topic without an intent that counts."""
        return share(self.sums(values), self.answerable(rel))


def intents_of(qrels: Source | Qrels) -> Intents:
    """Every subtopic of every topic, or every topic if there are no subtopics. `qrels` are what as_qrels takes, or Qrels.

    >>> intents_of(covering(["12", "2"]).qrels).judged.topics == ["1\\0001", "1\\0002"]
    True
    """
    judged = qrels_from(qrels, subtopics=True)
    return judged.cached(
        Intents, lambda: subtopics_as_intents(judged) if judged.by_subtopic is not None else topics_as_intents(judged)
    )


def topics_as_intents(qrels: Qrels) -> Intents:
    places = np.arange(len(qrels.grade))
    return Intents(np.arange(len(qrels)), len(qrels), qrels, places, places)


def subtopics_as_intents(qrels: Qrels) -> Intents:
    assert qrels.by_subtopic is not None
    named = pl.col("topic") + BETWEEN + pl.col("subtopic")
    judged = Qrels(believe(qrels.by_subtopic.select(named.alias("topic"), "docno", "grade"), "qrels"))
    topic = np.array([qrels.number[name.partition(BETWEEN)[0]] for name in judged.topics], np.int64)
    documents = qrels.documents.sort("number", "docno", descending=[False, True]).select("number", "docno", "place")
    rows = pl.DataFrame({"number": topic[judged.topic], "docno": judged.documents["docno"]})
    joined = rows.join(documents.with_row_index("document"), on=["number", "docno"], how="left", maintain_order="left")
    return Intents(topic, len(qrels), judged, joined["document"].cast(pl.Int64).to_numpy(), joined["place"].to_numpy())


def by_intent(run: Source | Blocks | Rankings, qrels: Source | Qrels | None = None) -> Rankings:
    """The rankings with intents as topics: each topic's ranking for each of its intents, with the grades for that intent.

    Of a run and its qrels, as `evaluate` takes them, or of Rankings. Without subtopics every topic is one intent, and the
    rankings come back as they are. BadFile for an invalid run or qrels, BadInput for a run without qrels.

    >>> by_intent(covering(["12", "", "2"])).relevant(1).rank.tolist()
    [1, 1, 3]
    """
    rankings = as_rankings(run, qrels, subtopics=True)
    intents = intents_of(rankings.qrels)
    if intents.judged is rankings.qrels:
        return rankings
    return rankings.cached(Intents, lambda: rankings_by_intent(rankings, intents))


def rankings_by_intent(rankings: Rankings, intents: Intents) -> Rankings:
    by_place = np.argsort(intents.place, kind="stable")
    sizes = np.bincount(intents.place, minlength=len(rankings.qrels.grade))
    rows, size = stretches(np.cumsum(sizes) - sizes, sizes, rankings.place)
    return Rankings(
        intents.judged,
        place=by_place[rows],
        rank=np.repeat(rankings.rank, size),
        retrieved=rankings.retrieved[intents.topic],
        profile=rankings.profile,
    )


def stretches(starts: Ints, sizes: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The places of all members of the chosen stretches, one stretch after the other, and how long each of these is.

    >>> [part.tolist() for part in stretches(np.array([0, 2, 5]), np.array([2, 3, 1]), np.array([2, 0]))]
    [[5, 0, 1], [1, 2]]
    """
    size = sizes[chosen]
    before = np.cumsum(size) - size
    return np.repeat(starts[chosen] - before, size) + np.arange(size.sum()), size


def covering(subtopics: Sequence[str], missed: Sequence[str] = ()) -> Rankings:
    """A topic's ranking, written as the subtopics that its documents are relevant to, one character each; for the examples.

    A document with none is judged not relevant. `missed` are the subtopics of documents that were not retrieved.

    >>> covering(["12", "", "2"], missed=["3"]).grade.tolist()
    [1, 0, 1]
    """
    docnos = [f"d{place}" for place in range(len(subtopics) + len(missed))]
    grades = [
        ("1", docno, int(bool(covered)), subtopic)
        for docno, covered in zip(docnos, [*subtopics, *missed], strict=True)
        for subtopic in covered or "-"
    ]
    qrels = pl.DataFrame(grades, schema=["topic", "docno", "grade", "subtopic"], orient="row")
    rows = [("1", docno, rank) for rank, docno in enumerate(docnos[: len(subtopics)], start=1)]
    return arrange(pl.DataFrame(rows, schema=["topic", "docno", "rank"], orient="row"), Qrels(believe(qrels, "qrels")))[0]
