"""How soon bets settle orders, and how often they ever settle one wrongly: by documents and by whole topics drawn by lot."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl

from benchmarks.next.strategies import drawn_to_the_end
from benchmarks.next.worlds import ALPHA, Hidden, Runs, hidden
from ireval import parse_measure
from ireval.arrays import Floats, Ints
from ireval.pooling import difference_bounds
from ireval.pooling.bets import AIMS, UnbiasedDraws, log_wealth
from ireval.pooling.sampled_differences import remainders_of, unbiased_draws
from ireval.pooling.sampled_topics import topics_as_draws
from ireval.pooling.sampling import sampling_frame, stretches

SHARES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
LOOKS = 20
# How many orders of drawing tell how soon pairs are settled; errors are rare and take all.
TIMED = 10

# From a hidden collection, a measure, a seed and shares of the pool to the most, in logarithms, that bets on a positive and on a
# negative difference had made by each share, (2, shares, pairs).
Drawing = Callable[[Hidden, str, int, Sequence[float]], Floats]


def documents_by_lot(world: Hidden, name: str, seed: int, shares: Sequence[float]) -> Floats:
    """Looks after a twentieth of the pool; what ideals lack is what is known at each share, and only narrows."""
    measure, frame = parse_measure(name), sampling_frame(world.documents, parse_measure(name), world.top_grade, 1, None)
    *_, (rows, draws) = drawn_to_the_end(world, name, len(world.grade) // LOOKS, np.random.default_rng(seed))
    made = list(stretches(frame, draws))
    values, start = unbiased_draws(frame, made), difference_bounds(world.documents, measure, top_grade=world.top_grade)
    counts = [round(share * LOOKS) if share < 1 else len(made) for share in shares]
    ends = [sum(len(stretch.rows) for stretch in made[:count]) for count in counts]
    if frame.sums.ideal is None:
        return most_by(both_sides(values, values, start.high - start.low), np.array(ends))
    by_share = []
    for count, end in zip(counts, ends, strict=True):
        now = difference_bounds(world.revealed(rows[:end]), measure, top_grade=world.top_grade)
        remainders = remainders_of(frame, made[:count], now)
        least, most = (values.first(end).plus(each) for each in (remainders.least, remainders.most))
        by_share.append([wealth.max(axis=0) for wealth in both_sides(least, most, start.high - start.low)])
    return np.array(by_share).swapaxes(0, 1)


def topics_by_lot(world: Hidden, name: str, seed: int, shares: Sequence[float]) -> Floats:
    """Topics in random order, each judged to the end."""
    full = world.revealed(np.arange(len(world.grade)))
    bounds = difference_bounds(full, parse_measure(name), top_grade=world.top_grade)
    order = np.random.default_rng(seed).permutation(len(full.topics))
    judged = np.cumsum(np.bincount(full.topic)[order])
    values = topics_as_draws(bounds.low_by_topic[order], len(order), 1.0)
    wealth = both_sides(values, values, np.full(len(bounds.pairs), 2.0))
    return most_by(wealth, np.searchsorted(judged, np.array(shares) * len(full), side="right"))


def most_by(wealth: tuple[Floats, Floats], ends: Ints) -> Floats:
    """The most of either side after the first draws up to each end; nothing is won before the first."""
    most = [np.maximum.accumulate(np.vstack([np.zeros(side.shape[1]), side])) for side in wealth]
    return np.array([side[ends] for side in most])


def both_sides(least: UnbiasedDraws, most: UnbiasedDraws, width: Floats) -> tuple[Floats, Floats]:
    """What bets on a positive difference, and those on a negative one, have made by each draw, in logarithms, (draws, pairs)."""
    start = partial(log_wealth, difference=np.zeros(len(width)), aims=AIMS[:, None] * width)
    return start(least), start(most.reversed())


DRAWINGS: dict[str, tuple[str, Drawing]] = {
    "DCG@10, documents": ("DCG@10", documents_by_lot),
    "nDCG@10, documents": ("nDCG@10", documents_by_lot),
    "nDCG@10, topics": ("nDCG@10", topics_by_lot),
}


def report(title: str, runs: Runs, qrels: pl.DataFrame, orders: int) -> None:
    """Print the share of pairs that are settled by each share of the pool, and errors in many orders of drawing.

    Errors, at any look until all is judged: the mean over pairs, the worst pair's, and of how many orders any pair is ever
    settled wrongly.
    """
    print(f"{title}: {orders} orders of drawing; settled by {', '.join(f'{share:g}' for share in SHARES[:-1])} of the pool")
    for label, (name, drawing) in DRAWINGS.items():
        world = hidden(runs, qrels, name)
        truth = difference_bounds(world.revealed(np.arange(len(world.grade))), parse_measure(name)).order
        most = [drawing(world, name, seed, SHARES if seed < TIMED else SHARES[-1:]) for seed in range(orders)]
        for level, alpha in (("each pair", ALPHA / 2), ("all together", ALPHA / 2 / len(truth))):
            settled = (np.array(most[:TIMED]) >= -np.log(alpha)).any(axis=1).mean(axis=(0, 2))
            positive, negative = (np.array([each[:, -1] for each in most]) >= -np.log(alpha)).swapaxes(0, 1)
            wrong = (positive & (truth <= 0)) | (negative & (truth >= 0))
            shares = " | ".join(f"{share:.2f}" for share in settled[:-1])
            errors = f"{wrong.mean():.4f} | {wrong.mean(axis=0).max():.3f} | {wrong.any(axis=1).mean():.3f}"
            print(f"| {label}, {level} | {shares} | {errors} |", flush=True)
