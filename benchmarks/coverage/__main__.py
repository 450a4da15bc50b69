"""How often the 95 % intervals that ireval shows hold the truth: a table of all kinds of intervals, or of some.

    python -m benchmarks.coverage [topics votes users clicks agreement] [--worlds] [--repetitions 2000] [--data ../shared/data]

A line has the lowest and the highest share over all worlds; with --worlds every world has a line.
Scores of topics are drawn from real systems' where the folder of data stands beside the checkout. Shares of 2,000 vary by ± .01.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from benchmarks.aggregation import SHARED
from benchmarks.coverage import Row, agreement, clicks, topics, users, votes

REPETITIONS = 2000
KINDS: dict[str, Callable[[int, Path], Iterator[Row]]] = {
    "topics": topics.rows,
    "votes": votes.rows,
    "users": users.rows,
    "clicks": clicks.rows,
    "agreement": agreement.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)} (default all)")
    parser.add_argument("--worlds", action="store_true", help="a line for every world")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--data", type=Path, default=SHARED)
    options = parser.parse_args()
    rows = chain.from_iterable(KINDS[kind](options.repetitions, options.data) for kind in options.kinds or KINDS)
    if options.worlds:
        print("| interval | world | size | holds | |\n|---|---|---|---|---|")
        for row in rows:
            print(f"| {row.interval} | {row.world} | {row.size} | {row.held:.3f} | {row.verdict} |", flush=True)
    else:
        print("\n".join(condensed(rows)))


def condensed(rows: Iterable[Row]) -> Iterator[str]:
    """One line per interval and size, with the lowest and the highest share over the worlds."""
    yield "| interval | size | worlds | lowest | highest | |\n|---|---|---|---|---|---|"
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.interval, row.size), []).append(row)
    for (interval, size), worlds in groups.items():
        lowest, highest = (choose(worlds, key=lambda row: row.held) for choose in (min, max))
        verdict = ", ".join(dict.fromkeys(filter(None, (lowest.verdict, highest.verdict))))
        yield f"| {interval} | {size} | {len(worlds)} | {lowest.held:.3f} | {highest.held:.3f} | {verdict} |"


if __name__ == "__main__":
    main()
