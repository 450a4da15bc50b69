"""The order in which an evaluator sees a ranking: score descending, ties by document id descending (byte order)."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .profiles import DEFAULT_PROFILE, get_profile


def rank_run(frame: pl.DataFrame, profile: str = DEFAULT_PROFILE) -> pl.DataFrame:
    """The rows of a run in evaluator order, with `rank` (Int32, from 1 within each topic).

    `frame` needs topic, docno and score, the rows of one topic next to each other; any `rank` it has is replaced.

    >>> run = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    >>> rank_run(run)["docno"].to_list()
    ['c', 'b', 'a']
    """
    topics = topic_numbers(frame["topic"])
    scores = comparable(frame["score"], profile)
    order = evaluator_order(topics, scores, frame["docno"])
    if order is not None:
        frame = frame[order]
    return frame.with_columns(rank=ranks_within(topics))


def topic_numbers(topic: pl.Series) -> NDArray[np.uint32]:
    """0 for the rows of the first topic, 1 for those of the second, and so on."""
    return topic.rle_id().to_numpy()


def comparable(score: pl.Series, profile: str = DEFAULT_PROFILE) -> NDArray[np.floating]:
    """Scores in the precision in which the profile compares them; those too large for it become equal, as in C."""
    with np.errstate(over="ignore"):
        return score.to_numpy().astype(get_profile(profile).score_type)


def ranks_within(topics: NDArray[np.uint32]) -> pl.Series:
    starts = np.flatnonzero(np.diff(topics, prepend=topics[:1] + 1)) if len(topics) else np.empty(0, np.int64)
    first_row = np.repeat(starts, np.diff(starts, append=len(topics)))
    return pl.Series("rank", (np.arange(len(topics)) - first_row + 1).astype(np.int32), dtype=pl.Int32)


def evaluator_order(topics: NDArray[np.uint32], scores: NDArray[np.floating], docno: pl.Series) -> NDArray[np.int64] | None:
    """Row numbers in evaluator order, or None when the rows already are in it (most files are, but for ties).

    Only rows whose scores tie are ever compared by document: strings are slow to sort.
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
