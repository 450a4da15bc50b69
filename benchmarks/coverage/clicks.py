"""Intervals of clicks: click-through rates by rank, and rates of whole impressions.

Impressions show ten documents, which are clicked by their ranks and, where sessions differ, by how keen the session is.
The truth is the mean of very many impressions.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.coverage import Row, holds, row
from ireval.clicks.rates import ctr_by_rank, rates
from ireval.clicks.sessions import Sessions

SESSIONS = (20, 50, 200, 1000)
DEPTH = 10
RANKS = (1, DEPTH)
VERY_MANY = 300_000
WORLDS = {"every impression by itself": 0.0, "sessions differ": 1.0}
CHANCE = 0.4 / np.arange(1, DEPTH + 1)


def rows(repetitions: int, data: Path) -> Iterator[Row]:
    """Yield the rows of clicks; nothing is read from `data`."""
    for sessions in SESSIONS:
        for world in WORLDS:
            yield from of_clicks(sessions, world, repetitions)


def of_clicks(sessions: int, world: str, repetitions: int) -> Iterator[Row]:
    rng, truth = np.random.default_rng([sessions, *world.encode()]), true_rates(WORLDS[world])
    held: dict[str, list[float]] = {interval: [] for interval, _ in truth}
    for _ in range(repetitions):
        shown = simulated(rng, sessions, WORLDS[world])
        for (interval, name), (_, low, high) in values(shown).items():
            held[interval].append(holds(low, truth[interval, name], high))
    for interval, column in held.items():
        yield row(f"clicks: {interval}", world, f"{sessions} sessions", column)


def values(shown: Sessions) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Each value with the ends of its interval, by the kind of interval and the value's name."""
    by_rank = {rank: (ctr, low, high) for rank, _, _, ctr, low, high in ctr_by_rank(shown).iter_rows() if rank in RANKS}
    ctr = {("CTR by rank", str(rank)): ends for rank, ends in by_rank.items()}
    return ctr | {("rates (robust to sessions)", rate.name): (rate.value, rate.low, rate.high) for rate in rates(shown)}


def simulated(rng: np.random.Generator, sessions: int, spread: float) -> Sessions:
    """Sessions of three impressions on average, whose odds of a click and times vary by `spread`."""
    session = np.repeat(np.arange(sessions), 1 + rng.poisson(2, sessions))
    keenness = spread * rng.normal(size=sessions)[session]
    odds = CHANCE / (1 - CHANCE) * np.exp(keenness)[:, None]
    clicked = rng.random((len(session), DEPTH)) < odds / (1 + odds)
    clicks = clicked * (1 + rng.poisson(0.2, clicked.shape))
    seconds = np.exp(2 + keenness[:, None] / 2 + rng.normal(0, 0.5, clicked.shape))
    names = tuple(np.arange(max(sessions, DEPTH)).astype(str).tolist())
    return Sessions(
        query=np.zeros_like(session),
        session=session,
        user=session,
        elsewhere=np.zeros_like(session),
        start=np.arange(len(session) + 1) * DEPTH,
        document=np.tile(np.arange(DEPTH), len(session)),
        clicks=clicks.ravel(),
        order=np.where(clicked, np.cumsum(clicked, axis=1), 0).ravel(),
        seconds=np.where(clicked, seconds, np.nan).ravel(),
        queries=("q",),
        sessions=names[:sessions],
        users=names[:sessions],
        documents=names[:DEPTH],
    )


@cache
def true_rates(spread: float) -> dict[tuple[str, str], float]:
    return {name: value for name, (value, _, _) in values(simulated(np.random.default_rng(0), VERY_MANY, spread)).items()}
