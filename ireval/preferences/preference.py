"""Two systems: how often the one is preferred to the other, how sure that is, and on which topics."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.preferences.votes import BOTH_BAD, Votes
from ireval.significance.clusters import Clustered, clustered
from ireval.significance.exact import SignTests, sign_tests


class Preference(NamedTuple):
    """`first` against `second`: `n` votes by `workers` on `items` of `topics`. A win is the first's, ties include `both_bad`.

    `score` is what a vote gives the first on average, 1 for a win and ½ for a tie; its p is that it is ½. `by_topics` lets every
    topic vote once, by which system it gave more; `by_votes` takes every vote for an independent one, which votes of one topic
    are not: it finds differences too easily.
    """

    first: str
    second: str
    n: int
    wins: int
    ties: int
    losses: int
    both_bad: int
    items: int
    topics: int
    workers: int
    score: Clustered
    by_topics: SignTests
    by_votes: SignTests


def preference(votes: Votes, first: str, second: str, *, confidence: float = 0.95) -> Preference:
    """How often `first` is preferred to `second`.

    The score's interval and p are robust to votes that are alike within topics and within workers; the interval is cut off at
    0 and 1. They are undefined (NaN) with one topic or one worker, and where all votes say the same. Every vote counts alike, so
    that a topic with more votes counts more.
    `by_topics` is exact, whatever the votes of a topic have in common: its chance is that of other topics. It takes the workers
    for given; where few of them have tastes of their own, others could prefer the other system, and only the score's p allows
    for that.
    BadVotes where nobody compared the two.
    Sources: Cameron, Gelbach and Miller 2011 (`clustering.variance`); the tests as in `sign_tests`.

    >>> from ireval.preferences.votes import small
    >>> found = preference(small(), "a", "b")
    >>> found.wins, found.ties, found.losses, found.score.value, found.by_topics.wins
    (4, 1, 1, 0.75, 2)
    """
    return summarised(votes.between(first, second), first, second, confidence)


def preferences(votes: Votes, *, confidence: float = 0.95) -> list[Preference]:
    """`preference` of every two systems that were compared, in the order of `votes.systems`. p are not corrected for their
    number.

    >>> from ireval.preferences.votes import small
    >>> [(found.first, found.second, found.n) for found in preferences(small())]
    [('a', 'b', 6)]
    """
    return [
        summarised(of_pair, votes.systems[of_pair.low[0]], votes.systems[of_pair.high[0]], confidence)
        for of_pair in votes.by_pair()
    ]


def summarised(votes: Votes, first: str, second: str, confidence: float) -> Preference:
    """Of votes on these two systems only."""
    points = points_of(votes, first)
    score = float(points.mean())
    found = clustered(
        score,
        (points - score) / len(points),
        {"topic": votes.topic, "worker": votes.worker},
        against=0.5,
        confidence=confidence,
    )
    by_topic = 0.5 + np.bincount(votes.topic, points - 0.5)[np.unique(votes.topic)].astype(np.float64)
    return Preference(
        first,
        second,
        len(votes),
        *counted(points),
        both_bad=int((votes.winner == BOTH_BAD).sum()),
        items=len(np.unique(votes.item)),
        topics=len(by_topic),
        workers=len(np.unique(votes.worker)),
        score=found._replace(low=max(found.low, 0.0), high=min(found.high, 1.0)) if not found.undefined else found,
        by_topics=sign_tests("topics", *counted(by_topic)),
        by_votes=sign_tests("votes", *counted(points)),
    )


def points_of(votes: Votes, first: str) -> Floats:
    """What each vote gives `first`, which is one of the two systems of all of them: (N,)."""
    return votes.points if votes.systems[votes.low[0]] == first else 1 - votes.points


def counted(points: Floats) -> tuple[int, int, int]:
    """Above, at and below a half."""
    return int((points > 0.5).sum()), int((points == 0.5).sum()), int((points < 0.5).sum())


def topic_table(votes: Votes, first: str, second: str) -> pl.DataFrame:
    """A row a topic that has votes on the two, in alphabetical order: topic, n, wins, ties, losses, both_bad (of the ties) and
    score, all as seen from `first`. BadVotes where nobody compared the two.

    >>> from ireval.preferences.votes import small
    >>> topic_table(small(), "a", "b").rows()[-1]
    ('q3', 2, 0, 1, 1, 0, 0.25)
    """
    found = votes.between(first, second)
    points = points_of(found, first)
    columns = {
        "n": np.ones(len(found)),
        "wins": points == 1,
        "ties": points == 0.5,
        "losses": points == 0,
        "both_bad": found.winner == BOTH_BAD,
    }
    seen = np.unique(found.topic)
    counts = {name: np.bincount(found.topic, column)[seen].astype(np.int64) for name, column in columns.items()}
    score = np.bincount(found.topic, points)[seen] / counts["n"]
    names = pl.Series([found.topics[one] for one in seen], dtype=pl.String)
    return pl.DataFrame({"topic": names, **counts, "score": score}).sort("topic")
