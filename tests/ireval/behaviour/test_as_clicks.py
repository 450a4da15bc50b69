"""What both packages say of clicks is the same: rates of impressions there, metrics of an experiment here."""

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.behaviour import behaviour_of
from ireval.clicks import rates, sessions_of
from tests.ireval.behaviour.builders import SECOND, Event, Search, at, log

SHOWN = st.lists(st.one_of(st.none(), st.integers(-2, 4)), min_size=1, max_size=4)
# Impressions: when each of what they showed was clicked, and how often something else was, later.
IMPRESSIONS = st.lists(st.tuples(SHOWN, st.integers(0, 2)), min_size=1, max_size=12)


@given(IMPRESSIONS, st.integers(1, 3))
def test_rates_are_the_same_as_of_sessions(impressions, k):
    rows, searches, events = [], [], []
    for query, (shown, elsewhere) in enumerate(impressions):
        moment = at(10 * query + 5)  # a click before the start would be lost
        searches.append(Search(query % 3, moment, query, 0))
        for rank, second in enumerate(shown, start=1):
            clicks = 0 if second is None else 1 + rank % 2
            known = None if second is None or second < 0 else float(second)
            rows.append((str(query), "q", f"d{rank}", rank, clicks, known, second, elsewhere))
            events += [Event(query % 3, moment + (second or 0) * SECOND, query, rank=rank)] * clicks
        events += [Event(query % 3, moment + 5 * SECOND, query)] * elsewhere
    columns = ["impression", "query", "document", "rank", "clicks", "seconds", "order", "elsewhere"]
    frame = pl.DataFrame(rows, columns, orient="row", infer_schema_length=None)
    # Which click came first is told by their order: seconds before the search are not known.
    order = pl.col("order").rank("dense").over("impression").fill_null(0).cast(pl.Int64)
    theirs = {rate.name: rate for rate in rates(sessions_of(frame.with_columns(order)), k)}
    names = [f"ctr@{k}", "abandonment", "clicks", "first-click-rr", "seconds"]
    experiment = behaviour_of(log(searches, events), names).experiment
    arm = experiment.number_of("new")
    for metric in experiment.metrics:
        value, per = metric.moments[arm].mean * metric.moments[arm].n
        assert round(per) == theirs[metric.name].n or metric.name == "seconds", metric.name
        if metric.name == "seconds":
            assert_seconds(value, per, theirs["seconds"], impressions)
        elif per:
            assert value / per == pytest.approx(theirs[metric.name].value), metric.name
        else:
            assert math.isnan(theirs[metric.name].value)


def assert_seconds(value: float, per: float, theirs, impressions) -> None:
    """But for impressions that were clicked elsewhere only: there a click on something else counts."""
    only = sum(bool(elsewhere) and all(second is None for second in shown) for shown, elsewhere in impressions)
    assert round(per) == theirs.n + only
    assert value - 5 * only == pytest.approx(theirs.value * theirs.n if theirs.n else 0)
