"""Clicks over expected clicks: what a document is clicked more than the ranks it was shown at would explain."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.clicks.rates import ctr_by_rank
from ireval.clicks.sessions import BadClicks, Sessions

# A log in which documents do not differ would shrink infinitely; with this many expected clicks nothing is left to see.
MOST = 1e6


def coec(sessions: Sessions, *, shrinkage: float | None = None, confidence: float = 0.95) -> pl.DataFrame:
    """A row a query and document: query, document, shown, clicks (impressions with a click on it), expected, coec, shrunk, low,
    high; most expected clicks first.

    expected is the sum of the click-through rates of the ranks where it was shown; coec is clicks / expected, null where nothing
    was expected. shrunk is (clicks + s) / (expected + s), the mean of the gamma distribution whose quantiles are low and high:
    s expected clicks are added at the rate of 1. If `shrinkage` s is not given, it is `prior_strength`. BadClicks for s below 0;
    with 0 nothing is shrunk, and what was never expected to be clicked has no interval.
    Sources: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting, WWW workshop on query log
    analysis, 2007 (COEC); DuMouchel, Bayesian data mining in large frequency tables, American Statistician 53, 1999 (shrinkage).

    >>> from ireval.clicks.sessions import small
    >>> coec(small(), shrinkage=1).filter(pl.col("document") == "c")["shrunk"].to_list()
    [1.0]
    """
    from scipy.special import gammaincinv  # noqa: PLC0415 - slow to import

    if shrinkage is not None and shrinkage < 0:
        raise BadClicks(f"the shrinkage is {shrinkage:g}; expected a number from 0")
    size = len(sessions.pairs)
    shown = np.bincount(sessions.pair, minlength=size)
    clicks = np.bincount(sessions.pair[sessions.clicked], minlength=size)
    expected = np.bincount(sessions.pair, ctr_by_rank(sessions)["ctr"].to_numpy()[sessions.place], minlength=size)
    s = prior_strength(clicks, expected) if shrinkage is None else shrinkage
    known = np.where(expected > 0, expected, np.nan)
    rate = np.where(expected + s > 0, expected + s, np.nan)
    tail = (1 - confidence) / 2
    low, high = (gammaincinv(np.where(clicks + s > 0, clicks + s, np.nan), end) / rate for end in (tail, 1 - tail))
    columns = {"shown": shown, "clicks": clicks, "expected": expected, "coec": clicks / known, "shrunk": (clicks + s) / rate}
    frame = sessions.pairs.with_columns(pl.Series(name, values) for name, values in {**columns, "low": low, "high": high}.items())
    return frame.fill_nan(None).sort("expected", "query", "document", descending=[True, False, False])


def prior_strength(clicks: NDArray, expected: NDArray) -> float:
    """How many expected clicks at the rate of 1 documents seem to come with, by moments: 1 / v, where v is the variance of true
    rates, Σ((clicks − expected)² − clicks) / Σ expected²; at most 1,000,000, where rates differ by no more than chance.

    >>> prior_strength(np.array([20, 0]), np.array([10.0, 10.0]))
    1.1111111111111112
    """
    squares = float((expected**2).sum())
    variance = float(((clicks - expected) ** 2 - clicks).sum()) / squares if squares else 0.0
    return 1 / max(variance, 1 / MOST)
