"""Votes of side-by-side studies, as integer codes: which worker preferred which system on which topic."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.io.arguments import is_name_in
from ireval.io.cells import require_cells, require_columns
from ireval.io.files import BadInput
from ireval.labels.labels import coded, texts

WINNERS = ("left", "right", "tie", "both_bad")
LEFT, RIGHT, TIE, BOTH_BAD = range(4)
# Points of the system on the left: 1 for a win, ½ for a tie and for both bad, 0 for a loss.
POINTS = np.array([1.0, 0.0, 0.5, 0.5])
NEEDED = ("item", "left", "right", "winner")


class BadVotes(BadInput):
    """Votes from which nothing can be computed, and why."""


class Repeats(NamedTuple):
    """R repeats, in which a worker saw an item again with the sides swapped; (R,) each.

    `vote` is the number of the first vote, `winner` the code of the second answer.
    """

    vote: Ints
    winner: Ints


@dataclass(frozen=True, eq=False)
class Votes:
    """N votes. `item`, `topic`, `left`, `right` (systems), `winner` (of WINNERS) and `worker` are codes, (N,).

    - systems: in alphabetical order.
    - before (N,): how many votes the worker had given before, repeats included.
    - seconds (N,): how long the worker took; NaN if unknown.
    - repeats: items shown again with the sides swapped. They are no votes; only `consistency` uses them.
    - left_out: the number of rows without a winner.
    - against_itself: the number of rows with one system on both sides. They are no votes.
    - has_workers: whether workers are known. If not, every vote counts as by a worker of its own.
    """

    item: Ints
    topic: Ints
    left: Ints
    right: Ints
    winner: Ints
    worker: Ints
    before: Ints
    seconds: Floats
    items: tuple[str, ...]
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    workers: tuple[str, ...]
    repeats: Repeats
    left_out: int = 0
    against_itself: int = 0
    has_workers: bool = True

    def __len__(self) -> int:
        return len(self.winner)

    @cached_property
    def low(self) -> Ints:
        """Of the two systems, the one that comes first in `systems`, (N,)."""
        return np.minimum(self.left, self.right)

    @cached_property
    def high(self) -> Ints:
        """Of the two systems, the one that comes last in `systems`, (N,)."""
        return np.maximum(self.left, self.right)

    @cached_property
    def pair(self) -> Ints:
        """The code of the pair of systems, whichever is on the left, (N,)."""
        return self.low * len(self.systems) + self.high

    @cached_property
    def unit(self) -> Ints:
        """A code of item and pair, (N,): votes on the same two results share it; an item may have several pairs."""
        return np.unique(self.item * len(self.systems) ** 2 + self.pair, return_inverse=True)[1]

    @cached_property
    def points(self) -> Floats:
        """The points of the system `low` in each vote, (N,): 1, ½ or 0."""
        points = POINTS[self.winner]
        return np.where(self.left == self.low, points, 1 - points)

    @cached_property
    def pair_count(self) -> int:
        """The number of pairs of systems that were compared."""
        return len(np.unique(self.pair))

    @cached_property
    def worker_count(self) -> int:
        """The number of workers who gave these votes; `workers` may name more."""
        return len(np.unique(self.worker))

    def number_of(self, system: str) -> int:
        """The place of a system in `systems`; BadVotes if it is none."""
        if not is_name_in(system, self.systems):
            raise BadVotes(f"there is no system {system}; expected one of {', '.join(self.systems)}")
        return self.systems.index(system)

    def between(self, first: str, second: str) -> "Votes":
        """The votes on these two systems. BadVotes if there are none, and for an unknown system."""
        first_code, second_code = self.number_of(first), self.number_of(second)
        rows = np.flatnonzero((self.low == min(first_code, second_code)) & (self.high == max(first_code, second_code)))
        if first_code == second_code or not len(rows):
            raise BadVotes(f"no vote is on {first} and {second}")
        return self.take(rows)

    def by_pair(self) -> Iterator["Votes"]:
        """Yield the votes of every two systems that were compared."""
        order = np.argsort(self.pair, kind="stable")
        ends = np.flatnonzero(np.diff(self.pair[order])) + 1
        yield from (self.take(rows) for rows in np.split(order, ends) if len(rows))

    def take(self, rows: Ints) -> "Votes":
        """Some of the votes, by their numbers in ascending order, with their repeats; names and codes stay."""
        place = np.minimum(np.searchsorted(rows, self.repeats.vote), max(0, len(rows) - 1))
        kept = rows[place] == self.repeats.vote if len(rows) else np.zeros(len(place), bool)
        columns = ("item", "topic", "left", "right", "winner", "worker", "before", "seconds")
        repeats = Repeats(place[kept], self.repeats.winner[kept])
        return replace(self, **{name: getattr(self, name)[rows] for name in columns}, repeats=repeats)


def votes_in_table(table: pl.DataFrame) -> Votes:
    """The votes of a table with item, left, right and winner, checked as votes_of says."""
    answered = checked(table)
    rows = answered.filter(pl.col("left") != pl.col("right"))
    if rows.is_empty():
        raise BadVotes("there are no votes")
    item, items = coded(rows["item"])
    topic, topics = coded(rows["topic"])
    worker, workers = coded(rows["worker"])
    systems = tuple(sorted({*rows["left"].unique(), *rows["right"].unique()}))
    left, right = code_of(rows["left"], systems), code_of(rows["right"], systems)
    every = Votes(
        item=item,
        topic=topic,
        left=left,
        right=right,
        winner=code_of(rows["winner"], WINNERS),
        worker=worker,
        before=votes_before(worker, rows["order"]) if "order" in rows.columns else votes_before(worker, None),
        seconds=rows["seconds"].fill_null(np.nan).to_numpy() if "seconds" in rows.columns else np.full(len(rows), np.nan),
        items=items,
        topics=topics,
        systems=systems,
        workers=workers,
        repeats=Repeats(np.empty(0, np.int64), np.empty(0, np.int64)),
        left_out=len(table) - len(answered),
        against_itself=len(answered) - len(rows),
        has_workers="worker" in table.columns,
    )
    require_one_topic(every)
    return without_repeats(every, rows["row"])


def checked(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a winner, checked: the needed columns and the worker as text, seconds as numbers."""
    require_columns(frame, NEEDED, BadVotes)
    require_columns(frame, [column for column in ("worker", "topic", "seconds", "order") if column in frame.columns], BadVotes)
    if "worker" not in frame.columns:
        frame = frame.with_columns(worker=pl.int_range(1, pl.len() + 1))
    floats = [column for column in (*NEEDED, "worker", "topic") if column in frame.columns and frame[column].dtype.is_float()]
    frame = frame.with_columns(frame[column].fill_nan(None) for column in floats)  # pandas has NaN for an empty cell
    columns = frame.select(texts(frame[column]).str.strip_chars().alias(column) for column in (*NEEDED, "worker"))
    columns = columns.with_columns(topic=texts(frame["topic"]).str.strip_chars() if "topic" in frame.columns else columns["item"])
    extra = {column: frame[column] for column in ("seconds", "order") if column in frame.columns}
    rows = columns.with_columns(**extra).with_row_index("row", offset=1).filter(pl.col("winner").fill_null("") != "")
    if rows.is_empty():
        raise BadVotes("there are no votes")
    require_cells(rows, ("item", "topic", "left", "right", "worker"), BadVotes, lambda row: f"row {rows['row'][row]:,}")
    strange = rows.filter(~pl.col("winner").is_in(WINNERS))
    if len(strange):
        complaint = complaint_about_winner(strange["winner"][0])
        raise BadVotes(f"row {strange['row'][0]:,}: column winner: {complaint}: mend it, or leave the row out")
    return with_seconds(rows) if "seconds" in extra else rows


