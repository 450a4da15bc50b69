"""Sessions: what people were shown and what they clicked, as integer codes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ireval.arrays import Floats, Ints
from ireval.io.arguments import require_numbers
from ireval.io.cells import require_cells, require_columns, shown
from ireval.io.files import BadInput
from ireval.labels.labels import coded, texts

Bools = NDArray[np.bool_]
NEEDED = ("impression", "query", "document", "rank", "clicks")
OPTIONAL = ("session", "user", "seconds", "order", "elsewhere")
NAMED = ("impression", "query", "session", "user", "document")


# Counts up to here are whole as doubles; nobody clicks more often.
MOST = 2**53


class BadClicks(BadInput):
    """Clicks from which nothing can be computed, and why."""


@dataclass(frozen=True, eq=False)
class Sessions:
    """N query impressions that showed M documents; codes into `queries`, `users`, `sessions` and `documents`.

    - query, session, user (N,): the query text or topic of each impression, and whose it is.
    - elsewhere (N,): clicks on documents that were not shown.
    - start (N + 1,): impression i showed the documents start[i] up to, but not including, start[i + 1], in their order.
    - document, clicks (M,): what was shown, and how often it was clicked.
    - order (M,): 1 for the document clicked first in its impression, 2 for the next…; 0 if unclicked or unknown.
    - seconds (M,): from the query to the document's first click; NaN if unclicked or unknown.
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
        """The rank of each document minus 1, (M,)."""
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
        """The code of each document's pair of query and document, (M,), into `pairs`."""
        return self.coded_pairs[1]

    @cached_property
    def coded_pairs(self) -> tuple[Ints, Ints]:
        """The pairs of query and document as single numbers, sorted, (P,), and which pair each document shown is, (M,)."""
        return np.unique(self.query[self.impression] * len(self.documents) + self.document, return_inverse=True)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The names of the pairs, one row each: query and document."""
        query, document = np.divmod(self.coded_pairs[0], max(1, len(self.documents)))
        return pl.DataFrame({"query": named(self.queries, query), "document": named(self.documents, document)})

    def sums(self, values: ArrayLike) -> Ints:
        """Sums of values (M,) over each impression, (N,)."""
        return np.diff(np.r_[0, np.cumsum(np.asarray(values, np.int64))][self.start])

    def spread(self, values: ArrayLike, fill: float) -> NDArray:
        """Values (M,) as a table of impressions × ranks, (N, K); `fill` where nothing was shown."""
        column = np.asarray(values)
        table = np.full((len(self), self.depth), fill, column.dtype)
        table[self.impression, self.place] = column
        return table

    def take(self, rows: Ints) -> "Sessions":
        """Some of the impressions, by their numbers; names and codes stay."""
        lengths = self.lengths[rows]
        start = np.r_[0, np.cumsum(lengths)]
        kept = np.arange(start[-1]) + np.repeat(self.start[rows] - start[:-1], lengths)
        by_impression = {name: getattr(self, name)[rows] for name in ("query", "session", "user", "elsewhere")}
        by_document = {name: getattr(self, name)[kept] for name in ("document", "clicks", "order", "seconds")}
        return replace(self, start=start, **by_impression, **by_document)

    def split(self, share: float, seed: int = 0) -> tuple["Sessions", "Sessions"]:
        """Split into two parts of whole sessions; the second has this share of them, drawn at random with the seed.

        BadClicks where a part would be empty.
        """
        require_numbers(share=share)
        if not 0 <= share <= 1:
            raise BadClicks(f"the share held out is {share:g}; expected a share such as 0.25")
        present = np.unique(self.session)
        size = round(share * len(present))
        if not 0 < size < len(present):
            raise BadClicks(f"there are too few sessions ({len(present):,}) to hold out {share:g} of them")
        drawn = np.random.default_rng(seed).choice(present, size, replace=False)
        held_out = np.isin(self.session, drawn)
        return self.take(np.flatnonzero(~held_out)), self.take(np.flatnonzero(held_out))


def named(names: tuple[str, ...], codes: Ints) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(codes)


def sessions_in_table(table: pl.DataFrame) -> Sessions:
    """The sessions of a table with one row per document shown, checked as sessions_of says."""
    rows, names = in_order(checked(table).with_row_index("row", offset=1))
    impression = rows["impression"].to_numpy()
    first = np.flatnonzero(np.diff(impression, prepend=-1))
    query = rows["query"].to_numpy()
    document = rows["document"].to_numpy()
    refuse_two_queries(rows, names, query != query[first][impression])
    refuse_documents_shown_twice(rows, names, impression * len(names["document"]) + document)
    clicks = rows["clicks"].to_numpy()
    seconds = np.where(clicks > 0, rows["seconds"].fill_null(np.nan).to_numpy(), np.nan)
    order = np.where(clicks > 0, rows["order"].fill_null(0).to_numpy(), 0)
    return Sessions(
        query=query[first],
        session=rows["session"].to_numpy()[first],
        user=rows["user"].to_numpy()[first],
        elsewhere=rows["elsewhere"].to_numpy()[first],
        start=np.r_[0, np.cumsum(np.bincount(impression))],
        document=document,
        clicks=clicks,
        order=order if order.any() else order_of(impression, seconds, clicks > 0),
        seconds=seconds,
        queries=names["query"],
        sessions=names["session"],
        users=names["user"],
        documents=names["document"],
    )


def refuse_two_queries(rows: pl.DataFrame, names: dict[str, tuple[str, ...]], mixed: Bools) -> None:
    """BadClicks for the first row that is `mixed`: its query is not that of its impression's first row."""
    if mixed.any():
        row, impression = rows.row(int(mixed.argmax()), named=True), names["impression"]
        raise BadClicks(f"row {row['row']:,}: column query: impression {impression[row['impression']]} has two queries")


