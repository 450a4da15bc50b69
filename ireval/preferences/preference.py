"""Preference between two systems: how often one is preferred to the other, how sure that is, and on which topics."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.io.arguments import require_each
from ireval.io.frames import TableSource
from ireval.preferences.vote_files import as_votes
from ireval.preferences.votes import BOTH_BAD, Votes
from ireval.significance.clusters import Clustered, clustered_share
from ireval.significance.decision import Decision, decide
from ireval.significance.exact_tests import SignTests, sign_tests


class Preference(NamedTuple):
    """`first` against `second`: `n` votes by `workers` on `items` of `topics`. A win is the first's, ties include `both_bad`.

    `score` is the mean of the votes, 1 for a win and ½ for a tie; its p tests against ½. In `by_topics` every topic votes once,
    for the system with more points. `by_votes` takes all votes as independent, which votes on one topic are not: its p are too
    small.
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


def preference(votes: Votes | TableSource, first: str, second: str, *, confidence: float = 0.95) -> Preference:
    """How often `first` is preferred to `second`.

    The score's interval and p are robust to votes that are alike within topics and within workers. The interval is cut off at 0
    and 1. They are undefined (NaN) with one topic or one worker, and where all votes are ties. Where one system wins them all,
    the error is that of as many independent votes without a preference (`clustered_share`). Every vote counts the same, so a
    topic with more votes counts more. `by_topics` is exact for other topics, whatever the votes on a topic have in common, but
    not for other workers. If few workers have tastes of their own, others could prefer the other system; only the score's p
    allows for that. BadVotes if nobody compared the two.
    Sources: Cameron, Gelbach and Miller 2011 (`clusters.variance`); the tests as in `sign_tests`.

    >>> from ireval.preferences.votes import small
    >>> result = preference(small(), "a", "b")
    >>> result.wins, result.ties, result.losses, result.score.value, result.by_topics.wins
    (4, 1, 1, 0.75, 2)
    """
    votes = as_votes(votes)
    return preference_from(votes.between(first, second), first, second, confidence)


def preferences(votes: Votes | TableSource, *, confidence: float = 0.95) -> list[Preference]:
    """`preference` of every two systems that were compared, in the order of `votes.systems`; p are not corrected.

    >>> from ireval.preferences.votes import small
    >>> [(pair.first, pair.second, pair.n) for pair in preferences(small())]
    [('a', 'b', 6)]
    """
    votes = as_votes(votes)
    return [
        preference_from(of_pair, votes.systems[of_pair.low[0]], votes.systems[of_pair.high[0]], confidence)
        for of_pair in votes.by_pair()
    ]


def decisions(scores: Sequence[Clustered], *, alpha: float = 0.05) -> list[Decision]:
    """Who is preferred in each pair, by its `Preference.score` against ½.

    So it holds for other topics and other workers. p are corrected for all pairs together (Holm). "unknown" where the score has
    no interval. Sources: as `preference` and `decide`.

    >>> from ireval.preferences.votes import small
    >>> [decision.outcome for decision in decisions([preference(small(), "a", "b").score])]
    ['none']
    """
    require_each("scores", scores, Clustered, "the scores of preferences")
    return decide([score.estimate for score in scores], against=0.5, alpha=alpha, bounds=(0, 1))


def preference_from(votes: Votes, first: str, second: str, confidence: float) -> Preference:
    """The preference between two systems, from votes on these two only."""
    points = points_of(votes, first)
    score = float(points.mean())
    clusters = {"topic": votes.topic, "worker": votes.worker}
    by_topic = 0.5 + np.bincount(votes.topic, points - 0.5)[np.unique(votes.topic)].astype(np.float64)
    return Preference(
        first,
        second,
        len(votes),
        *outcome_counts(points),
        both_bad=int((votes.winner == BOTH_BAD).sum()),
        items=len(np.unique(votes.item)),
        topics=len(by_topic),
        workers=len(np.unique(votes.worker)),
        score=clustered_share(score, (points - score) / len(points), clusters, confidence=confidence),
        by_topics=sign_tests("topics", *outcome_counts(by_topic)),
        by_votes=sign_tests("votes", *outcome_counts(points)),
    )


def points_of(votes: Votes, first: str) -> Floats:
    """The points of `first` in each vote, (N,), where all votes are on `first` and one other system."""
    return votes.points if votes.systems[votes.low[0]] == first else 1 - votes.points


def outcome_counts(points: Floats) -> tuple[int, int, int]:
    """How many points are above, at and below a half."""
    return int((points > 0.5).sum()), int((points == 0.5).sum()), int((points < 0.5).sum())


def topic_table(votes: Votes | TableSource, first: str, second: str) -> pl.DataFrame:
    """One row per topic with votes on the two, in alphabetical order, from the view of `first`.

    The columns are topic, n, wins, ties, losses, both_bad (of the ties) and score. BadVotes if nobody compared the two.

    >>> from ireval.preferences.votes import small
    >>> topic_table(small(), "a", "b").rows()[-1]
    ('q3', 2, 0, 1, 1, 0, 0.25)
    """
    votes = as_votes(votes)
    between = votes.between(first, second)
    points = points_of(between, first)
    columns = {
        "n": np.ones(len(between)),
        "wins": points == 1,
        "ties": points == 0.5,
        "losses": points == 0,
        "both_bad": between.winner == BOTH_BAD,
    }
    voted = np.unique(between.topic)
    counts = {name: np.bincount(between.topic, column)[voted].astype(np.int64) for name, column in columns.items()}
    score = np.bincount(between.topic, points)[voted] / counts["n"]
    names = pl.Series([between.topics[code] for code in voted], dtype=pl.String)
    return pl.DataFrame({"topic": names, **counts, "score": score}).sort("topic")
