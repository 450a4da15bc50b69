"""Preferences between documents that clicks express, by Joachims's rules."""

from collections.abc import Callable

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.clicks.click_files import as_sessions
from ireval.clicks.sessions import BadClicks, Bools, Sessions, named
from ireval.io.arguments import is_name_in
from ireval.io.frames import TableSource

Pairs = tuple[Ints, Ints]


def skip_above(sessions: Sessions) -> Pairs:
    return skipped_above(sessions, sessions.clicked)


def last_skip_above(sessions: Sessions) -> Pairs:
    return skipped_above(sessions, last_clicks(sessions))


def earlier_click(sessions: Sessions) -> Pairs:
    clicked = np.flatnonzero(sessions.order > 0)
    later = clicked[np.lexsort((sessions.order[clicked], sessions.impression[clicked]))]
    position = np.arange(len(later)) - np.searchsorted(sessions.impression[later], sessions.impression[later])
    winner, loser = with_earlier(position)
    same_moment = sessions.order[later[winner]] == sessions.order[later[loser]]
    return later[winner[~same_moment]], later[loser[~same_moment]]


def skip_previous(sessions: Sessions) -> Pairs:
    rows = np.flatnonzero(sessions.clicked & (sessions.place > 0))
    kept = rows[~sessions.clicked[rows - 1]]
    return kept, kept - 1


def no_click_next(sessions: Sessions) -> Pairs:
    last = sessions.place == sessions.lengths[sessions.impression] - 1
    rows = np.flatnonzero(sessions.clicked & ~last)
    kept = rows[~sessions.clicked[rows + 1]]
    return kept, kept + 1


# Joachims's rules: each returns the preferred and the other document of every pair, as numbers into (M,).
RULES: dict[str, tuple[str, Callable[[Sessions], Pairs]]] = {
    "skip-above": ("click > skip above", skip_above),
    "last-skip-above": ("last click > skip above", last_skip_above),
    "earlier-click": ("click > earlier click", earlier_click),
    "skip-previous": ("click > skip previous", skip_previous),
    "no-click-next": ("click > no-click next", no_click_next),
}


def click_preferences(sessions: Sessions | TableSource, rule: str) -> pl.DataFrame:
    """One row per ordered pair of documents of a query: query, preferred, over, count and against; most frequent first.

    count is the number of impressions that prefer the first by the rule, against that of impressions that prefer the second. A
    clicked document is preferred

    - by skip-above: to every unclicked document above it.
    - by last-skip-above: the same, for the last click only; for the lowest one where the order of clicks is unknown.
    - by earlier-click: to every document clicked before it; no preference where the order is unknown.
    - by skip-previous: to the document right above it, if that is unclicked.
    - by no-click-next: to the document right below it, if that is unclicked.

    Both orders of a pair have a row if both occur. Clicks elsewhere do not count. BadClicks for an unknown rule.
    Source: Joachims, Granka, Pan, Hembrooke, Radlinski and Gay, Evaluating the accuracy of implicit feedback from clicks and
    query reformulations in web search, ACM TOIS 25(2), 2007, section 5.

    >>> from ireval.clicks.sessions import small
    >>> click_preferences(small(), "skip-above").select("preferred", "over", "count", "against").rows()
    [('b', 'a', 1, 0), ('c', 'b', 1, 0)]
    """
    sessions = as_sessions(sessions)
    if not is_name_in(rule, RULES):
        raise BadClicks(f"there is no rule {rule}; expected one of {', '.join(RULES)}")
    better, worse = RULES[rule][1](sessions)
    query = sessions.query[sessions.impression[better]]
    rows = pl.DataFrame({"q": query, "p": sessions.document[better], "o": sessions.document[worse]})
    counts = rows.group_by("q", "p", "o").agg(pl.len().cast(pl.Int64).alias("count"))
    opposite = counts.select("q", pl.col("o").alias("p"), pl.col("p").alias("o"), pl.col("count").alias("against"))
    pairs = counts.join(opposite, on=["q", "p", "o"], how="left").with_columns(pl.col("against").fill_null(0))
    names = {"query": ("q", sessions.queries), "preferred": ("p", sessions.documents), "over": ("o", sessions.documents)}
    columns = {name: named(values, pairs[code].to_numpy()) for name, (code, values) in names.items()}
    frame = pl.DataFrame({**columns, "count": pairs["count"], "against": pairs["against"]})
    return frame.sort("count", "query", "preferred", "over", descending=[True, False, False, False])


def last_clicks(sessions: Sessions) -> Bools:
    """Whether each document was the last clicked of its impression, (M,): by order, or else the lowest."""
    rows = np.flatnonzero(sessions.clicked)
    order = rows[np.lexsort((rows, sessions.order[rows], sessions.impression[rows]))]
    last = np.r_[sessions.impression[order][1:] != sessions.impression[order][:-1], True][: len(order)]
    is_last = np.zeros(len(sessions.document), bool)
    is_last[order[last]] = True
    return is_last


def skipped_above(sessions: Sessions, winners: Bools) -> Pairs:
    rows = np.flatnonzero(winners)
    winner, back = counted_up(sessions.place[rows])
    better, worse = rows[winner], rows[winner] - back
    skipped = ~sessions.clicked[worse]
    return better[skipped], worse[skipped]


def with_earlier(position: Ints) -> Pairs:
    """Each row with every row before it in its group, where `position` (N,) is its place there; rows of a group are adjacent."""
    row, back = counted_up(position)
    return row, row - back


def counted_up(position: Ints) -> Pairs:
    """Each row as often as its position says, and 1, 2… up to its position; (n,) each.

    >>> [part.tolist() for part in counted_up(np.array([0, 2, 1]))]
    [[1, 1, 2], [1, 2, 1]]
    """
    row = np.repeat(np.arange(len(position)), position)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(position) - position, position) + 1
