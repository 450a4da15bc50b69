"""What people were shown and what they clicked, as integer codes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints
from ireval.io.cells import require_cells, require_columns, shown
from ireval.io.files import BadInput
from ireval.io.frames import Frame, as_table
from ireval.labels.labels import coded, texts

Bools = NDArray[np.bool_]
NEEDED = ("impression", "query", "document", "rank", "clicks")
OPTIONAL = ("session", "user", "seconds", "order", "elsewhere")
NAMED = ("impression", "query", "session", "user", "document")


class BadClicks(BadInput):
    """Clicks of which what was asked cannot be computed, and why."""


@dataclass(frozen=True, eq=False)
class Sessions:
    """N query impressions of M documents shown; codes into `queries`, `users`, `sessions` and `documents`.

    - query, session, user (N,): whose impression it is, and of which query text or topic
    - elsewhere (N,): clicks on what was not among the documents shown
    - start (N + 1,): impression i showed the documents start[i] to start[i + 1], in their order
    - document, clicks (M,): what was shown, and how often it was clicked
    - order (M,): 1 for what was clicked first in its impression, 2 for the next…; 0 unclicked, or nobody knows
    - seconds (M,): from the query to the document's first click; NaN unclicked, or nobody knows
    """

    query: Ints
    session: Ints
    user: Ints
    elsewhere: Ints
    start: Ints
    document: Ints
    clicks: Ints
    order: Ints
    seconds: Floats
    queries: tuple[str, ...]
    sessions: tuple[str, ...]
    users: tuple[str, ...]
    documents: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.query)

    @cached_property
    def lengths(self) -> Ints:
        """How many documents each impression showed, (N,)."""
        return np.diff(self.start)

    @cached_property
    def depth(self) -> int:
        """The longest impression's length, K."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def impression(self) -> Ints:
        """Which impression each document belongs to, (M,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def place(self) -> Ints:
        """The rank of each document less 1, (M,)."""
        return np.arange(len(self.document)) - self.start[self.impression]

    @cached_property
    def clicked(self) -> Bools:
        """Whether each document was clicked, (M,)."""
        return self.clicks > 0

    @cached_property
    def total_clicks(self) -> Ints:
        """Clicks of each impression, repeated ones and those elsewhere included, (N,)."""
        return self.sums(self.clicks) + self.elsewhere

    @cached_property
    def pair(self) -> Ints:
        """A code for every query and document that came together, (M,), into `pairs`."""
        return self.coded_pairs[1]

    @cached_property
    def coded_pairs(self) -> tuple[Ints, Ints]:
        """What query and document make together, each once and sorted, and which of it each document shown is."""
        return np.unique(self.query[self.impression] * len(self.documents) + self.document, return_inverse=True)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The names of the pairs: query and document, (P,)."""
        query, document = np.divmod(self.coded_pairs[0], max(1, len(self.documents)))
        return pl.DataFrame({"query": named(self.queries, query), "document": named(self.documents, document)})

    def sums(self, values: ArrayLike) -> Ints:
        """Sums of values (M,) over each impression, (N,)."""
        return np.diff(np.r_[0, np.cumsum(np.asarray(values, np.int64))][self.start])

    def spread(self, values: ArrayLike, fill: float) -> NDArray:
        """Values (M,) as a table with an impression a row and a rank a column, (N, K); `fill` where nothing was shown."""
        given = np.asarray(values)
        found = np.full((len(self), self.depth), fill, given.dtype)
        found[self.impression, self.place] = given
        return found

    def take(self, rows: Ints) -> "Sessions":
        """Some of the impressions, by their numbers; names and codes stay."""
        lengths = self.lengths[rows]
        start = np.r_[0, np.cumsum(lengths)]
        kept = np.arange(start[-1]) + np.repeat(self.start[rows] - start[:-1], lengths)
        by_impression = {name: getattr(self, name)[rows] for name in ("query", "session", "user", "elsewhere")}
        by_document = {name: getattr(self, name)[kept] for name in ("document", "clicks", "order", "seconds")}
        return replace(self, start=start, **by_impression, **by_document)

    def split(self, share: float, seed: int = 0) -> tuple["Sessions", "Sessions"]:
        """Two parts of whole sessions, the second with this share of them, drawn by lot.

        BadClicks where that leaves one of them empty.
        """
        present = np.unique(self.session)
        size = round(share * len(present))
        if not 0 < size < len(present):
            raise BadClicks(f"there are too few sessions ({len(present):,}) to hold out {share:g} of them")
        drawn = np.random.default_rng(seed).choice(present, size, replace=False)
        held_out = np.isin(self.session, drawn)
        return self.take(np.flatnonzero(~held_out)), self.take(np.flatnonzero(held_out))


