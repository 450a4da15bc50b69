"""The position-based model by expectation-maximisation; on counts of pairs and ranks, so that time does not grow with logs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.clicks.sessions import Sessions

MOST_ROUNDS = 2_000
# The EM ends when no parameter moves by more than this.
ENOUGH = 1e-6
LEAST = 1e-9
# Examination of the most clicked rank at the start: below 1, from which no round of the EM would move it.
HIGHEST = 0.98


class Cells(NamedTuple):
    """How often each pair was shown at each rank (`n`) and clicked there, for n > 0; (C,) each."""

    pair: Ints
    place: Ints
    n: NDArray
    clicks: NDArray


class PositionBasedFit(NamedTuple):
    """A fitted position-based model.

    - examined (K,): 1 at the rank examined most.
    - attractiveness (P,), and support (P,): how many views of the pair were examined.
    - rounds: those of the EM; converged: whether it ended before the limit.
    - parts: groups of ranks that share no document.
    """

    examined: Floats
    attractiveness: Floats
    support: Floats
    rounds: int
    converged: bool
    parts: int


def fit_position_based(sessions: Sessions, rounds: int = MOST_ROUNDS) -> PositionBasedFit:
    """P(click) = examined(rank) · attractive(pair), by maximum likelihood.

    Only the product is identified: examination is divided by its largest value and attractiveness multiplied by it. Ranks that
    share no document, not even through other ranks, cannot be compared: `parts` > 1. At most `rounds` of the EM, two at a time.
    Source: Craswell, Zoeter, Taylor and Ramsey, WSDM 2008; the EM as in Chuklin, Markov and de Rijke 2015, chapter 4.
    """
    cells = cells_of(sessions)
    size, depth = len(sessions.pairs), sessions.depth
    by_pair, by_rank = (np.bincount(codes, cells.n, minlength=most) for codes, most in ((cells.pair, size), (cells.place, depth)))
    unclicked = cells.n - cells.clicks
    rates = np.bincount(cells.place, cells.clicks, minlength=depth) / by_rank

    def em(x: Floats) -> Floats:
        a, g = x[:size][cells.pair], x[size:][cells.place]
        both = g * a
        each = unclicked / np.maximum(1 - both, LEAST)
        attracted = np.bincount(cells.pair, cells.clicks + each * (a - both), minlength=size)
        looked = np.bincount(cells.place, cells.clicks + each * (g - both), minlength=depth)
        return np.concatenate([attracted / by_pair, looked / by_rank])

    start = np.concatenate([np.full(size, rates.max(initial=0)), rates * (HIGHEST / max(rates.max(initial=0), LEAST))])
    x, done, converged = squarem(em, lambda x: likelihood(cells, x[size:], x[:size]), np.clip(start, LEAST, 1 - LEAST), rounds)
    attractive, examined = x[:size], x[size:]
    top = max(examined.max(initial=0), LEAST)
    examined, attractive = examined / top, attractive * top
    return PositionBasedFit(
        examined, attractive, support_of(cells, examined, size), done, converged, parts_of(cells, size, depth)
    )


def squarem(em: Callable[[Floats], Floats], value: Callable[[Floats], float], x: Floats, rounds: int) -> tuple[Floats, int, bool]:
    """Iterate an EM over shares: the last state, how many rounds it took, and whether it converged.

    After two rounds it leaps to where they seem to lead, half as far if the likelihood falls there, or else not at all. Source:
    Varadhan and Roland, Simple and globally convergent methods for accelerating the convergence of any EM algorithm,
    Scandinavian Journal of Statistics 35, 2008: SQUAREM, step length S3.
    """
    for done in range(0, rounds, 2):
        once = em(x)
        moved = once - x
        if np.abs(moved).max(initial=0) < ENOUGH:
            return once, done + 1, True
        twice = em(once)
        turned = twice - once - moved
        least = value(twice)
        far = float(np.linalg.norm(moved)) / max(float(np.linalg.norm(turned)), LEAST**2)
        for length in (far, (1 + far) / 2):
            leap = np.clip(x + length * (2 * moved + length * turned), 0, 1 - (1 - twice) / 100)
            if length > 1 and value(leap) >= least:
                x = leap
                break
        else:
            x = twice
    return x, rounds, False


def cells_of(sessions: Sessions) -> Cells:
    depth = max(1, sessions.depth)
    shown = pl.DataFrame({"cell": sessions.pair * depth + sessions.place, "clicked": sessions.clicked})
    cells = shown.group_by("cell").agg(n=pl.len().cast(pl.Float64), clicks=pl.col("clicked").sum().cast(pl.Float64)).sort("cell")
    codes = cells["cell"].to_numpy()
    return Cells(codes // depth, codes % depth, cells["n"].to_numpy(), cells["clicks"].to_numpy())


def likelihood(cells: Cells, examined: Floats, attractive: Floats) -> float:
    chance = np.clip(examined[cells.place] * attractive[cells.pair], LEAST, 1 - LEAST)
    return float((cells.clicks * np.log(chance) + (cells.n - cells.clicks) * np.log1p(-chance)).sum())


def support_of(cells: Cells, examined: Floats, size: int) -> Floats:
    """Σ n g, (P,), the expected number of views examined; n where every view was."""
    return np.bincount(cells.pair, cells.n * examined[cells.place], minlength=size).astype(np.float64)


def parts_of(cells: Cells, size: int, depth: int) -> int:
    """The number of groups of ranks that have no document in common."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - slow to import

    whole = size + depth
    links = coo_array((np.ones(len(cells.n)), (cells.pair, size + cells.place)), shape=(whole, whole))
    return len(np.unique(connected_components(links, directed=False)[1][size:]))