def complaint_about_winner(text: str) -> str:
    return f'the winner is "{text[:50]}"; expected {", ".join(WINNERS[:-1])} or {WINNERS[-1]}'


def with_seconds(rows: pl.DataFrame) -> pl.DataFrame:
    seconds = rows["seconds"]
    if seconds.dtype.is_float():
        seconds = seconds.fill_nan(None)
    if seconds.dtype == pl.String:
        seconds = seconds.str.strip_chars().replace("", None)
    numbers = seconds.cast(pl.Float64, strict=False)
    bad = seconds.is_not_null() & ~(numbers.is_finite() & (numbers >= 0)).fill_null(value=False)
    if bad.any():
        row = rows["row"].filter(bad)[0]
        raise BadVotes(f"row {row:,}: column seconds: {complaint_about_seconds(str(seconds.filter(bad)[0]))}")
    return rows.with_columns(seconds=numbers)


def complaint_about_seconds(text: str) -> str:
    return f'seconds are "{text[:50]}"; expected a number from 0'


def code_of(column: pl.Series, names: tuple[str, ...]) -> Ints:
    return column.cast(pl.Enum(list(names))).to_physical().to_numpy().astype(np.int64)


def votes_before(worker: Ints, when: pl.Series | None) -> Ints:
    """How many votes the worker had given before each vote, (N,)."""
    ranks = np.arange(len(worker)) if when is None else time_ranks(when)
    order = np.lexsort((ranks, worker))
    starts = np.cumsum(np.bincount(worker)) - np.bincount(worker)
    earlier = np.empty(len(worker), np.int64)
    earlier[order] = np.arange(len(worker)) - starts[worker[order]]
    return earlier