def named(names: tuple[str, ...], codes: Ints) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(codes)


def sessions_of(frame: Frame) -> Sessions:
    """Sessions from a frame of polars or pandas with the columns impression, query, document, rank and clicks, a row a document
    shown.

    rank is anything that sorts an impression's documents; clicks a number, or true and false. Further columns, where there are
    any: session (else every impression is one of its own), user (else the session is one), seconds from the query to the
    document's first click, order (1 for what was clicked first; else by seconds, where all clicks of the impression have them),
    and elsewhere, the impression's clicks on what was not shown.
    BadClicks for no rows, a missing column, an empty cell, an impression with two queries, one that shows a document twice, and
    clicks below 0.

    >>> rows = [("i1", "owls", "a", 1, 0), ("i1", "owls", "b", 2, 1), ("i2", "owls", "a", 1, 2)]
    >>> found = sessions_of(pl.DataFrame(rows, schema=["impression", "query", "document", "rank", "clicks"], orient="row"))
    >>> len(found), found.clicked.tolist(), found.total_clicks.tolist()
    (2, [False, True, True], [1, 2])
    """
    rows, names = in_order(checked(as_table(frame, BadClicks)).with_row_index("row", offset=1))
    impression = rows["impression"].to_numpy()
    first = np.flatnonzero(np.diff(impression, prepend=-1))
    query = rows["query"].to_numpy()
    if (mixed := query != query[first][impression]).any():
        where = f"row {rows['row'][int(mixed.argmax())]:,}: column query"
        raise BadClicks(f"{where}: impression {names['impression'][impression[int(mixed.argmax())]]} has two queries")
    document = rows["document"].to_numpy()
    if not (once := pl.Series(impression * len(names["document"]) + document).is_first_distinct()).all():
        again = int((~once).to_numpy().argmax())
        shown = names["document"][document[again]]
        where = f"row {rows['row'][again]:,}: columns impression and document"
        raise BadClicks(f"{where}: impression {names['impression'][impression[again]]} shows document {shown} twice: keep one")
    clicks = rows["clicks"].to_numpy()
    seconds = np.where(clicks > 0, rows["seconds"].fill_null(np.nan).to_numpy(), np.nan)
    given = np.where(clicks > 0, rows["order"].fill_null(0).to_numpy(), 0)
    return Sessions(
        query=query[first],
        session=rows["session"].to_numpy()[first],
        user=rows["user"].to_numpy()[first],
        elsewhere=rows["elsewhere"].to_numpy()[first],
        start=np.r_[0, np.cumsum(np.bincount(impression))],
        document=document,
        clicks=clicks,
        order=given if given.any() else order_of(impression, seconds, clicks > 0),
        seconds=seconds,
        queries=names["query"],
        sessions=names["session"],
        users=names["user"],
        documents=names["document"],
    )


