"""How soon bets settle orders, and how often they ever settle one wrongly."""

import numpy as np
import polars as pl

from benchmarks.next.strategies import drawn_to_the_end
from benchmarks.next.worlds import ALPHA, Runs, hidden
from ireval import parse_measure
from ireval.arrays import Floats
from ireval.pooling import difference_bounds
from ireval.pooling.sampled_differences import AIMS, UnbiasedDraws, log_wealth, unbiased_draws
from ireval.pooling.sampling import sampling_frame

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)
LOOKS = 20


def report(title: str, runs: Runs, qrels: pl.DataFrame, orders: int, deepest: float) -> None:
    """Print the share of pairs that are settled by each share of the pool, and errors in many orders of drawing.

    Errors: the mean over pairs, the worst pair's, and of how many orders any pair is ever settled wrongly.
    """
    world, measure = hidden(runs, qrels, "DCG@10"), parse_measure("DCG@10")
    frame = sampling_frame(world.documents, measure, world.top_grade, 1, None)
    bounds = difference_bounds(world.documents, measure, top_grade=world.top_grade)
    truth = np.sign(world.pairs.differences(world.means[None])[0])
    ends = [int(share * len(world.grade)) - 1 for share in SHARES if share <= deepest]
    print(f"{title}: DCG@10, {len(truth)} pairs, {orders} orders of drawing, up to {deepest:g} of the pool")
    levels = {"each pair at .95": ALPHA / 2, "all pairs together at .95": ALPHA / 2 / len(truth)}
    settled, wrong = (
        {label: np.zeros(len(ends)) for label in levels},
        {label: np.zeros((orders, len(truth)), bool) for label in levels},
    )
    for seed in range(orders):
        looks = drawn_to_the_end(world, "DCG@10", len(world.grade) // LOOKS, np.random.default_rng(seed))
        draws = next(draws for rows, draws in looks if len(rows) >= deepest * len(world.grade))
        wealth = both_sides(unbiased_draws(frame, draws), bounds.high - bounds.low)
        for label, alpha in levels.items():
            signs = (wealth[0] >= -np.log(alpha)).astype(int) - (wealth[1] >= -np.log(alpha))
            settled[label] += (signs[ends] != 0).mean(axis=1) / orders
            wrong[label][seed] = (signs[-1] != 0) & (signs[-1] != truth)
    for label, errors in wrong.items():
        shares = " | ".join(f"{share:.2f}" for share in settled[label])
        print(f"| {label} | {shares} | {errors.mean():.4f} | {errors.mean(axis=0).max():.3f} | {errors.any(axis=1).mean():.3f} |")


def both_sides(values: UnbiasedDraws, width: Floats) -> tuple[Floats, Floats]:
    """The most, in logarithms, that bets on a positive and on a negative difference had made by each draw, (draws, pairs)."""
    positive, negative = (log_wealth(each, np.zeros(len(width)), AIMS[:, None] * width) for each in (values, values.reversed()))
    return np.maximum.accumulate(positive), np.maximum.accumulate(negative)
