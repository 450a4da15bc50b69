"""Click-through rates and other rates of impressions: how often people click, where, and how soon."""

from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.agreement import wilson_interval
from ireval.arrays import Floats, Ints
from ireval.clicks.click_files import as_sessions
from ireval.clicks.sessions import Sessions
from ireval.io.arguments import require_count
from ireval.io.frames import TableSource
from ireval.significance.clusters import clustered


class Rate(NamedTuple):
    """A mean over `n` impressions with its interval; NaN for n = 0. Without an interval, `undefined` says why."""

    name: str
    title: str
    n: int
    value: float
    low: float
    high: float
    undefined: str = ""


def ctr_by_rank(sessions: Sessions | TableSource, *, confidence: float = 0.95) -> pl.DataFrame:
    """One row per rank, from 1: rank, shown (impressions that reach it), clicked, ctr (clicked / shown), low, high.

    A document clicked twice counts once. The interval is Wilson's for as many independent impressions as say as much: sessions
    that click more or less than others make impressions alike (`design_effects`).
    Sources: Joachims, Granka, Pan, Hembrooke and Gay, Accurately interpreting clickthrough data as implicit feedback, SIGIR 2005;
    Kish, Survey sampling, 1965, section 8.2 (effective size); Korn and Graubard, Survey Methodology 24, 1998 (in an interval).

    >>> from ireval.clicks.sessions import small
    >>> ctr_by_rank(small())["ctr"].to_list()
    [0.5, 0.25, 0.3333333333333333]
    """
    sessions = as_sessions(sessions)
    shown = np.bincount(sessions.place, minlength=sessions.depth)
    clicked = np.bincount(sessions.place[sessions.clicked], minlength=sessions.depth)
    effects = design_effects(sessions, clicked / shown)
    low, high = wilson_interval(clicked / effects, shown / effects, confidence)
    columns = {"rank": np.arange(1, sessions.depth + 1), "shown": shown, "clicked": clicked, "ctr": clicked / shown}
    return pl.DataFrame({**columns, "low": low, "high": high})


def design_effects(sessions: Sessions, share: Floats) -> Floats:
    """How many impressions of each rank say as much as one that is independent, from 1; (ranks,).

    The variance of the share of clicks that is robust to sessions, over that of independent impressions. It is 1 where nobody
    clicks, or everybody, and with a single session.
    """
    order = np.argsort(sessions.place, kind="stable")
    ends = np.cumsum(np.bincount(sessions.place, minlength=len(share)))
    effects = np.ones(len(share))
    for rank, rows in enumerate(np.split(order, ends[:-1])):
        n = len(rows)
        binomial = n / max(1, n - 1) * n * share[rank] * (1 - share[rank])
        session = np.unique(sessions.session[sessions.impression[rows]], return_inverse=True)[1]
        groups = int(session.max()) + 1
        if binomial > 0 and groups > 1:
            sums = np.bincount(session, sessions.clicked[rows] - share[rank])
            effects[rank] = max(1.0, float((sums**2).sum()) * groups / (groups - 1) / binomial)
    return effects


def rates(sessions: Sessions | TableSource, k: int = 10, *, confidence: float = 0.95) -> list[Rate]:
    """Rates of whole impressions; the intervals allow for similar impressions within a session.

    - ctr@k: the share with a click among the first k documents.
    - abandonment: the share without any click, elsewhere included.
    - clicks: clicks per impression, repeated ones and those elsewhere included.
    - first-click-rr: 1 / rank of the first click, of impressions with a click; of the highest click if their order is unknown.
    - seconds: from the query to the first click, of impressions whose first click has a time.

    Sources: Radlinski, Kurup and Joachims, How does clickthrough data reflect retrieval quality?, CIKM 2008 (absolute metrics).
    Cameron, Gelbach and Miller 2011 with one kind of clusters.

    >>> from ireval.clicks.sessions import small
    >>> {rate.name: round(rate.value, 4) for rate in rates(small(), 1)}
    {'ctr@1': 0.5, 'abandonment': 0.25, 'clicks': 1.25, 'first-click-rr': 0.6111, 'seconds': 3.0}
    """
    require_count("k", k)
    sessions = as_sessions(sessions)
    in_top = sessions.sums(sessions.clicked & (sessions.place < k)) > 0
    first = first_clicks(sessions)
    impression = sessions.impression[first]
    seconds = sessions.seconds[first]
    timed = ~np.isnan(seconds)
    every = np.arange(len(sessions))
    samples = [
        (f"ctr@{k}", f"with a click on the first {k}", every, in_top, 1),
        ("abandonment", "without a click", every, sessions.total_clicks == 0, 1),
        ("clicks", "clicks per impression", every, sessions.total_clicks, np.inf),
        ("first-click-rr", "reciprocal rank of the first click", impression, 1 / (1 + sessions.place[first]), 1),
        ("seconds", "seconds to the first click", impression[timed], seconds[timed], np.inf),
    ]
    return [
        rate(name, title, np.asarray(values, np.float64), sessions.session[rows], most=most, confidence=confidence)
        for name, title, rows, values, most in samples
    ]


def rate(name: str, title: str, values: Floats, session: Ints, *, most: float, confidence: float) -> Rate:
    """The mean of values from 0 to `most`, and its interval within these bounds."""
    if not len(values):
        return Rate(name, title, 0, np.nan, np.nan, np.nan, "there is nothing to count")
    mean = float(values.mean())
    interval = clustered(mean, (values - mean) / len(values), {"session": session}, against=0, confidence=confidence)
    low, high = np.clip([interval.low, interval.high], 0, most).tolist()
    return Rate(name, title, len(values), mean, low, high, interval.undefined.replace("votes", "impressions"))


def first_clicks(sessions: Sessions) -> Ints:
    """The document clicked first in each impression that has a click, as numbers into (M,)."""
    rows = np.flatnonzero(sessions.clicked)
    order = np.lexsort((rows, sessions.order[rows], sessions.impression[rows]))
    ordered = rows[order]
    return ordered[np.unique(sessions.impression[ordered], return_index=True)[1]]


def median_seconds(sessions: Sessions | TableSource) -> float:
    """The median time from the query to the first click, in seconds; NaN where no click has a time."""
    sessions = as_sessions(sessions)
    seconds = sessions.seconds[first_clicks(sessions)]
    timed = seconds[~np.isnan(seconds)]
    return float(np.median(timed)) if len(timed) else float("nan")
