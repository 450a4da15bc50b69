"""Which document people preferred to which, as far as clicks say so."""

from collections.abc import Callable

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.clicks.sessions import BadClicks, Bools, Sessions, named

Pairs = tuple[Ints, Ints]


def skip_above(sessions: Sessions) -> Pairs:
    return beaten_above(sessions, sessions.clicked)


def last_skip_above(sessions: Sessions) -> Pairs:
    return beaten_above(sessions, last_clicks(sessions))


def earlier_click(sessions: Sessions) -> Pairs:
    clicked = np.flatnonzero(sessions.order > 0)
    later = clicked[np.lexsort((sessions.order[clicked], sessions.impression[clicked]))]
    position = np.arange(len(later)) - np.searchsorted(sessions.impression[later], sessions.impression[later])
    one, other = reaching_back(position)
    same_moment = sessions.order[later[one]] == sessions.order[later[other]]
    return later[one[~same_moment]], later[other[~same_moment]]


def skip_previous(sessions: Sessions) -> Pairs:
    rows = np.flatnonzero(sessions.clicked & (sessions.place > 0))
    kept = rows[~sessions.clicked[rows - 1]]
    return kept, kept - 1


def no_click_next(sessions: Sessions) -> Pairs:
    last = sessions.place == sessions.lengths[sessions.impression] - 1
    rows = np.flatnonzero(sessions.clicked & ~last)
    kept = rows[~sessions.clicked[rows + 1]]
    return kept, kept + 1


# Joachims's rules: each gives what was preferred and over what, as numbers into (M,).
RULES: dict[str, tuple[str, Callable[[Sessions], Pairs]]] = {
    "skip-above": ("click > skip above", skip_above),
    "last-skip-above": ("last click > skip above", last_skip_above),
    "earlier-click": ("click > earlier click", earlier_click),
    "skip-previous": ("click > skip previous", skip_previous),
    "no-click-next": ("click > no-click next", no_click_next),
}


def click_preferences(sessions: Sessions, rule: str) -> pl.DataFrame:
    """A row for every two documents of a query that the rule puts in an order: query, preferred, over, count (impressions that
    say so) and against (impressions that say the opposite); most frequent first.

    - skip-above: what was clicked is preferred to everything above it that was not
    - last-skip-above: the same for the click that came last only; the lowest one where the order of clicks is not known
    - earlier-click: what was clicked is preferred to everything clicked before it; nothing where the order is not known
    - skip-previous: what was clicked is preferred to the document right above it, if that was not
    - no-click-next: what was clicked is preferred to the document right below it, if that was not

    Both orders of two documents have a row each if both were seen. Clicks elsewhere say nothing. BadClicks for an unknown rule.
    Source: Joachims, Granka, Pan, Hembrooke, Radlinski and Gay, Evaluating the accuracy of implicit feedback from clicks and
    query reformulations in web search, ACM TOIS 25(2), 2007, section 5.

    >>> from ireval.clicks.sessions import small
    >>> click_preferences(small(), "skip-above").select("preferred", "over", "count", "against").rows()
    [('b', 'a', 1, 0), ('c', 'b', 1, 0)]
    """
    if rule not in RULES:
        raise BadClicks(f"there is no rule {rule}; expected one of {', '.join(RULES)}")
    better, worse = RULES[rule][1](sessions)
    query = sessions.query[sessions.impression[better]]
    rows = pl.DataFrame({"q": query, "p": sessions.document[better], "o": sessions.document[worse]})
    counts = rows.group_by("q", "p", "o").agg(pl.len().cast(pl.Int64).alias("count"))
    opposite = counts.select("q", pl.col("o").alias("p"), pl.col("p").alias("o"), pl.col("count").alias("against"))
    found = counts.join(opposite, on=["q", "p", "o"], how="left").with_columns(pl.col("against").fill_null(0))
    names = {"query": ("q", sessions.queries), "preferred": ("p", sessions.documents), "over": ("o", sessions.documents)}
    columns = {name: named(known, found[code].to_numpy()) for name, (code, known) in names.items()}
    frame = pl.DataFrame({**columns, "count": found["count"], "against": found["against"]})
    return frame.sort("count", "query", "preferred", "over", descending=[True, False, False, False])


def last_clicks(sessions: Sessions) -> Bools:
    """Whether each document was the last clicked of its impression, (M,): by order, else the lowest."""
    rows = np.flatnonzero(sessions.clicked)
    order = rows[np.lexsort((rows, sessions.order[rows], sessions.impression[rows]))]
    last = np.r_[sessions.impression[order][1:] != sessions.impression[order][:-1], True][: len(order)]
    found = np.zeros(len(sessions.document), bool)
    found[order[last]] = True
    return found


def beaten_above(sessions: Sessions, winners: Bools) -> Pairs:
    rows = np.flatnonzero(winners)
    one, back = reaching(sessions.place[rows])
    better, worse = rows[one], rows[one] - back
    skipped = ~sessions.clicked[worse]
    return better[skipped], worse[skipped]


def reaching_back(position: Ints) -> Pairs:
    one, back = reaching(position)
    return one, one - back


def reaching(position: Ints) -> Pairs:
    """Each row as often as its position, with 1, 2… up to it.

    >>> [part.tolist() for part in reaching(np.array([0, 2, 1]))]
    [[1, 1, 2], [1, 2, 1]]
    """
    one = np.repeat(np.arange(len(position)), position)
    return one, np.arange(len(one)) - np.repeat(np.cumsum(position) - position, position) + 1
