"""How soon bets settle orders, and how often they ever settle one wrongly: by documents and by whole topics drawn by lot."""

from collections.abc import Callable
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from benchmarks.next.strategies import drawn_to_the_end
from benchmarks.next.worlds import ALPHA, Hidden, Runs, hidden
from ireval import parse_measure
from ireval.arrays import Floats
from ireval.pooling import difference_bounds
from ireval.pooling.bets import AIMS, UnbiasedDraws, log_wealth
from ireval.pooling.sampled_differences import remainders_of, unbiased_draws
from ireval.pooling.sampled_topics import topics_as_draws
from ireval.pooling.sampling import sampling_frame, stretches

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
LOOKS = 20

# From a hidden collection, a measure and a seed to the most, in logarithms, that bets on a positive and on a negative difference
# had made by each of the shares, (2, shares, pairs).
Drawing = Callable[[Hidden, str, int], Floats]


def documents_by_lot(world: Hidden, name: str, seed: int) -> Floats:
    """Looks after a twentieth of the pool; what ideals lack is what is known at each share, and only narrows."""
    measure, counts = parse_measure(name), [round(share * LOOKS) for share in SHARES]
    frame = sampling_frame(world.documents, measure, world.top_grade, 1, None)
    start = difference_bounds(world.documents, measure, top_grade=world.top_grade)
    looks = drawn_to_the_end(world, name, len(world.grade) // LOOKS, np.random.default_rng(seed))
    *_, (rows, draws) = islice(looks, counts[-1])
    made = list(stretches(frame, draws))
    values, by_share = unbiased_draws(frame, made), []
    for count in counts:
        end, now = sum(len(stretch.rows) for stretch in made[:count]), start
        if frame.sums.ideal is not None:
            now = difference_bounds(world.revealed(rows[:end]), measure, top_grade=world.top_grade)
        remainders = remainders_of(frame, made[:count], now)
        least, most = (values.first(end).plus(each) for each in (remainders.least, remainders.most))
        by_share.append([wealth.max(axis=0) for wealth in both_sides(least, most, start.high - start.low)])
    return np.array(by_share).swapaxes(0, 1)


def topics_by_lot(world: Hidden, name: str, seed: int) -> Floats:
    """Topics in random order, each judged to the end."""
    full = world.revealed(np.arange(len(world.grade)))
    bounds = difference_bounds(full, parse_measure(name), top_grade=world.top_grade)
    order = np.random.default_rng(seed).permutation(len(full.topics))
    judged = np.cumsum(np.bincount(full.topic)[order]) / len(full)
    values = topics_as_draws(bounds.low_by_topic[order], len(order), 1.0)
    wealth = [np.maximum.accumulate(each) for each in both_sides(values, values, np.full(len(bounds.pairs), 2.0))]
    number = np.searchsorted(judged, SHARES, side="right") - 1
    return np.array([np.where(number[:, None] >= 0, each[number], -np.inf) for each in wealth])


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

    Errors, up to the last share: the mean over pairs, the worst pair's, and of how many orders any pair is ever settled wrongly.
    """
    print(f"{title}: {orders} orders of drawing, up to {SHARES[-1]:g} of the pool")
    for label, (name, drawing) in DRAWINGS.items():
        world = hidden(runs, qrels, name)
        every = world.revealed(np.arange(len(world.grade)))
        truth = np.sign(difference_bounds(every, parse_measure(name), top_grade=world.top_grade).low)
        wealth = np.array([drawing(world, name, seed) for seed in range(orders)])
        for level, alpha in (("each pair", ALPHA / 2), ("all together", ALPHA / 2 / len(truth))):
            settled = wealth >= -np.log(alpha)
            signs = settled[:, 0].astype(int) - settled[:, 1]
            wrong = (signs[:, -1] != 0) & (signs[:, -1] != truth)
            shares = " | ".join(f"{share:.2f}" for share in (signs != 0).mean(axis=(0, 2)))
            errors = f"{wrong.mean():.4f} | {wrong.mean(axis=0).max():.3f} | {wrong.any(axis=1).mean():.3f}"
            print(f"| {label}, {level} | {shares} | {errors} |", flush=True)
