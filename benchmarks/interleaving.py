"""Time that it takes to merge rankings, and to credit clicks on them.

    python -m benchmarks.interleaving [--documents 1000] [--depth 10] [--systems 5] [--repeats 2000]

Prints the median and the 99th percentile of single calls in milliseconds: for two rankings by each method, and for many by the
methods that merge many.
"""

import argparse
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

from ireval.interleaving import METHODS, interleave, outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("documents", 1000), ("depth", 10), ("systems", 5), ("repeats", 2000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    lists = rankings(options.systems, options.documents)
    for method in METHODS:
        for size in (2,) if method == "balanced" else (2, options.systems):
            show(
                f"{method} of {size}",
                partial(interleave, method, lists[:size], options.depth),
                options.repeats,
            )
    shown = interleave("team_draft", lists, options.depth, 0)
    show("outcome", lambda _: outcome(shown, shown.ranking[::3]), options.repeats)


def rankings(systems: int, documents: int) -> list[list[str]]:
    """Rankings of the same documents that agree more at the top."""
    rng = np.random.default_rng(0)
    names = [f"document-{number}" for number in range(documents)]
    return [[names[place] for place in np.argsort(np.arange(documents) + rng.normal(0, 20, documents))] for _ in range(systems)]


def show(title: str, call: Callable[[int], object], repeats: int) -> None:
    times = []
    for seed in range(repeats):
        start = perf_counter()
        call(seed)
        times.append(1000 * (perf_counter() - start))
    middle, late = np.percentile(times, [50, 99])
    print(f"{title:<24} median {middle:.3f} ms, p99 {late:.3f} ms")


if __name__ == "__main__":
    main()