def time_ranks(when: pl.Series) -> Ints:
    """The ranks of times, (N,): numbers by size, also if they are text; anything else as it sorts."""
    if when.dtype == pl.String:
        numbers = when.cast(pl.Float64, strict=False)
        when = when if numbers.null_count() > when.null_count() else numbers
    return when.rank("ordinal").fill_null(len(when) + 1).to_numpy().astype(np.int64)


def require_one_topic(votes: Votes) -> None:
    first = np.full(len(votes.items), -1)
    first[votes.item] = votes.topic
    other = np.flatnonzero(first[votes.item] != votes.topic)
    if len(other):
        row = int(other[0])
        topics = sorted({votes.topics[votes.topic[row]], votes.topics[first[votes.item[row]]]})
        raise BadVotes(f"item {votes.items[votes.item[row]]} is of two topics, {topics[0]} and {topics[1]}")


def without_repeats(every: Votes, numbers: pl.Series) -> Votes:
    """The votes without mirrored repeats, which become `repeats`. `numbers` are those of the rows."""
    same = every.unit * len(every.workers) + every.worker
    order = np.lexsort((every.before, same))
    again = np.flatnonzero(same[order[1:]] == same[order[:-1]]) + 1
    repeat, first = order[again], order[again - 1]
    if (wrong := every.left[repeat] == every.left[first]).any() or len(np.intersect1d(repeat, first)):
        row = int(repeat[wrong.argmax()])
        vote = f"worker {every.workers[every.worker[row]]} votes again on item {every.items[every.item[row]]}"
        raise BadVotes(f"row {numbers[row]:,}: columns item and worker: {vote}: keep one of the votes")
    if not len(repeat):
        return every
    kept = np.delete(np.arange(len(every)), repeat)
    return replace(every.take(kept), repeats=Repeats(np.searchsorted(kept, first), every.winner[repeat]))


def small() -> Votes:
    """Three topics that two workers judge, one of them the first topic again; for the examples."""
    rows = [
        *(("q1", "a", "b", "left", "x"), ("q2", "b", "a", "right", "x"), ("q3", "a", "b", "tie", "x")),
        *(("q1", "b", "a", "right", "y"), ("q2", "a", "b", "left", "y"), ("q3", "a", "b", "right", "y")),
        ("q1", "b", "a", "right", "x"),
    ]
    return votes_in_table(pl.DataFrame(rows, schema=[*NEEDED, "worker"], orient="row"))
