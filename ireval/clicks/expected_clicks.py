"""Clicks over expected clicks: how much more a document is clicked than the ranks where it was shown explain."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.clicks.click_files import as_sessions
from ireval.clicks.rates import ctr_by_rank
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.io.arguments import require_confidence, require_numbers
from ireval.io.frames import TableSource

# Where documents do not differ, shrinkage would be infinite; this many expected clicks hide every difference.
MOST = 1e6


def coec(sessions: Sessions | TableSource, *, shrinkage: float | None = None, confidence: float = 0.95) -> pl.DataFrame:
    """One row per query and document, most expected clicks first.

    The columns are query, document, shown, clicks, expected, coec, shrunk, low and high. clicks is the number of impressions with
    a click on the document. expected is the sum of the click-through rates of the ranks where it was shown. coec is clicks /
    expected, null where expected is 0. shrunk is (clicks + s) / (expected + s): s expected clicks are added at the rate of 1. It
    is the mean of a gamma distribution, whose quantiles are low and high. If `shrinkage` s is not given, it is `prior_strength`.
    With s = 0, a document without expected clicks has no interval. BadClicks for s below 0.
    Sources: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting, WWW workshop on query log
    analysis, 2007 (COEC). DuMouchel, Bayesian data mining in large frequency tables, American Statistician 53, 1999 (shrinkage).

    >>> from ireval.clicks.sessions import small
    >>> coec(small(), shrinkage=1).filter(pl.col("document") == "c")["shrunk"].to_list()
    [1.0]
    """
    sessions = as_sessions(sessions)
    from scipy.special import gammaincinv  # noqa: PLC0415 - slow to import

    require_confidence(confidence)
    if shrinkage is not None:
        require_numbers(shrinkage=shrinkage)
    if shrinkage is not None and shrinkage < 0:
        raise BadClicks(f"the shrinkage is {shrinkage:g}; expected a number from 0")
    size = len(sessions.pairs)
    shown = np.bincount(sessions.pair, minlength=size)
    clicks = np.bincount(sessions.pair[sessions.clicked], minlength=size)
    expected = np.bincount(sessions.pair, ctr_by_rank(sessions)["ctr"].to_numpy()[sessions.place], minlength=size)
    s = prior_strength(clicks, expected) if shrinkage is None else shrinkage
    expected_or_nan = np.where(expected > 0, expected, np.nan)
    rate = np.where(expected + s > 0, expected + s, np.nan)
    tail = (1 - confidence) / 2
    low, high = (gammaincinv(np.where(clicks + s > 0, clicks + s, np.nan), end) / rate for end in (tail, 1 - tail))
    columns = {
        "shown": shown,
        "clicks": clicks,
        "expected": expected,
        "coec": clicks / expected_or_nan,
        "shrunk": (clicks + s) / rate,
    }
    frame = sessions.pairs.with_columns(pl.Series(name, values) for name, values in {**columns, "low": low, "high": high}.items())
    return frame.fill_nan(None).sort("expected", "query", "document", descending=[True, False, False])


def prior_strength(clicks: NDArray, expected: NDArray) -> float:
    """The strength of the prior in expected clicks, estimated by moments: 1 / v, v being the variance of true rates.

    v is Σ((clicks − expected)² − clicks) / Σ expected². At most 1,000,000, where rates differ by no more than chance.

    >>> prior_strength(np.array([20, 0]), np.array([10.0, 10.0]))
    1.1111111111111112
    """
    squares = float((expected**2).sum())
    variance = float(((clicks - expected) ** 2 - clicks).sum()) / squares if squares else 0.0
    return 1 / max(variance, 1 / MOST)
