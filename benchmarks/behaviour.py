"""Time and memory that it takes to go from a bucket of a search log to an experiment.

    python -m benchmarks.behaviour [--units 200000] [--searches 600000] [--events 1400000] [--looks 20] [--repeats 3]

The log is of two weeks, and a week before; half of the units have sessions, the others none. Prints the median of each step, and
how much the process grows at its peak beside the two frames.
"""

import argparse
import resource
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np
import polars as pl

from ireval.behaviour import Limits, behaviour_of, flagged, log_of
from ireval.behaviour.volume import DAY

METRICS = [
    *("searches", "ctr", "ctr@3", "clicks", "first-click-rr", "abandonment", "seconds", "long-clicks", "reformulation"),
    *("successful-sessions", "conversion:purchase", "value:purchase"),
]
ARMS = ("control", "new")
START, STOP = 20_000 * DAY, 20_014 * DAY


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("units", 200_000), ("searches", 600_000), ("events", 1_400_000), ("looks", 20), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    searches, events = frames(options.units, options.searches, options.events)
    looks = np.linspace(START, STOP, options.looks + 1)[1:].astype(int).tolist()
    print(f"{options.searches + options.events:,} rows of {options.units:,} units, {len(METRICS)} metrics, {options.looks} looks")
    before, taken = peak(), [times(searches, events, looks) for _ in range(options.repeats)]
    for title in taken[0]:
        clock, processor = (median(sample[title][which] for sample in taken) for which in (0, 1))
        print(f"  {title:<34} {clock:7.3f} s, of processors {processor:7.3f} s")
    size = (searches.estimated_size() + events.estimated_size()) / 1e6
    print(f"  grows by {peak() - before:.0f} MB beside {size:.0f} MB of frames")


def times(searches: pl.DataFrame, events: pl.DataFrame, looks: list[int]) -> dict[str, tuple[float, float]]:
    """Seconds by the clock and of processors: the second is what it costs where others use the machine."""
    log = log_of(searches, events, ARMS, START, STOP)
    steps: dict[str, Callable[[], object]] = {
        "log_of": lambda: log_of(searches, events, ARMS, START, STOP),
        "flagged": lambda: flagged(log, Limits(100, 500, 20)),
        "behaviour_of": lambda: behaviour_of(log, METRICS, looks=looks),
        "behaviour_of, with the time before": lambda: behaviour_of(log, METRICS, looks=looks, before=True),
    }
    return {title: clocked(step) for title, step in steps.items()}


def clocked(step: Callable[[], object]) -> tuple[float, float]:
    start = perf_counter(), process_time()
    step()
    return perf_counter() - start[0], process_time() - start[1]


def frames(units: int, searches: int, events: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Searches and events in no order. Some search much more than others."""
    rng = np.random.default_rng(0)
    names = rng.integers(-(2**63), 2**63 - 1, units)
    unit = np.r_[np.arange(min(units, searches)), rng.choice(units, max(0, searches - units), p=shares(rng.gamma(0.5, 1, units)))]
    time = rng.integers(START - 7 * DAY, STOP, searches)
    query = rng.integers(-(2**63), 2**63 - 1, searches)
    session = names[unit] ^ (time // DAY)
    search_rows = pl.DataFrame(
        {
            "unit": names[unit],
            "session": pl.Series(session).zip_with(pl.Series(unit % 2 == 0), pl.Series([None], dtype=pl.Int64)),
            "time": time,
            "query": query,
            "text": rng.integers(0, 50_000, searches),
            "arm": pl.Series(unit % 2, dtype=pl.Int16),
        }
    )
    of, actions = rng.integers(0, searches, events), np.array(["impression", "click", "view", "add_to_cart", "purchase"])
    done = pl.DataFrame(
        {
            "unit": names[unit[of]],
            "session": search_rows["session"].gather(of),
            "time": time[of] + rng.exponential(60_000_000, events).astype(np.int64),
            "query": query[of],
            "action": rng.choice(actions, events, p=[0.4, 0.4, 0.1, 0.06, 0.04]),
            "rank": pl.Series(rng.geometric(0.3, events), dtype=pl.Int32),
            "value": rng.gamma(2, 20, events),
        }
    )
    return search_rows, done


def shares(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


def peak() -> float:
    """Megabytes that the process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