def refuse_documents_shown_twice(rows: pl.DataFrame, names: dict[str, tuple[str, ...]], shown: Ints) -> None:
    """BadClicks for the first row whose impression and document, as one number in `shown`, an earlier row has."""
    if not (once := pl.Series(shown).is_first_distinct()).all():
        row = rows.row(int((~once).to_numpy().argmax()), named=True)
        impression, document = names["impression"][row["impression"]], names["document"][row["document"]]
        where = f"row {row['row']:,}: columns impression and document"
        raise BadClicks(f"{where}: impression {impression} shows document {document} twice: keep one")


def in_order(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """The rows sorted by impression and rank, with codes for names, and the names; codes are in order of first appearance."""
    # Codes are sorted, not names: they take a tenth of the memory.
    coded_columns = {name: coded(frame[name]) for name in NAMED}
    rows = frame.with_columns(pl.Series(name, code) for name, (code, _) in coded_columns.items())
    rows = rows.sort("impression", "rank", maintain_order=True)
    again = {name: by_appearance(rows[name].to_numpy(), names) for name, (_, names) in coded_columns.items()}
    return rows.with_columns(pl.Series(name, code) for name, (code, _) in again.items()), {
        name: names for name, (_, names) in again.items()
    }


def by_appearance(codes: Ints, names: tuple[str, ...]) -> tuple[Ints, tuple[str, ...]]:
    """Renumber codes: 0 for the name that comes first, 1 for the next…

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
    """All columns, checked; optional columns that are missing get their defaults."""
    require_cells(frame, NEEDED, BadClicks)
    require_columns(frame, [column for column in OPTIONAL if column in frame.columns], BadClicks)
    if frame.is_empty():
        raise BadClicks("nothing was shown")
    for column in ("clicks", "seconds", "order", "elsewhere"):
        require_counts(frame, column)
    rows = frame.select(
        *(texts(frame[column]).alias(column) for column in ("impression", "query", "document")),
        "rank",
        pl.col("clicks").cast(pl.Int64),
        *(
            optional(frame, column, kind)
            for column, kind in (("seconds", pl.Float64), ("order", pl.Int64), ("elsewhere", pl.Int64))
        ),
    ).with_columns(pl.col("elsewhere").fill_null(0))
    session = texts(frame["session"]).fill_null(rows["impression"]) if "session" in frame.columns else rows["impression"]
    user = texts(frame["user"]).fill_null(session) if "user" in frame.columns else session
    return rows.with_columns(session.alias("session"), user.alias("user"))


def require_counts(frame: pl.DataFrame, column: str) -> None:
    """Require whole numbers from 0, or true and false; seconds may be any number, and NaN for unknown."""
    if column not in frame.columns:
        return
    values = frame[column]
    if not (values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null)):
        raise BadClicks(f"row 1: column {column} is {shown(values[0])}; expected a number: convert the column")
    numbers = values.cast(pl.Float64)
    bad = (numbers.is_infinite() if column == "seconds" else numbers % 1 != 0).fill_null(value=False)
    if bad.any():
        row = bad.arg_max() or 0
        raise BadClicks(
            f"row {row + 1:,}: column {column} is {values[row]}; expected a whole number: mend it, or leave the row out"
        )
    if column != "seconds" and (beyond := ~numbers.is_between(0, MOST).fill_null(value=True)).any():
        row = beyond.arg_max() or 0
        raise BadClicks(f"row {row + 1:,}: column {column} is {values[row]}; expected a whole number from 0 to 2^53: mend it")


def optional(frame: pl.DataFrame, column: str, kind: type[pl.DataType]) -> pl.Expr:
    values = pl.col(column) if column in frame.columns else pl.lit(None)
    return values.cast(kind).alias(column)


def order_of(impression: Ints, seconds: Floats, clicked: Bools) -> Ints:
    """The order of clicks by their seconds, (M,), 1 for the first of each impression; 0 in impressions with an untimed click."""
    untimed = np.bincount(impression[clicked & np.isnan(seconds)], minlength=int(impression.max(initial=-1)) + 1) > 0
    rows = np.flatnonzero(clicked & ~untimed[impression])
    frame = pl.DataFrame({"impression": impression[rows], "seconds": seconds[rows]})
    order = np.zeros(len(impression), np.int64)
    order[rows] = frame.select(pl.col("seconds").rank("dense").over("impression"))["seconds"].to_numpy()
    return order


def small() -> Sessions:
    """Four impressions of two queries; for the examples."""
    rows = [
        *(("1", "owls", "a", 1, 0, None), ("1", "owls", "b", 2, 1, 4.0), ("1", "owls", "c", 3, 0, None)),
        *(("2", "owls", "a", 1, 1, 9.0), ("2", "owls", "b", 2, 0, None), ("2", "owls", "c", 3, 1, 2.0)),
        *(("3", "owls", "b", 1, 0, None), ("3", "owls", "a", 2, 0, None), ("3", "owls", "c", 3, 0, None)),
        *(("4", "swifts", "d", 1, 2, 3.0), ("4", "swifts", "a", 2, 0, None)),
    ]
    return sessions_in_table(pl.DataFrame(rows, schema=[*NEEDED, "seconds"], orient="row"))
