"""How few judgements could put systems in order: what limits every choice, whatever its criterion.

An oracle knows how far each two systems differ in the end, and has the predicting model as it is fitted to all grades. It does
not know single grades, and judges what leaves the fewest pairs expected in the wrong order. What is then predicted errs by
independent grades; ideals count as known. Real choices know less, and need more. The oracle chooses step by step, what helps
most first; no proof says that this is the least.
"""

import numpy as np
import polars as pl
from scipy.special import ndtr

from benchmarks.next.worlds import Hidden, Runs, hidden, part_of
from ireval import parse_measure
from ireval.arrays import Floats, share
from ireval.pooling import PredictedGrades
from ireval.pooling.additive_measures import additive
from ireval.pooling.grade_prediction import expected_ideals, features_of, fit

STEPS = 80
CLOSE = (0.001, 0.003, 0.01)
# Kendall's τ is 1 − 2 · the share of pairs in the wrong order.
ALLOWED = 0.025
SMALLEST = 1e-18


def report(title: str, runs: Runs, qrels: pl.DataFrame, subsets: int, size: tuple[int, int]) -> None:
    """Print a table's row: what makes an order hard, and from which share of the pool the oracle expects τ ≥ .95; parts' mean.

    Unsure is how far the grades of all documents move a difference below the last of CLOSE, as a standard deviation.
    """
    world, rng = hidden(runs, qrels, "nDCG@10"), np.random.default_rng(1)
    apart = differences_in_the_end(world)
    unsure = np.sqrt(squared_moves(world).sum(axis=0))[apart < CLOSE[-1]].mean()
    parts = [oracle(hidden(*part_of(runs, qrels, size, rng), "nDCG@10")) for _ in range(subsets)]
    counts = [len(apart), allowed(apart), *((apart < limit).sum() for limit in CLOSE)]
    shares = f"{unsure:.3f} | {(world.grade > 0).mean():.2f} | {oracle(world):.2f} | {np.mean(parts):.2f}"
    print(f"floor: pairs, wrong ones that τ ≥ .95 allows, differences below {CLOSE}; unsure, relevant, oracle, parts")
    print(f"| {title} | {' | '.join(map(str, counts))} | {shares} |", flush=True)


def differences_in_the_end(world: Hidden) -> Floats:
    return np.abs(world.pairs.differences(world.means[None])[0])


def allowed(apart: Floats) -> int:
    """How many pairs may be in the wrong order."""
    return int(ALLOWED * len(apart))


def oracle(world: Hidden) -> float:
    """The share of the pool from which on no more pairs than τ ≥ .95 allows are expected in the wrong order."""
    moves = squared_moves(world)
    apart, left = differences_in_the_end(world), np.ones(len(moves), bool)
    while True:
        variance = np.maximum(moves[left].sum(axis=0), SMALLEST)
        z = apart / np.sqrt(variance)
        if ndtr(-z).sum() <= allowed(apart):
            return 1 - float(left.mean())
        worth = moves @ (z * np.exp(-(z**2) / 2) / variance)  # how fast a variance moves the number expected
        worth[~left] = -np.inf
        left[np.argsort(-worth)[: max(1, len(moves) // STEPS)]] = False


def squared_moves(world: Hidden) -> Floats:
    """How far each document's grade moves each difference: the expected square, (documents, pairs)."""
    full, measure = world.revealed(np.arange(len(world.grade))), parse_measure("nDCG@10")
    sums, (features, precision) = additive(measure, world.top_grade), features_of(full)
    models = [fit(features, full.topic, full.grade >= g, precision, len(full.topics)) for g in range(1, world.top_grade + 1)]
    chances = np.array([model.chances(features, full.topic) for model in models])
    known = PredictedGrades((full.grade >= np.arange(1, world.top_grade + 1)[:, None]).astype(float))
    ideal = expected_ideals(full, sums, known)
    weights = sums.weights(full.rank) * share(np.ones_like(ideal), ideal)[full.topic][:, None] / len(full.topics)
    variance = PredictedGrades(np.minimum.accumulate(chances, axis=0)).variance(sums)
    return world.pairs.differences(weights) ** 2 * variance[:, None]
