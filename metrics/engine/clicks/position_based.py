"""The position-based model by expectation-maximisation, over counts of pairs and ranks: its time does not grow with the log."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rankings import Floats, Ints
from .sessions import Sessions

MOST_ROUNDS = 2_000
# The EM ends when no parameter moves by more than this.
ENOUGH = 1e-6
LEAST = 1e-9


class Cells(NamedTuple):
    """How often each pair was shown at each rank (`n`) and clicked there, where it was shown: (C,) each."""

    pair: Ints
    place: Ints
    n: NDArray
    clicks: NDArray


class Fitted(NamedTuple):
    """examined (K,), 1 at the rank most looked at; attractiveness (P,) and what its observations are `worth` as independent
    views, (P,); log likelihoods after every round; parts of ranks that share no document."""

    examined: Floats
    attractiveness: Floats
    worth: Floats
    likelihoods: list[float]
    converged: bool
    parts: int

    @property
    def rounds(self) -> int:
        return len(self.likelihoods)


def fit_position_based(sessions: Sessions, rounds: int = MOST_ROUNDS) -> Fitted:
    """P(click) = examined(rank) · attractive(pair), by maximum likelihood.

    Only the product is known: examination is divided by its largest value, attractiveness multiplied. worth is the Fisher
    information of attractiveness with examination held fixed, times a(1 − a): a view at a rank looked at half as often is worth
    less than half a view. Ranks that have no document in common, not even by way of others, cannot be compared: `parts` > 1.
    Source: Craswell, Zoeter, Taylor and Ramsey, WSDM 2008; the EM as in Chuklin, Markov and de Rijke 2015, chapter 4.
    """
    cells = cells_of(sessions)
    size, depth = len(sessions.pairs), sessions.depth
    by_pair, by_rank = (np.bincount(codes, cells.n, minlength=most) for codes, most in ((cells.pair, size), (cells.place, depth)))
    rates = np.bincount(cells.place, cells.clicks, minlength=depth) / by_rank
    examined = np.clip(rates / max(rates.max(initial=0), LEAST), LEAST, 1)
    attractive = np.full(size, np.clip(rates.max(initial=0), LEAST, 1 - LEAST))
    likelihoods: list[float] = []
    converged = False
    while not converged and len(likelihoods) < rounds:
        g, a = examined[cells.place], attractive[cells.pair]
        unclicked = (cells.n - cells.clicks) / np.maximum(1 - g * a, LEAST)
        new_attractive = np.bincount(cells.pair, cells.clicks + unclicked * a * (1 - g), minlength=size) / by_pair
        new_examined = np.bincount(cells.place, cells.clicks + unclicked * g * (1 - a), minlength=depth) / by_rank
        moved = max(np.abs(new_attractive - attractive).max(initial=0), np.abs(new_examined - examined).max(initial=0))
        attractive, examined = new_attractive, new_examined
        likelihoods.append(likelihood(cells, examined, attractive))
        converged = bool(moved < ENOUGH)
    top = max(examined.max(initial=0), LEAST)
    examined, attractive = examined / top, attractive * top
    return Fitted(
        examined, attractive, worth_of(cells, examined, attractive), likelihoods, converged, parts_of(cells, size, depth)
    )


def cells_of(sessions: Sessions) -> Cells:
    depth = max(1, sessions.depth)
    codes, cell = np.unique(sessions.pair * depth + sessions.place, return_inverse=True)
    n, clicks = np.bincount(cell).astype(np.float64), np.bincount(cell, sessions.clicked)
    return Cells(codes // depth, codes % depth, n, clicks)


def likelihood(cells: Cells, examined: Floats, attractive: Floats) -> float:
    chance = np.clip(examined[cells.place] * attractive[cells.pair], LEAST, 1 - LEAST)
    return float((cells.clicks * np.log(chance) + (cells.n - cells.clicks) * np.log1p(-chance)).sum())


def worth_of(cells: Cells, examined: Floats, attractive: Floats) -> Floats:
    """Σ n g (1 − a) / (1 − g a): n where everything was examined."""
    g, a = examined[cells.place], attractive[cells.pair]
    each = np.where(1 - g * a > LEAST, g * (1 - a) / np.maximum(1 - g * a, LEAST), g)
    return np.bincount(cells.pair, cells.n * each, minlength=len(attractive)).astype(np.float64)


def parts_of(cells: Cells, size: int, depth: int) -> int:
    """How many groups of ranks have no document in common."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - slow to import

    whole = size + depth
    links = coo_array((np.ones(len(cells.n)), (cells.pair, size + cells.place)), shape=(whole, whole))
    return len(np.unique(connected_components(links, directed=False)[1][size:]))
