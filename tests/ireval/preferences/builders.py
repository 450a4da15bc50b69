"""Small sets of votes, written the way a test wants to read them, and any that hypothesis thinks of."""

from collections.abc import Iterable

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ireval.preferences import WINNERS, Counts, Votes, votes_of

COLUMNS = ["item", "left", "right", "winner", "worker"]
SWAPPED = {"left": "right", "right": "left", "tie": "tie", "both_bad": "both_bad"}


def votes_from(*rows: str) -> Votes:
    """Rows such as "q1 a b left ann"."""
    return votes_of(frame_from(*rows))


def frame_from(*rows: str) -> pl.DataFrame:
    return frame_of(row.split() for row in rows)


def frame_of(rows: Iterable[Iterable[str]]) -> pl.DataFrame:
    return pl.DataFrame([tuple(row) for row in rows], schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def swapped(frame: pl.DataFrame, rows: Iterable[bool]) -> pl.DataFrame:
    """The same votes with the sides of some rows changed round."""
    return frame_of(
        (item, right, left, SWAPPED[winner], worker) if swap else (item, left, right, winner, worker)
        for (item, left, right, winner, worker), swap in zip(frame.rows(), rows, strict=True)
    )


def counts_from(wins: Iterable[Iterable[float]], ties: Iterable[Iterable[float]] | None = None) -> Counts:
    """Ties above the diagonal count both ways."""
    won = np.array(wins, np.float64)
    tied = np.zeros_like(won) if ties is None else np.triu(np.array(ties, np.float64), 1)
    return Counts(tuple("abcdefgh"[: len(won)]), won, tied + tied.T)


@st.composite
def any_frame(draw, systems: int = 4, items: int = 5, workers: int = 4) -> pl.DataFrame:
    """Any votes of up to four workers on up to five items of each pair of up to four systems, each at most once."""
    names = "abcd"[:systems]
    pairs = st.sampled_from([(name, other) for name in names for other in names if name < other])
    keys = st.tuples(st.integers(0, items - 1), pairs, st.integers(0, workers - 1))
    choices = draw(st.dictionaries(keys, st.tuples(st.sampled_from(WINNERS), st.booleans()), min_size=1, max_size=40))
    frame = frame_of((f"q{item}", *pair, winner, f"w{worker}") for (item, pair, worker), (winner, _) in choices.items())
    return swapped(frame, [swap for _, swap in choices.values()])


@st.composite
def any_counts(draw, most: int = 4) -> Counts:
    """Counts of three to five systems, many of them 0."""
    s = draw(st.integers(2, 5))
    cells = st.lists(st.one_of(st.just(0), st.integers(0, most)), min_size=s * s, max_size=s * s)
    wins = np.array(draw(cells), np.float64).reshape(s, s) * (1 - np.eye(s))
    return counts_from(wins, np.array(draw(cells), np.float64).reshape(s, s))
