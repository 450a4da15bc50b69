"""The evaluator's order of a ranking: score descending, ties by document id descending (byte order)."""

from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.io.profiles import DEFAULT_PROFILE, get_profile

# The order of documents with equal scores: by id, as the profile's evaluator does, or by their grades.
Ties = Literal["profile", "best", "worst"]
UNJUDGED = -(2**31)
# The customs in which files of runs order documents with equal scores.
Custom = Literal["trec_eval", "docno", "file"]
CUSTOMS: dict[Custom, str] = {
    "trec_eval": "by docno from the last to the first, as trec_eval orders them",
    "docno": "by docno from the first to the last",
    "file": "as they stand in the file",
}


def rank_run(frame: pl.DataFrame, profile: str = DEFAULT_PROFILE) -> pl.DataFrame:
    """A run's rows by topic (in string order) and rank, with `rank` (Int32, from 1 within each topic).

    `frame` needs topic, docno and score, in any order; a `rank` it has is replaced.

    >>> run = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    >>> rank_run(run)["docno"].to_list()
    ['c', 'b', 'a']
    """
    return in_order(with_ranks(with_topics_together(frame), profile))


def with_topics_together(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the rows of each topic next to each other; unchanged if they are already."""
    together = frame["topic"].rle().struct.field("value").is_unique().all()
    return frame if together else frame.sort("topic", maintain_order=True)


def with_ranks(frame: pl.DataFrame, profile: str = DEFAULT_PROFILE) -> pl.DataFrame:
    """Add `rank` without moving rows, since moving strings is slow. The rows of a topic must stand together."""
    topics = topic_numbers(frame["topic"])
    ranks = ranks_within(topics)
    order = evaluator_order(topics, comparable(frame["score"], profile), frame["docno"])
    if order is not None:
        of_row = np.empty_like(ranks)
        of_row[order] = ranks
        ranks = of_row
    return frame.with_columns(pl.Series("rank", ranks))


def with_ties_by_grade(
    frame: pl.DataFrame, judged: pl.DataFrame, ties: Literal["best", "worst"], profile: str = DEFAULT_PROFILE
) -> pl.DataFrame:
    """As with_ranks, but documents with equal scores are ordered by grade, the highest first ("best") or last ("worst").

    `judged` has topic, docno and grade. Unjudged documents count as lower than any grade; equal grades are ordered by the
    profile.

    >>> run = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    >>> judged = pl.DataFrame({"topic": ["1"], "docno": ["a"], "grade": [1]})
    >>> [with_ties_by_grade(run, judged, ties)["rank"].to_list() for ties in ("best", "worst")]
    [[2, 3, 1], [3, 2, 1]]
    """
    frame = with_ranks(frame, profile)
    grades = frame.select("topic", "docno").join(judged, on=["topic", "docno"], how="left", maintain_order="left")["grade"]
    grade = grades.cast(pl.Int64).fill_null(UNJUDGED).to_numpy()
    topics = topic_numbers(frame["topic"])
    order = np.lexsort((frame["rank"], -grade if ties == "best" else grade, -comparable(frame["score"], profile), topics))
    ranks = np.empty(len(frame), np.int32)
    ranks[order] = ranks_within(topics)
    return frame.with_columns(pl.Series("rank", ranks))


def with_ties_by_custom(frame: pl.DataFrame, custom: Custom, profile: str = DEFAULT_PROFILE) -> pl.DataFrame:
    """As with_ranks, but documents with equal scores are ordered by a custom; rows are in the order of the file.

    >>> run = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["b", "a", "c"], "score": [1.0, 1.0, 2.0]})
    >>> [with_ties_by_custom(run, custom)["rank"].to_list() for custom in CUSTOMS]
    [[2, 3, 1], [3, 2, 1], [2, 3, 1]]
    """
    if custom == "trec_eval":
        return with_ranks(frame, profile)
    topics = topic_numbers(frame["topic"])
    place = np.arange(len(frame)) if custom == "file" else frame["docno"].rank("dense").to_numpy()
    order = np.lexsort((place, -comparable(frame["score"], profile), topics))
    ranks = np.empty(len(frame), np.int32)
    ranks[order] = ranks_within(topics)
    return frame.with_columns(pl.Series("rank", ranks))


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows sorted by topic, in string order, and rank. A topic's rows must stand together, and its ranks be complete."""
    stretches = frame["topic"].rle().struct.unnest()
    by_name = stretches["value"].arg_sort().to_numpy()
    sizes = stretches["len"].to_numpy().astype(np.int64)
    starts = np.empty_like(sizes)
    starts[by_name] = np.cumsum(sizes[by_name]) - sizes[by_name]
    places = np.repeat(starts, sizes) + frame["rank"].to_numpy() - 1
    rows = np.arange(len(frame))
    if np.array_equal(places, rows):
        return frame
    order = np.empty_like(rows)
    order[places] = rows
    return frame[order]


def topic_numbers(topic: pl.Series) -> NDArray[np.uint32]:
    """The number of each row's topic, (N,): 0 for the first, 1 for the second, and so on."""
    return topic.rle_id().to_numpy()


def comparable(score: pl.Series, profile: str = DEFAULT_PROFILE) -> NDArray[np.floating]:
    """Scores in the precision in which the profile compares them; scores too large for it become equal, as in C."""
    with np.errstate(over="ignore"):
        return score.to_numpy().astype(get_profile(profile).score_type)


def ranks_within(topics: NDArray[np.uint32]) -> NDArray[np.int32]:
    """1, 2, 3 … for the rows of each topic, (N,)."""
    is_first = np.append(True, topics[1:] != topics[:-1])[: len(topics)]
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=len(topics))
    return (np.arange(len(topics)) - np.repeat(starts, sizes) + 1).astype(np.int32)


def evaluator_order(topics: NDArray[np.uint32], scores: NDArray[np.floating], docno: pl.Series) -> NDArray[np.int64] | None:
    """Row numbers in evaluator order, or None if the rows already are in it (as in most files, except for ties).

    Only rows with tied scores are compared by document, since strings are slow to sort.
    """
    together = topics[1:] == topics[:-1]
    order = None
    if np.any(together & (scores[1:] > scores[:-1])):
        order = np.lexsort((-scores, topics))
        scores = scores[order]
    tied = together & (scores[1:] == scores[:-1])
    if not tied.any():
        return order
    if order is None:
        order = np.arange(len(scores))
    in_a_tie = np.append(tied, False) | np.append(False, tied)
    rows = order[in_a_tie]
    tie = np.cumsum(~np.append(False, tied))[in_a_tie]
    order[in_a_tie] = (
        pl.DataFrame({"row": rows, "tie": tie, "docno": docno[rows]})
        .sort("tie", "docno", descending=[False, True])["row"]
        .to_numpy()
    )
    return order
