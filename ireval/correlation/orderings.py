"""Correlations of orderings given as dictionaries of scores, lists of documents, runs, or tables of many orderings."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations, permutations
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.correlation.lists import ABSENT, DEFAULT_DEPTH, DEFAULT_P, Lists, overlap, rbo
from ireval.correlation.ordering_files import COLUMNS, read_ordering
from ireval.correlation.rank_correlation import CHUNK, COEFFICIENTS, Paired
from ireval.io.arguments import as_numbers, is_name_in
from ireval.io.cells import shown
from ireval.io.files import BadInput
from ireval.io.frames import Source, TableSource, as_run, as_table, names_in
from ireval.io.tables import DOCNO, candidates, find_columns


@runtime_checkable
class Scored(Protocol):
    """The part of a dictionary, or of a series of pandas, that is used."""

    def items(self) -> Iterable[tuple[Any, Any]]: ...


Ordering = Scored | Sequence[Any] | TableSource
METHODS = {
    **{name: coefficient.title for name, coefficient in COEFFICIENTS.items()},
    "rbo": "RBO, extrapolated",
    "overlap": "overlap",
}


class Correlation(NamedTuple):
    """A coefficient over the `n` things that both orderings have, and how many only one of them has."""

    value: float
    n: int
    only_first: int
    only_second: int


def correlate(
    first: Ordering, second: Ordering, method: str = "kendall", *, p: float = DEFAULT_P, depth: int = DEFAULT_DEPTH
) -> Correlation:
    """Correlate two orderings: dictionaries of scores, the higher the better, or lists with the best first, without ties.

    A series of pandas is as a dictionary. So are a frame with the columns system and score, and the path of a file that
    read_ordering reads. NaN is the score of a thing that an ordering lacks. COEFFICIENTS use the things that both have, and are
    NaN for fewer than two. "rbo" (with `p`) and "overlap" (at `depth`) use the whole lists. BadInput for a method that does not
    exist, a thing listed twice and a score that is no number. Also for what is no ordering, such as a run.

    >>> correlate({"bm25": 0.31, "rm3": 0.35, "dense": 0.42}, {"dense": 0.5, "bm25": 0.4, "rm3": 0.3, "new": 0.6}, "kendall_b")
    Correlation(value=0.3333333333333333, n=3, only_first=0, only_second=1)
    """
    frame = scores_of(first).join(scores_of(second), on="thing", how="full", coalesce=True, suffix="_second")
    frame = frame.with_columns(topic=pl.lit("", pl.String)).rename({"score": "first", "score_second": "second"})
    row = correlated(with_ranks(frame), [method], p=p, depth=depth).row(0, named=True) if len(frame) else None
    return Correlation(row[method], row["n"], row["only_first"], row["only_second"]) if row else Correlation(np.nan, 0, 0, 0)


def correlate_runs(
    first: Source, second: Source, methods: Iterable[str], *, p: float = DEFAULT_P, depth: int = DEFAULT_DEPTH
) -> pl.DataFrame:
    """Correlate two runs topic by topic: one row per topic that both have, in string order.

    Runs are what as_run takes. Columns: topic, n (documents in both), only_first, only_second, then one per method. Documents
    are compared by rank, in the evaluator's order, which has no ties; only "pearson" uses scores.
    NaN as in `correlate`, no rows without a topic in both, BadInput for a method that does not exist.

    >>> correlate_runs({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 9, "c": 3}}, ["overlap"], depth=2).rows()
    [('1', 1, 1, 1, 0.5)]
    """
    if isinstance(methods, str) or not isinstance(methods, Iterable) or names_in(methods) is not None:
        raise BadInput(f"methods are {shown(methods)}; expected a list of some of {', '.join(METHODS)}")
    columns = ["topic", pl.col("docno").alias("thing"), pl.col("score").alias("first"), pl.col("rank").alias("first_rank")]
    first_run, second_run = (
        as_run(run, name=name).lazy().collect() for run, name in ((first, "first run"), (second, "second run"))
    )
    theirs = second_run.select("topic", pl.col("docno").alias("thing"), second=pl.col("score"), second_rank=pl.col("rank"))
    shared = sorted(set(first_run["topic"].unique()) & set(theirs["topic"].unique()))
    frame = first_run.select(columns).join(theirs, on=["topic", "thing"], how="full", coalesce=True)
    return correlated(frame.filter(pl.col("topic").is_in(shared)), list(methods), p=p, depth=depth, by_rank=True)


def correlation_matrix(scores: ArrayLike, method: str = "kendall") -> Floats:
    """The coefficient of every two columns of `scores` (things × orderings): systems by measures, or by versions of the qrels.

    NaN in `scores` marks a thing that an ordering lacks; it is left out of that ordering's pairs. Rows are the first ordering,
    columns the second, which matters only for "tau_ap". `method` is one of COEFFICIENTS. NaN for fewer than two things.

    >>> correlation_matrix([[0.1, 0.2, 0.9], [0.2, 0.3, 0.5], [0.3, 0.1, 0.1]]).round(2).tolist()
    [[1.0, -0.33, -1.0], [-0.33, 1.0, 0.33], [-1.0, 0.33, 1.0]]
    """
    table = as_numbers("scores", scores)
    if table.ndim != 2:
        raise BadInput(f"scores have the shape {table.shape}; expected a row per thing and a column per ordering")
    coefficient = COEFFICIENTS[required_method(method, COEFFICIENTS)]
    m = table.shape[1]
    matrix = np.empty((m, m))
    pairs = np.array([*(combinations if coefficient.symmetric else permutations)(range(m), 2)], np.int64).reshape(-1, 2)
    pairs = np.vstack([pairs, np.repeat(np.arange(m)[:, None], 2, axis=1)])
    step = max(1, CHUNK // max(1, len(table)))
    for start in range(0, len(pairs), step):
        i, j = pairs[start : start + step].T
        first, second = table[:, i].T, table[:, j].T
        present = ~(np.isnan(first) | np.isnan(second))
        matrix[i, j] = coefficient(Paired(first[present], second[present], np.nonzero(present)[0], len(i)))
        if coefficient.symmetric:
            matrix[j, i] = matrix[i, j]
    return matrix


def required_method(method: str, methods: Mapping[str, object] = METHODS) -> str:
    if not is_name_in(method, methods):
        raise BadInput(f"there is no method {method!r}; choose one of {', '.join(methods)}")
    return method


def scores_of(ordering: Ordering) -> pl.DataFrame:
    """The things, by name, with their scores; one whose score is NaN is as if it were not there."""
    pairs = [(name_of(thing), score_in(thing, score)) for thing, score in pairs_of(ordering)]
    things = [thing for thing, _ in pairs]
    if len(set(things)) < len(things):
        row = next(row for row, thing in enumerate(things) if thing in things[:row])
        raise BadInput(f"row {row + 1:,}: {things[row]} is listed twice; row {things.index(things[row]) + 1:,} has it: keep one")
    frame = pl.DataFrame(pairs, schema={"thing": pl.String, "score": pl.Float64}, orient="row")
    return frame.filter(pl.col("score").is_not_nan())


def pairs_of(ordering: object) -> Iterable[tuple[Any, Any]]:
    """Things and scores, unchecked; those of a path as read_ordering reads it.

    BadInput for what is no ordering, with the function that takes it.
    """
    if isinstance(ordering, str | os.PathLike):
        ordering = read_ordering(ordering)
    if names_in(ordering) is not None:
        return pairs_in(as_table(ordering, BadInput))  # type: ignore[arg-type]
    if isinstance(ordering, Scored):
        return ordering.items()
    if isinstance(ordering, AbstractSet | bytes) or not isinstance(ordering, Iterable):
        raise BadInput(
            f"an ordering is {shown(ordering)}; expected a path, a frame, a dictionary of scores, or a list with the best first"
        )
    return ((thing, -float(place)) for place, thing in enumerate(ordering))


def pairs_in(frame: pl.DataFrame) -> Iterable[tuple[Any, Any]]:
    columns = find_columns(frame.columns, COLUMNS)
    if candidates(frame.columns, DOCNO):
        raise BadInput("this orders documents, as a run does: correlate_runs compares two runs topic by topic")
    if lacking := [name for name in COLUMNS if name not in columns]:
        raise BadInput(
            f"an ordering has the columns {', '.join(frame.columns)}; expected also {' and '.join(lacking)}: rename yours"
        )
    return frame.select(columns["system"], columns["score"]).iter_rows()


def name_of(thing: object) -> str:
    if thing is None:
        raise BadInput("a thing is empty; expected its name: leave it out")
    if isinstance(thing, bytes | list | dict | set | pl.Series) or (isinstance(thing, float) and math.isnan(thing)):
        raise BadInput(f"a thing is {shown(thing)}; expected its name: convert it, or leave it out")
    return str(thing)


def score_in(thing: object, score: object) -> float:
    try:
        return float(score)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise BadInput(f"the score of {thing} is {shown(score)}; expected a number") from error


def with_ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Ranks by falling score; tied things share the best rank."""
    rank = {f"{side}_rank": pl.col(side).rank("min", descending=True).over("topic") for side in ("first", "second")}
    return frame.with_columns(**rank)