def in_order(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Codes for names, in the order of impressions and ranks, and what they stand for; each by first appearance there."""
    # Codes are sorted, not names: they take a tenth of the memory.
    found = {name: coded(frame[name]) for name in NAMED}
    rows = frame.with_columns(pl.Series(name, code) for name, (code, _) in found.items())
    rows = rows.sort("impression", "rank", maintain_order=True)
    again = {name: by_appearance(rows[name].to_numpy(), names) for name, (_, names) in found.items()}
    return rows.with_columns(pl.Series(name, code) for name, (code, _) in again.items()), {
        name: names for name, (_, names) in again.items()
    }


def by_appearance(codes: Ints, names: tuple[str, ...]) -> tuple[Ints, tuple[str, ...]]:
    """The same with 0 for what comes first, 1 for what comes next…

    >>> code, names = by_appearance(np.array([2, 0, 2, 1]), ("a", "b", "c"))
    >>> code.tolist(), names
    ([0, 1, 0, 2], ('c', 'a', 'b'))
    """
    first = np.empty(len(names), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    if (np.diff(first) > 0).all():
        return codes, names
    order = np.argsort(first)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place[codes], tuple(names[code] for code in order)


def checked(frame: pl.DataFrame) -> pl.DataFrame:
    """All columns, the optional ones with what stands for nothing."""
    require_cells(frame, NEEDED, BadClicks)
    require_columns(frame, [column for column in OPTIONAL if column in frame.columns], BadClicks)
    if frame.is_empty():
        raise BadClicks("nothing was shown")
    for column, low in (("clicks", 0), *((column, None) for column in ("seconds", "order", "elsewhere"))):
        require_numbers(frame, column, low)
    found = frame.select(
        *(texts(frame[column]).alias(column) for column in ("impression", "query", "document")),
        "rank",
        pl.col("clicks").cast(pl.Int64),
        *(
            optional(frame, column, kind)
            for column, kind in (("seconds", pl.Float64), ("order", pl.Int64), ("elsewhere", pl.Int64))
        ),
    ).with_columns(pl.col("elsewhere").fill_null(0))
    session = texts(frame["session"]).fill_null(found["impression"]) if "session" in frame.columns else found["impression"]
    user = texts(frame["user"]).fill_null(session) if "user" in frame.columns else session
    return found.with_columns(session.alias("session"), user.alias("user"))


def require_numbers(frame: pl.DataFrame, column: str, low: int | None) -> None:
    """Numbers, or true and false; whole ones but for seconds, of which NaN is one that nobody knows."""
    if column not in frame.columns:
        return
    given = frame[column]
    if not (given.dtype.is_numeric() or given.dtype in (pl.Boolean, pl.Null)):
        raise BadClicks(f"row 1: column {column} is {shown(given[0])}; expected a number: convert the column")
    numbers = given.cast(pl.Float64)
    bad = (numbers.is_infinite() if column == "seconds" else numbers % 1 != 0).fill_null(value=False)
    if bad.any():
        row = bad.arg_max() or 0
        raise BadClicks(
            f"row {row + 1:,}: column {column} is {given[row]}; expected a whole number: mend it, or leave the row out"
        )
    if low is not None and (below := (numbers < low)).any():
        where = f"row {(below.arg_max() or 0) + 1:,}: column {column}"
        raise BadClicks(f"{where}: {column} are below {low}; expected a number from {low}")


def optional(frame: pl.DataFrame, column: str, kind: type[pl.DataType]) -> pl.Expr:
    given = pl.col(column) if column in frame.columns else pl.lit(None)
    return given.cast(kind).alias(column)


def order_of(impression: Ints, seconds: Floats, clicked: Bools) -> Ints:
    """The order of clicks by their seconds, 1 for the first of each impression; 0 in impressions where a click has none."""
    untimed = np.bincount(impression[clicked & np.isnan(seconds)], minlength=int(impression.max(initial=-1)) + 1) > 0
    rows = np.flatnonzero(clicked & ~untimed[impression])
    frame = pl.DataFrame({"impression": impression[rows], "seconds": seconds[rows]})
    found = np.zeros(len(impression), np.int64)
    found[rows] = frame.select(pl.col("seconds").rank("dense").over("impression"))["seconds"].to_numpy()
    return found


def small() -> Sessions:
    """Four impressions of two queries; for the examples."""
    rows = [
        *(("1", "owls", "a", 1, 0, None), ("1", "owls", "b", 2, 1, 4.0), ("1", "owls", "c", 3, 0, None)),
        *(("2", "owls", "a", 1, 1, 9.0), ("2", "owls", "b", 2, 0, None), ("2", "owls", "c", 3, 1, 2.0)),
        *(("3", "owls", "b", 1, 0, None), ("3", "owls", "a", 2, 0, None), ("3", "owls", "c", 3, 0, None)),
        *(("4", "swifts", "d", 1, 2, 3.0), ("4", "swifts", "a", 2, 0, None)),
    ]
    return sessions_of(pl.DataFrame(rows, schema=[*NEEDED, "seconds"], orient="row"))
