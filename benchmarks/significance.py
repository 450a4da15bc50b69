"""Time that all pairs of a hundred systems take: this engine at once against a loop over scipy, one machine.

    python -m benchmarks.significance [--systems 100] [--topics 50] [--flips 10000] [--loop 10] [--repeats 3]

The loop is timed over `--loop` pairs, as its pairs cost the same, and multiplied. Medians are printed, with ratios.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import numpy as np
from scipy import stats

from ireval.correlation.orderings import correlation_matrix
from ireval.significance import Rules, Scores, compare, randomise, tukey, wilcoxon
from ireval.significance.pairs import all_pairs
from ireval.significance.tukey import two_way


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("systems", 100), ("topics", 50), ("flips", 10_000), ("loop", 10), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    scores = scores_of(options.systems, options.topics)
    pairs = all_pairs(options.systems)
    table = pairs.differences(scores)
    print(f"{options.systems} systems, {options.topics} topics, {len(pairs):,} pairs; medians of {options.repeats}")

    def against(title: str, ours: Callable[[], object], one_pair: Callable[[int], object]) -> None:
        ours()
        mine = median(seconds(ours) for _ in range(options.repeats))
        theirs = median(seconds(lambda: [one_pair(pair) for pair in range(options.loop)]) for _ in range(options.repeats))
        theirs *= len(pairs) / options.loop
        print(f"  {title:<34} {mine:7.3f} s; loop over scipy {theirs:8.1f} s, {theirs / mine:7,.0f} times as long")

    against(
        f"randomisation, {options.flips:,} flips",
        lambda: run_randomisation(scores, options.flips),
        lambda pair: permuted_by_scipy(table[:, pair], options.flips),
    )
    layout = two_way(scores)
    q = np.abs(table.mean(axis=0)) / layout.error
    against(
        "Tukey's HSD, two-way layout",
        lambda: tukey(scores, pairs),
        lambda pair: stats.studentized_range.sf(q[pair], options.systems, layout.freedom),
    )
    against("Wilcoxon", lambda: wilcoxon(table), lambda pair: stats.wilcoxon(table[:, pair], correction=True))
    against("Kendall's τ_b, topics by systems", lambda: correlation_matrix(scores, "kendall_b"), kendall_by_scipy(scores, pairs))
    against(
        "all of compare --test t",
        lambda: compare(named(scores), rules=Rules()),
        lambda pair: stats.ttest_1samp(table[:, pair], 0),
    )
    print(f"  randomisation allocates {megabytes(lambda: run_randomisation(scores, options.flips)):.0f} MB at its peak")


def scores_of(systems: int, topics: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.clip(rng.beta(1, 2, (topics, 1)) + rng.normal(0, 0.05, systems) + rng.normal(0, 0.1, (topics, systems)), 0, 1)


def named(scores: np.ndarray) -> Scores:
    return Scores(tuple(map(str, range(len(scores)))), tuple(map(str, range(scores.shape[1]))), scores)


def run_randomisation(scores: np.ndarray, flips: int) -> np.ndarray:
    return randomise(scores, all_pairs(scores.shape[1]), np.random.default_rng(1), flips)


def permuted_by_scipy(differences: np.ndarray, flips: int) -> float:
    """Scipy's fastest way: vectorised, one sample against zeros."""
    return stats.permutation_test(
        (differences, np.zeros_like(differences)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=flips,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue


def kendall_by_scipy(scores: np.ndarray, pairs) -> Callable[[int], object]:
    return lambda pair: stats.kendalltau(scores[:, pairs.first[pair]], scores[:, pairs.second[pair]])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def megabytes(work: Callable[[], object]) -> float:
    """The most memory that the work holds at a time, in MB; numpy reports its arrays to tracemalloc."""
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


if __name__ == "__main__":
    main()