def correlated(frame: pl.DataFrame, methods: Sequence[str], *, p: float, depth: int, by_rank: bool = False) -> pl.DataFrame:
    """One row per topic: topic, counts and a column per method.

    `frame` has topic, thing, and each side's score and rank, null if the side lacks the thing.
    """
    for method in methods:
        required_method(method)
    frame = frame.sort("topic").with_columns(number=pl.col("topic").rle_id().cast(pl.Int64))
    topics = frame["topic"].unique().sort()
    both = frame.filter(pl.col("first").is_not_null() & pl.col("second").is_not_null())
    number, size = both["number"].to_numpy(), len(topics)
    scores = Paired(both["first"], both["second"], number, size)
    ranks = Paired(-both["first_rank"].cast(pl.Float64), -both["second_rank"].cast(pl.Float64), number, size)
    first_ranks, second_ranks = (
        frame[f"{side}_rank"].cast(pl.Int64).fill_null(ABSENT).to_numpy() for side in ("first", "second")
    )
    lists = Lists(first_ranks, second_ranks, frame["number"].to_numpy(), size)
    columns = {
        "n": scores.n,
        "only_first": lists.lengths[0] - scores.n,
        "only_second": lists.lengths[1] - scores.n,
    }
    values = {}
    for method in methods:
        if method in COEFFICIENTS:
            values[method] = COEFFICIENTS[method](scores if method == "pearson" or not by_rank else ranks)
        else:
            values[method] = rbo(lists, p) if method == "rbo" else overlap(lists, depth)
    return pl.DataFrame({"topic": topics, **columns, **values})
